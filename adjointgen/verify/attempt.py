"""One call of a program under test: what it returned, what it raised, and what it wrote to.

The program gets copies, which nobody else holds, and its result is copied at once: it may be part
of an argument, and the next call may write to that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjointgen.errors import AdjointgenError
from adjointgen.verify.structures import changes, fresh


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a call, or its exception, and the paths of the arguments that it changed."""

    result: Any
    error: Exception | None
    changed: tuple[str, ...]

    @property
    def raised(self) -> str:
        """The exception in words; empty where there is none."""
        return "" if self.error is None else f"{type(self.error).__name__}: {self.error}"


def attempt(function: Callable[..., Any], *given: Any) -> Outcome:
    """Calls a function on copies of `given`.  A coded refusal is no outcome: it is raised."""
    copies = fresh(given)
    try:
        with np.errstate(all="ignore"):
            result = fresh(function(*copies))
    except AdjointgenError:
        raise
    except Exception as error:  # a program that fails is what a verification has to report
        return Outcome(None, error, ())
    return Outcome(result, None, tuple(changes(given, copies)))
