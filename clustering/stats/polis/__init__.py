"""Pol.is' clusterer on integer arrays: base clusters, groups, what sets them apart, what to show next.

Nothing is imported here, so that naming one module does not load the others.
"""
