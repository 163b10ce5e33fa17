"""Calls that take a path which the program for such arguments is not made for.

The program raises NotImplementedError where the path begins. If nothing has been changed until
then, a program is made that has been observed with the arguments of this call, and runs instead.
"""

from __future__ import annotations

import threading
from typing import Any, Final

from adjointgen.api.specialize.exits import Exits
from adjointgen.api.specialize.load_program import Made
from adjointgen.errors import AdjointgenError, Unsupported

MOST_VARIANTS: Final = 8
"""Programs for different paths of calls with arguments of one kind."""
_HELP = "differentiate what the paths have in common, or give the function a rule with @custom"


class Variants:
    """A program that is not made for some paths, and those that are made for them later."""

    def __init__(self, first: Any, generated: Any) -> None:
        self._first = first
        self._others: tuple[Any, ...] = ()
        self._generated = generated
        self._lock = threading.Lock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the first program that is made for the path which the arguments take."""
        try:
            return self._first.run(*args, **kwargs)
        except NotImplementedError as error:
            _check_left(error, self._first.made.exits)
        seeds = self._first.made.seeds
        named = {name: value for name, value in kwargs.items() if name not in seeds}
        values = self._generated.binder.values(args, named)
        for special in self._others:
            if special.stands(values):
                try:
                    return special.run(*args, **kwargs)
                except NotImplementedError as error:
                    _check_left(error, special.made.exits)
        return self._made_anew(values, args, kwargs)

    def _made_anew(
        self, values: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """The result of a program that is made for the path of these arguments, and kept."""
        with self._lock:
            standing = tuple(special for special in self._others if special.current())
            if len(standing) >= MOST_VARIANTS:
                what = f"the arguments take more than {MOST_VARIANTS} different sets of paths"
                raise Unsupported(what, code="AG132", help=_HELP)
            special = self._generated.other(values)
            if _shape(special.made) != _shape(self._first.made):
                what = "the result is of another kind on the path that these arguments take"
                raise Unsupported(what, code="AG132", help=_HELP)
        try:
            found = special.run(*args, **kwargs)
        except NotImplementedError as error:
            _check_left(error, special.made.exits)
            raise _refusal(error) from None
        self._others = (special, *standing)
        return found


def _shape(made: Made) -> tuple[object, ...]:
    """What a call asks of a program: where structures are, its seeds, what it writes to."""
    return made.layout, made.seeding, made.written


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
