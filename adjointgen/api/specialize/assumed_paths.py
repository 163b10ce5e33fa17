"""Which paths a program has to be made without, where it is refused as a whole.

A refusal that may be due to a path which the arguments do not take is answered with a program that
ends where that path begins. Which paths are taken, one run at the arguments tells
(`adjointgen/observe/`); it is made only after a refusal. Paths near to the place of a refusal are
left out before others, and those are put back in the end that the program can be made with.

Source: guards and side exits of tracing compilers, Bolz and others 2009.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.untaken import Key

MOST_TRIES: Final = 12
"""How often a program is built again for a refusal."""
MOST_PATHS: Final = 24
"""How many paths a program is made without at most."""
_ABOUT_ARGUMENTS: Final = frozenset({"AG113", "AG402", "AG403", "AG404", "AG412"})


class AssumedPaths:
    """The paths that programs for some arguments are made without.

    `run` calls the function with the arguments.
    """

    def __init__(self, run: Callable[[], object] | None = None) -> None:
        self.said: dict[Key, str] = {}
        """The paths, and what the exception says in which a program ends there."""
        self._run = run
        self._paths: Any = None
        self._first: AdjointgenError | None = None
        self._asked: object = None
        self._grounds: Iterator[Any] = iter(())
        self._tries = 0
        self._settled = True

    def fixed(self) -> AssumedPaths:
        """The same paths, to which no more are added."""
        made = AssumedPaths()
        made.said |= self.said
        return made

    def branched(self) -> AssumedPaths:
        """The same paths, to which others are added for a program of another kind."""
        made = AssumedPaths(self._run)
        made.said |= self.said
        made._paths = self._paths
        return made

    def learn(self, error: AdjointgenError) -> None:
        """Leave out more paths, after a refusal; raises the first one where that is no use."""
        self._first = self._first or error
        self._tries += 1
        for paths in self._near(error):
            more = {self._key(path): self._message(path) for path in paths}
            if more.keys() - self.said.keys() and len(self.said | more) <= MOST_PATHS:
                self.said |= more
                self._settled = False
                return
        raise self._first

    def _near(self, error: AdjointgenError) -> Iterator[Any]:
        """The sets of paths that are left to try for a refusal."""
        if self._run is None or error.span is None or error.code in _ABOUT_ARGUMENTS:
            return iter(())
        asked = error.code, error.span
        if asked != self._asked:
            self._asked, self._grounds = asked, self._grounds_of(error)
        return self._grounds if self._tries <= MOST_TRIES else iter(())

    def kept(self, build: Callable[[], Any], made: Any) -> Any:
        """What was built with no more paths left out than have to be."""
        if self._settled:
            return made
        self._settled = True
        for key in tuple(self.said):
            said = self.said.pop(key)
            try:
                made = build()
            except AdjointgenError:
                self.said[key] = said
        return made

    def _grounds_of(self, error: AdjointgenError) -> Iterator[Any]:
        unreached = import_module("adjointgen.observe.unreached")
        if self._paths is None:
            assert self._run is not None
            notes = import_module("adjointgen.observe.isolated").observed(self._run)
            self._paths = () if notes is None else unreached.paths_not_taken(notes)
        found: Iterator[Any] = unreached.grounds(self._paths, error.span)
        return found

    @staticmethod
    def _key(path: Any) -> Key:
        return (os.path.abspath(path.file), path.key, path.begins)

    @staticmethod
    def _message(path: Any) -> str:
        """What is said, as a literal's text that needs no escapes."""
        text = f"{os.path.basename(path.file)}:{path.said}"
        return text.replace("\\", "/").replace('"', "'")
