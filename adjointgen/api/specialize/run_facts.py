"""What one run at the arguments tells, as what a program may take to hold.

The run is made when it is first asked for (`adjointgen/observe/`), which is after a refusal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.untaken import (
    CALLS,
    COPIED,
    KIND,
    LENGTHS,
    NAMED,
    NUMBER,
    OUTCOME,
    TEXT,
    Key,
    Outcomes,
    Taken,
)

T = TypeVar("T")
Said = dict[Key, str]
"""What is taken to hold, and what the exception says in which a program ends where it does not."""


class RunFacts:
    """The kinds, texts and paths of a run, which calls the function with the arguments.

    Those in `files` are found out, which have the text that has been lowered. Where more has been
    since, there is another run.
    """

    def __init__(self, run: Callable[[], object] | None, files: Set[str]) -> None:
        self._run = run
        self._values = _Found(files, self._values_in)
        self._outcomes = _Found(files, self._outcomes_in)
        self._paths = _Found(files, self._paths_in)

    @cached_property
    def is_known(self) -> bool:
        """Whether a run may tell anything."""
        return self._run is not None and not _isolated().is_off()

    def kinds(self) -> Said:
        """The kinds of values."""
        return _said(self._values()[0])

    def texts(self) -> Said:
        """Texts, functions, classes and entries of enumerations."""
        return _said(self._values()[1])

    def numbers(self) -> Said:
        """Integers, and how many entries arrays, lists and tuples have."""
        return _said(self._values()[2])

    def outcomes(self) -> Said:
        """Which way tests go in each call and iteration."""
        return _said(import_module("adjointgen.observe.outcomes").held_tests(self.table))

    def passive_calls(self) -> Said:
        """That functions which are given no float are called as they stand."""
        return _said([Taken(*CALLS)])

    def code_around(self, error: AdjointgenError) -> Iterator[Said]:
        """The code around a refusal, to be copied, the innermost first."""
        if error.span is not None:
            enclosing = import_module("adjointgen.observe.enclosing").enclosing
            yield from map(_said, enclosing(error.span))

    def paths(self) -> Said:
        """All paths in the files that the run did not take."""
        return _said(self._paths())

    def near(self, error: AdjointgenError, among: Mapping[Key, str]) -> Iterator[Said]:
        """Sets of these paths which may be why a place is refused, the smallest first."""
        paths = [path for path in self._paths() if _key(path) in among]
        if error.span is not None:
            grounds = import_module("adjointgen.observe.unreached").grounds
            yield from map(_said, grounds(paths, error.span))

    @property
    def table(self) -> Outcomes:
        """Where each test was asked, and which way it went."""
        return self._outcomes()

    def _values_in(self, files: Set[str]) -> tuple[list[Any], list[Any], list[Any]]:
        kinds = import_module("adjointgen.observe.kinds")
        found: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        for value in kinds.values(_isolated().observed_kinds(self._run, files)):
            found[1 if kinds.is_text(value) else 2 if kinds.is_number(value) else 0].append(value)
        return found

    def _outcomes_in(self, files: Set[str]) -> Outcomes:
        found: Outcomes = _isolated().observed_outcomes(self._run, files)
        return found

    def _paths_in(self, files: Set[str]) -> tuple[Any, ...]:
        notes = _isolated().observed(self._run, files)
        unreached = import_module("adjointgen.observe.unreached")
        return () if notes is None else unreached.paths_not_taken(notes)


class _Found(Generic[T]):
    """What runs have told of some files, to which more may be added."""

    def __init__(self, files: Set[str], look: Callable[[Set[str]], T]) -> None:
        self._files, self._look = files, look
        self._seen: Set[str] = frozenset()
        self._told: T | None = None

    def __call__(self) -> T:
        files = {os.path.abspath(file) for file in self._files}
        if self._told is None or not files <= self._seen:
            self._told, self._seen = self._look(files), files
        return self._told


def lies_in(error: AdjointgenError, key: Key) -> bool:
    """Whether a refusal lies in code; one without a place may lie anywhere."""
    lies_in_span = import_module("adjointgen.observe.enclosing").lies_in_span
    return error.span is None or lies_in_span(error.span, key)


def is_kind(key: Key) -> bool:
    """Whether it is taken to hold of which kind a value is."""
    return key[2].startswith(KIND)


def is_fixed(key: Key) -> bool:
    """Whether one text, integer, function, class or entry is taken to hold."""
    return key[2].startswith((KIND + TEXT, KIND + NUMBER, KIND + NAMED))


def is_number(key: Key) -> bool:
    """Whether an integer, or how many entries something has, is taken to hold."""
    return key[2].startswith((KIND + NUMBER, KIND + LENGTHS))


def is_outcome(key: Key) -> bool:
    """Whether a test is taken to go as in one run."""
    return key[2] == OUTCOME


def is_path(key: Key) -> bool:
    """Whether a path is taken not to be taken."""
    return not is_kind(key) and key != CALLS and key[2] not in (COPIED, OUTCOME)


def _isolated() -> Any:
    return import_module("adjointgen.observe.isolated")


def _said(paths: Iterable[Any]) -> Said:
    return {_key(path): _message(path) for path in paths}


def _key(path: Any) -> Key:
    file = os.path.abspath(path.file) if path.file else ""
    return file, path.key, path.begins


def _message(path: Any) -> str:
    """What is said, as a literal's text that needs no escapes."""
    text = f"{os.path.basename(path.file)}:{path.said}" if path.said else ""
    return text.replace("\\", "/").replace('"', "'")
