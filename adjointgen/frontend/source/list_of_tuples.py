"""The class of a list of tuples of which it is not known how many there are.

It has a list for each place in the tuples (`frontend/control/row_lists.py`), and is lowered like a
class of the user's.
"""

# mypy: ignore-errors

from __future__ import annotations


class rows:
    """A list of tuples of numbers, all of one length. What it is asked for is not its own."""
