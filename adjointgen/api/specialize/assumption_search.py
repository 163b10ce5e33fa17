"""The search for what a program has to take to hold, where it is refused without.

A refusal is answered in this order, and the next one, at another place, in the same way:

1. kinds of values, as a run at the arguments has shown them
2. functions that are given nothing differentiated are called as they stand
3. texts, functions, classes and entries of enumerations
4. the code around the place is copied, the innermost first
5. all paths that the run did not take
6. integers and lengths, for which loops may be written out
7. the same, and each test goes as it went in that call and iteration

An answer that leaves the refusal where it was is no use. One that leads to a refusal which has no
answer itself is taken back. How many of the paths are needed is found out afterwards
(`fewer_assumptions.py`).

Source: depth-first search with backtracking; guards and side exits of tracing compilers, Bolz and
others 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import islice
from typing import Final

from adjointgen.api.specialize.run_facts import RunFacts, Said, is_fixed, lies_in
from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.untaken import CALLS, COPIED, Key

MOST_TRIES: Final = 20
"""How often a program is built again for its refusals."""
MOST_COPIED: Final = 4
"""How much of the code around a refusal is tried as it stands."""
AFTER_COPY: Final = 6
"""How often a program is built again for the refusals that code which stands as it is leads to."""
_ABOUT_ARGUMENTS: Final = frozenset({"AG113", "AG402", "AG403", "AG404", "AG412"})
"""Refusals to which there is no answer."""

Search = Generator[Said, AdjointgenError, None]
"""Yields what to build a program with, and is sent the refusal of that program."""


class AssumptionSearch:
    """The answers to the refusals of one function, until `is_enough`."""

    def __init__(self, facts: RunFacts, is_enough: Callable[[], bool] = lambda: False) -> None:
        self._facts, self._is_enough = facts, is_enough
        self._never: set[Key] = set()
        self._left = MOST_TRIES

    def answers(self, error: AdjointgenError, said: Mapping[Key, str]) -> Search:
        """What to try for a first refusal, until nothing is left to try."""
        if error.code in _ABOUT_ARGUMENTS:
            return
        known = {**said, **self._facts.kinds()}
        yield from self._answers((yield from self._tried(known)), known)

    def _answers(self, error: AdjointgenError, said: Said) -> Search:
        for more in self._at(error):
            if self._left <= 0 or self._is_enough() or more.keys() <= said.keys():
                continue
            found = yield from self._tried(said | more)
            copied = [key for key in more if key[2] == COPIED or key == CALLS]
            if _place(found) == _place(error) or any(_is_of_copy(found, key) for key in copied):
                continue
            rest = max(self._left - AFTER_COPY, 0) if copied else 0
            self._left -= rest
            yield from self._answers(found, said | more)
            self._left += rest

    def _at(self, error: AdjointgenError) -> Iterator[Said]:
        """What may be the answer to a refusal at a place."""
        if error.code not in _ABOUT_ARGUMENTS:
            yield self._facts.kinds()
            yield self._facts.passive_calls()
            yield self._facts.texts()
            yield from islice(self._facts.code_around(error), MOST_COPIED)
            yield self._facts.paths()
            yield self._facts.numbers()
            yield self._facts.numbers() | self._facts.paths() | self._facts.outcomes()

    def _tried(self, said: Said) -> Generator[Said, AdjointgenError, AdjointgenError]:
        """The refusal of a program with these, without what depends on what is differentiated."""
        while True:
            self._left -= 1
            error = yield {key: text for key, text in said.items() if key not in self._never}
            varied = {key for key in said if is_fixed(key) and said[key] in error.message}
            if varied <= self._never:
                return error
            self._never |= varied


def _place(error: AdjointgenError) -> tuple[object, ...]:
    return error.code, error.span


def _is_of_copy(error: AdjointgenError, key: Key) -> bool:
    """Whether it is the copied code that is refused, or what goes into it or comes out of it."""
    return key != CALLS and (error.code in ("AG102", "AG201") or lies_in(error, key))
