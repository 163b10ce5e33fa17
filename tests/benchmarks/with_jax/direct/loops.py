"""Python's loops and branches over arrays that are carried whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import lax


def loop(first: int, end: int, body: Callable[..., Any], state: Any) -> Any:
    """`for i in range(first, end)` with bounds that are known: others have no reverse mode."""
    return lax.fori_loop(first, end, body, state)


def when(condition: Any, body: Callable[[Any], Any], state: Any) -> Any:
    """`body` of the state where the condition holds: what a loop with a varying bound does.

    Where it does not hold, nothing of the body is run.
    """
    return lax.cond(condition, body, lambda unchanged: unchanged, state)
