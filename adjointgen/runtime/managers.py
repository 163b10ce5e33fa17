"""Managers around a part of a program.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""

from typing import Any


def kept(manager: Any) -> Any:
    """The manager, which may not take an exception: what follows would read what is not there."""

    class Kept:
        def __enter__(self) -> Any:
            return manager.__enter__()

        def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
            if manager.__exit__(kind, error, trace) and error is not None:
                what = "AG101: a manager takes an exception, and the program cannot go on after it"
                raise RuntimeError(what) from error

    return Kept()
