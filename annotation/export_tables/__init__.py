"""The tables of an export, by what they are about."""
