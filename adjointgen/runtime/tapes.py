"""What is asked of a tape.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""

from typing import Any


def nbytes(value: Any) -> int:
    """The bytes of the arrays and numbers in a structure."""
    total, rest = 0, [value]
    while rest:
        each = rest.pop()
        if isinstance(each, tuple | list | dict):
            rest += each.values() if isinstance(each, dict) else each
        else:
            size = 8 if isinstance(each, float | int) else 16 if isinstance(each, complex) else 0
            total += getattr(each, "nbytes", size)
    return total
