"""Lengths that have to be equal in a compiled program, which does not repeat axes of length 1.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""


def same(n: int, m: int) -> int:
    """`n`, which `m` has to be too. Raises ValueError."""
    if n != m:
        raise ValueError("a compiled program combines arrays of equal lengths only")
    return n
