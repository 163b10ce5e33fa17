"""Objects that draw random numbers."""

from __future__ import annotations


def is_source(value: object) -> bool:
    """Whether an object is one of NumPy's or Python's generators."""
    home = type(value).__module__
    return home.startswith("numpy.random") or home == "random"


def is_frozen(value: object) -> bool:
    """Whether an object is one of SciPy's distributions with its parameters."""
    kind = type(value)
    return kind.__module__.startswith("scipy.stats") and kind.__name__.endswith("_frozen")
