"""One call of a program under test: what it returned, what it raised, and what it did to arguments.

The program gets copies, which nobody else holds but which are one where the arguments are
(`twins`). Its result is copied at once: it may be part of an argument, and the next call may write
to that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjointgen.errors import AdjointgenError
from adjointgen.verify.structures import changes, fresh
from adjointgen.verify.twins import Tie, tied, twins


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a call, or its exception, and the paths of the arguments that it changed.

    `after` are the arguments as the call left them, `ties` what shares storage then, the result
    included, of which `given` and `result` are the first words.
    """

    result: Any
    error: Exception | None
    changed: tuple[str, ...]
    after: Any = None
    ties: frozenset[Tie] = frozenset()

    @property
    def raised(self) -> str:
        """The exception in words; empty where there is none."""
        return "" if self.error is None else f"{type(self.error).__name__}: {self.error}"


def attempt(function: Callable[..., Any], *given: Any) -> Outcome:
    """Calls a function on copies of `given`.  A coded refusal is no outcome: it is raised."""
    copies = twins(given)
    with np.errstate(all="ignore"):
        return observed(function, copies, given)


def observed(function: Callable[..., Any], copies: tuple[Any, ...], given: Any) -> Outcome:
    """Calls a function on `copies` themselves, which are like `given` before the call."""
    try:
        result = function(*copies)
    except AdjointgenError:
        raise
    except Exception as error:  # a program that fails is what a verification has to report
        return Outcome(None, error, tuple(changes(given, copies)), copies)
    ties = tied({"given": copies, "result": result})
    return Outcome(fresh(result), None, tuple(changes(given, copies)), copies, ties)
