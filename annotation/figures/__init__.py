"""Figures of agreement reports, drawn as SVG from the report's document: no script, no font, no other file."""

from annotation.figures.agreement import Figure, figures_of

__all__ = ["Figure", "figures_of"]
