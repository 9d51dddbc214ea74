"""Figures and reports as files: asked for on a page or a command, made by the worker, kept for some days."""
