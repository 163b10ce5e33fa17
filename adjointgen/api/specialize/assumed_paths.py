"""What a program has to take to hold, where it is refused without: paths that are not taken, kinds
of values, and which code may run as it stands.

A refusal that may be due to a path which the arguments do not take is answered with a program that
ends where that path begins. Which paths are taken, one run at the arguments tells
(`adjointgen/observe/`); it is made only after a refusal. Paths near to the place of a refusal are
left out before others, and those are put back in the end that the program can be made with.

Before any path is left out, values are taken to be of the kinds that the run has shown, and code
around the refusal is copied. What a program does without is taken back in the end, too.

Source: guards and side exits of tracing compilers, Bolz and others 2009.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any, Final

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.untaken import CALLS, COPIED, KIND, NAMED, TEXT, Key, Taken
from adjointgen.ir.nodes import Apply, walk

MOST_TRIES: Final = 12
"""How often a program is built again for a refusal."""
FEW_KINDS: Final = 8
"""So many kinds are tried to do without, one by one."""
MOST_COPIED: Final = 4
"""How much of the code around a refusal is tried as it stands."""
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
        self._kinds: Any = None
        self._texts: Any = ()
        self._before: AdjointgenError | None = None
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
        made._paths, made._kinds, made._texts = self._paths, self._kinds, self._texts
        return made

    def learn(self, error: AdjointgenError) -> None:
        """Leave out more paths, after a refusal; raises the first one where that is no use."""
        self._first = self._first or error
        self._tries += 1
        if self._drop_varied(error):
            return
        error = self._given_up(error)
        for paths in self._near(error):
            more = {self._key(path): self._message(path) for path in paths}
            if more.keys() - self.said.keys() and _paths_in(self.said | more) <= MOST_PATHS:
                self.said |= more
                self._settled = False
                self._before = error if any(key[2] == COPIED for key in more) else None
                return
        raise self._first

    def _drop_varied(self, error: AdjointgenError) -> bool:
        """Take no text or name to hold of what depends on what is differentiated."""
        fixed = [key for key in self.said if _is_fixed(key) and self.said[key] in error.message]
        for key in fixed:
            del self.said[key]
        return bool(fixed)

    def _given_up(self, error: AdjointgenError) -> AdjointgenError:
        """The refusal to go on from: that before code was copied, if the copy is refused itself."""
        before, copied = self._before, [key for key in self.said if key[2] == COPIED]
        self._before = None
        if before is None or not copied:
            return error
        lies_in = import_module("adjointgen.observe.enclosing").lies_in_span
        inside = error.span is None or lies_in(error.span, copied[-1])
        if not (inside or error.code == "AG201"):
            return error
        del self.said[copied[-1]]
        return before

    def _near(self, error: AdjointgenError) -> Iterator[Any]:
        """The sets of paths that are left to try for a refusal."""
        if self._run is None or error.code in _ABOUT_ARGUMENTS:
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
        used = {
            key: said for key, said in self.said.items() if not _is_kind(key) or _says(made, said)
        }
        if len(used) < len(self.said):
            self.said.clear()
            self.said |= used
            made = build()
        many = sum(map(_is_kind, used)) > FEW_KINDS
        for key in [key for key in used if not (many and _is_kind(key))]:
            said = self.said.pop(key)
            try:
                made = build()
            except AdjointgenError:
                self.said[key] = said
        return made

    def _grounds_of(self, error: AdjointgenError) -> Iterator[Any]:
        unreached, kinds = map(
            import_module, ("adjointgen.observe.unreached", "adjointgen.observe.kinds")
        )
        isolated = import_module("adjointgen.observe.isolated")
        assert self._run is not None
        if isolated.is_off():
            return
        if self._kinds is None:
            values = kinds.values(isolated.observed_kinds(self._run))
            self._texts = tuple(filter(kinds.is_text, values))
            numbers = tuple(value for value in values if not kinds.is_text(value))
            self._kinds = (Taken(*CALLS), *numbers)
        yield self._kinds
        yield self._texts
        if error.span is None:
            return
        enclosing = import_module("adjointgen.observe.enclosing").enclosing
        yield from islice(enclosing(error.span), MOST_COPIED)
        if self._paths is None:
            notes = isolated.observed(self._run)
            self._paths = () if notes is None else unreached.paths_not_taken(notes)
        yield from unreached.grounds(self._paths, error.span)

    @staticmethod
    def _key(path: Any) -> Key:
        file = os.path.abspath(path.file) if path.file else ""
        return file, path.key, path.begins

    @staticmethod
    def _message(path: Any) -> str:
        """What is said, as a literal's text that needs no escapes."""
        text = f"{os.path.basename(path.file)}:{path.said}" if path.said else ""
        return text.replace("\\", "/").replace('"', "'")


def _is_kind(key: Key) -> bool:
    return key[2].startswith(KIND)


def _is_fixed(key: Key) -> bool:
    """Whether one text, function, class or entry is taken to hold."""
    return key[2].startswith((KIND + TEXT, KIND + NAMED))


def _paths_in(said: Mapping[Key, str]) -> int:
    return sum(not _is_kind(key) and key != CALLS and key[2] != COPIED for key in said)


def _says(made: Any, said: str) -> bool:
    """Whether programs end somewhere with these words."""
    primal = made.built.primal
    statements = (stmt for f in (primal, *primal.callees) for stmt in walk(f.body))
    return any(said in str(stmt.option("code")) for stmt in statements if isinstance(stmt, Apply))
