"""The layout of generated text: that of black for Python 3.11, the oldest version it runs on.

Without a version, black guesses one from the text: whether a comma after the last parameter is
allowed, for one. For a stated version it writes what it leaves alone for later ones, and what
`ruff format` leaves alone too.
"""

from __future__ import annotations


def format(text: str, commas: bool = True) -> str:
    """The text as black formats it; as it is where an expression is nested too deeply for black.

    Without `commas`, one that a formatter has put at the end of a list keeps no lines apart.
    """
    import black
    from black.mode import TargetVersion

    mode = black.Mode(target_versions={TargetVersion.PY311}, magic_trailing_comma=commas)
    try:
        return black.format_str(text, mode=mode)
    except RecursionError:
        return text
