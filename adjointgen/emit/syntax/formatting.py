"""The layout of generated text: that of black with its default mode."""

from __future__ import annotations


def format(text: str) -> str:
    """The text as black formats it; as it is where an expression is nested too deeply for black."""
    import black

    try:
        return black.format_str(text, mode=black.Mode())
    except RecursionError:
        return text
