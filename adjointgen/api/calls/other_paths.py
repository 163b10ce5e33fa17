"""Calls that take a path which the program for such arguments is not made for.

The program raises NotImplementedError where the path begins. If nothing has been changed until
then, a program is made that has been observed with the arguments of this call, and runs instead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from adjointgen.api.specialize.exits import Exits
from adjointgen.api.specialize.load_program import Made
from adjointgen.errors import AdjointgenError, Unsupported

Program = Callable[..., Any]
MOST_VARIANTS: Final = 8
"""Programs for different paths of calls with arguments of one kind."""
_HELP = "differentiate what the paths have in common, or give the function a rule with @custom"


class Variants:
    """A program that is not made for some paths, and those that are made for them later."""

    def __init__(self, first: Program, made: Made, other: Callable[..., tuple[Program, Made]]):
        self._programs: list[tuple[Program, Made]] = [(first, made)]
        self._other = other
        self._lock = threading.Lock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the first program that is made for the path which the arguments take."""
        for program, made in tuple(self._programs):
            try:
                return program(*args, **kwargs)
            except NotImplementedError as error:
                self._check_left(error, made.exits)
        program, made = self._more(args, kwargs)
        try:
            found = program(*args, **kwargs)
        except NotImplementedError as error:
            self._check_left(error, made.exits)
            raise _refusal(error) from None
        self._programs.insert(0, (program, made))
        return found

    def _more(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Program, Made]:
        with self._lock:
            if len(self._programs) >= MOST_VARIANTS:
                raise Unsupported(
                    f"the arguments take more than {MOST_VARIANTS} different sets of paths",
                    code="AG132",
                    help=_HELP,
                )
            program, made = self._other(args, kwargs)
        first = self._programs[0][1]
        if (made.layout, made.seeding, made.written) != (
            first.layout,
            first.seeding,
            first.written,
        ):
            what = "the result is of another kind on the path that these arguments take"
            raise Unsupported(what, code="AG132", help=_HELP)
        return program, made

    @staticmethod
    def _check_left(error: NotImplementedError, exits: Exits) -> None:
        """Raise what is no exit, or one behind which another program must not start."""
        if not (len(error.args) == 1 and error.args[0] in exits.messages):
            raise error
        if not exits.harmless:
            raise _refusal(error) from None


def _refusal(error: NotImplementedError) -> AdjointgenError:
    return Unsupported(
        f"the arguments take a path that the derivative is not made for: {error}",
        code="AG132",
        help=_HELP,
    )
