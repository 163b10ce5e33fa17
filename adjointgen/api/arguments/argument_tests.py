"""Whether arguments have the guards that others had, as code that is made for these.

A guard is computed of any argument; the code asks for one guard only, and stops at the first thing
that differs. Where it says no, guards are compared, so it may say no to what has the same guard.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.api.arguments.pack_structures import has_classes
from adjointgen.api.arguments.structure_layout import Layout
from adjointgen.records import dataclass, field

NUMBERS = frozenset({float, int, complex, np.float64})
MOST = 8
"""Entries of a structure that are asked one by one."""


@dataclass(slots=True)
class Asked:
    """The tests of arguments, and what they compare with by name."""

    tests: list[str] = field(default_factory=list)
    held: dict[str, Any] = field(default_factory=dict)

    def name(self, value: Any) -> str:
        """The name of a value in the tests."""
        name = f"a{len(self.held)}"
        self.held[name] = value
        return name

    def add(self, place: str, value: Any) -> bool:
        """Tests that an argument has the guard of a value; whether there are such tests."""
        kind = type(value)
        if kind in NUMBERS:
            self.tests.append(f"type({place}) is {self.name(kind)}")
        elif kind is np.ndarray:
            self._add_array(place, value)
        elif value is None or kind is bool:
            self.tests.append(f"{place} is {value!r}")
        elif kind is str:
            self.tests.append(f"type({place}) is str and {place} == {self.name(value)}")
        elif kind is list and len(value) > 1 and {*map(type, value)} == {float}:
            self.tests += [
                f"type({place}) is list",
                f"len({place}) > 1",
                f"{{*map(type, {place})}} == {self.name({float})}",
            ]
        else:
            return kind in (dict, tuple) and len(value) <= MOST and self._add_entries(place, value)
        return True

    def _add_array(self, place: str, value: Any) -> None:
        ones = [k for k, n in enumerate(value.shape) if n == 1]
        shape = f"n{len(self.held)}"
        self.tests += [
            f"type({place}) is {self.name(np.ndarray)}",
            f"{place}.dtype is {self.name(value.dtype)}",
            f"len({shape} := {place}.shape) == {value.ndim}",
        ]
        if not ones:
            self.tests.append(f"1 not in {shape}")
        else:
            are = ("==" if k in ones else "!=" for k in range(value.ndim))
            self.tests += [f"{shape}[{k}] {sign} 1" for k, sign in enumerate(are)]

    def _add_entries(self, place: str, value: Any) -> bool:
        self.tests.append(
            f"type({place}) is {type(value).__name__} and len({place}) == {len(value)}"
        )
        if type(value) is tuple:
            entries = ((f"{place}[{k}]", entry) for k, entry in enumerate(value))
            return all(self._add_entry(inner, entry) for inner, entry in entries)
        if any(type(key) is not str for key in value):
            return False
        keys = f"n{len(self.held)}"
        self.tests.append(f"({keys} := [*{place}]) is not None")
        for k, (key, entry) in enumerate(value.items()):
            name = self.name(key)
            self.tests.append(f"{keys}[{k}] is {name}")
            if not self.add(f"{place}[{name}]", entry):
                return False
        return True

    def _add_entry(self, place: str, entry: Any) -> bool:
        """Of a tuple, in which integers are folded."""
        if type(entry) is not int:
            return self.add(place, entry)
        self.tests.append(f"type({place}) is int and {place} == {self.name(entry)}")
        return True


def asked_of(values: tuple[Any, ...]) -> Asked | None:
    """Tests of the arguments `args`; None where one of them has no such test."""
    made = Asked()
    made.tests.append(f"len(args) == {len(values)}")
    return made if all(made.add(f"args[{k}]", v) for k, v in enumerate(values)) else None


def guards_suffice(layout: Layout | None) -> bool:
    """Whether a program fits all arguments of its guards, and returns what a call does."""
    if layout is None:
        return True
    return not (
        layout.opened or layout.bare or len(layout.shared) > 1 or has_classes(layout.results)
    )
