"""Pure statistics of opinion groups and OvertonScores: arrays and keys in, frozen results out.

Nothing is imported here, so that naming one module does not load the others (scipy and scikit-learn
are slow to import).
"""
