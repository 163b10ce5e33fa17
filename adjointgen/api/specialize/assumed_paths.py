"""What a program has to take to hold, where it is refused without: paths that are not taken, kinds
of values, and which code may run as it stands.

A refusal that may be due to a path which the arguments do not take is answered with a program that
ends where that path begins. Which paths are taken, one run at the arguments tells; it is made only
after a refusal. What is tried, and in which order, is said in `assumption_search.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from adjointgen.api.specialize.assumption_search import AssumptionSearch, Search
from adjointgen.api.specialize.fewer_assumptions import fewest
from adjointgen.api.specialize.run_facts import RunFacts, Said, is_outcome, is_path
from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.untaken import Assumed

MOST_WORK: Final = 40_000
"""How many expressions are lowered in the programs of a search: of large ones, fewer are built."""
MOST_PATHS: Final = 24
"""How many paths a program is made without at most."""


class AssumedPaths:
    """The paths that programs for some arguments are made without.

    `run` calls the function with the arguments.
    """

    def __init__(self, run: Callable[[], object] | None = None) -> None:
        self.said = Assumed()
        """The paths, and what the exception says in which a program ends there."""
        self._facts = RunFacts(run, self.said.lowered.files)
        self._search: Search | None = None
        self._first: AdjointgenError | None = None
        self._settled, self._most = True, MOST_WORK
        self._branched = set[bool]()

    def fixed(self) -> AssumedPaths:
        """The same paths, to which no more are added."""
        made = AssumedPaths()
        made.said |= self.said
        made.said.outcomes = self.said.outcomes
        made.said.lowered.files = self.said.lowered.files
        return made

    def branched(self) -> AssumedPaths:
        """The same paths, to which others are added for a program of another kind.

        None are added more than twice: before any path is left out, and after.
        """
        made = self.fixed()
        state = any(map(is_path, self.said))
        if state not in self._branched:
            made._facts, made._most = self._facts, self._most // 2
        self._branched.add(state)
        return made

    def learn(self, error: AdjointgenError) -> None:
        """Take more to hold, after a refusal; raises the first one where that is no use."""
        self._first = self._first or error
        if not self._facts.is_known:
            raise self._first
        try:
            if self._search is None:
                search = AssumptionSearch(self._facts, self._is_enough)
                self._search = search.answers(error, self.said)
                found = next(self._search)
            else:
                found = self._search.send(error)
        except StopIteration:
            raise self._first from None
        self._take(found)
        self._settled = False

    def kept(self, build: Callable[[], Any], made: Any) -> Any:
        """What was built with no more taken to hold than has to be."""
        if self._settled:
            return made
        self._settled, self._search = True, None

        def again(said: Said) -> Any:
            self._take(said)
            return build()

        said, made = fewest(self._facts, again, dict(self.said), made)
        self._take(said)
        if sum(map(is_path, said)) > MOST_PATHS:
            assert self._first is not None
            raise self._first
        return made

    def _is_enough(self) -> bool:
        return self.said.lowered.expressions > self._most

    def _take(self, said: Said) -> None:
        self.said.clear()
        self.said |= said
        self.said.outcomes = self._facts.table if any(map(is_outcome, said)) else {}
