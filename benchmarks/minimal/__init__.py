"""The least that Django can do for a submit: one insert, one small page. The practical ceiling of the walk."""
