"""Functions whose derivatives are functions: solvers in C or Fortran, code without source.

    rules.opaque("wave.step", "u, dt, n", constants="n", result="u",
                 tangent="wave.step_tangent", adjoint="wave.step_adjoint")

    y = wave.step(u, dt, n)    ->    y_dot = wave.step_tangent(y, u, dt, n, u_dot, dt_dot)
                               ->    u_bar, dt_bar = wave.step_adjoint(y, u, dt, n, y_bar)

The call is a statement: it runs once for each call of the user's, in its place, and is never
computed again for a reverse sweep. (Black boxes: Griewank and Walther 2008, section 15; external
functions of tools for Fortran and C++.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from adjointgen.errors import Misuse, NoRule
from adjointgen.ir.types import DTYPES, Type, array
from adjointgen.records import dataclass
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework import declare
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.shape_helpers import zero_like
from adjointgen.rules.framework.table import Infer, Row
from adjointgen.rules.framework.type_rules import Options, Types

KEYS: Final = frozenset({"arguments", "constants", "result", "tangent", "adjoint"})
"""What a declaration in a project file may say."""
COSTLY: Final = 1e9
"""Additions: a call is not repeated to save what it gave."""
_TYPE: Final = re.compile(r"(\w+)(?:\[([:, ]*)\])?")
assert TABLE.complete


@dataclass(frozen=True, slots=True)
class Opaque:
    """A declaration: the arguments in order, those without derivative, and the derivatives."""

    name: str
    arguments: tuple[str, ...]
    constants: tuple[str, ...]
    result: str
    tangent: str
    adjoint: str

    @property
    def active(self) -> tuple[int, ...]:
        """The places of the arguments that have a derivative."""
        return tuple(k for k, a in enumerate(self.arguments) if a not in self.constants)

    def type(self, types: Types, options: Options) -> Types:
        """The type of the result."""
        if self.result in self.arguments:
            return (types[self.arguments.index(self.result)],)
        return (_declared(self.result),)

    def pushed(
        self, b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Options
    ) -> Any:
        """The call of the tangent; an argument that does not vary has a zero."""
        self.require("tangent", self.tangent)
        given = (dots[k] if dots[k] is not None else zero_like(args[k]) for k in self.active)
        return y.apply(self.tangent, y, *args, *given)

    def pulled(
        self, b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Options
    ) -> Sequence[Any]:
        """The call of the adjoint, and its contributions."""
        self.require("adjoint", self.adjoint)
        made = iter(y.several(self.adjoint, y, *args, y_bar))
        return [next(made) if k in self.active else None for k in range(len(args))]

    def require(self, mode: str, given: str) -> None:
        if not given:
            raise NoRule(
                f"no {mode} of {self.name} is declared",
                code="AG201",
                help=f"name the function that is its {mode}: {mode}=...",
            )


def opaque(
    name: str | Callable[..., Any],
    arguments: str,
    *,
    result: str,
    constants: str = "",
    tangent: str | Callable[..., Any] = "",
    adjoint: str | Callable[..., Any] = "",
) -> Row:
    """A function that is called as it stands, and whose derivatives are functions, too.

    `arguments` are the names of its arguments in order, `constants` those without derivative.
    `result` is the type of what it returns: the name of an argument that has the same type, or
    `float`, `float64[:]`, `float64[:, :]`. `tangent(y, a, b, a_dot, b_dot)` gives `y_dot`, and
    `adjoint(y, a, b, y_bar)` the contributions to what has a derivative, as a tuple if there are
    several; seeds of constants are left out. Functions are given by qualified names.

    The function has to leave its arguments as they are, and to return new memory. Raises Misuse
    (AG415) for a declaration that is not understood.
    """
    spelled = (_spelled(one) for one in (name, tangent, adjoint))
    names, fixed = _names(arguments), _names(constants)
    one = Opaque(next(spelled), names, fixed, result.strip(), *spelled)
    _require(one)
    _helper(one.tangent, lambda types, options: (types[0],))
    _helper(one.adjoint, lambda types, options: tuple(types[1 + k] for k in one.active))
    signature = ", ".join(names)
    given = (one.name, signature, [one.name], one.pushed, one.pulled)
    return declare.general(*given, infer=one.type, effect=True, cost=COSTLY)


def declare_opaque(tables: Mapping[str, Mapping[str, str]]) -> None:
    """The declarations of a project file, by the names of the functions.

    Raises Misuse (AG415) for one that is not understood.
    """
    for name, table in tables.items():
        unknown = sorted({*table} - KEYS)
        missing = [key for key in ("arguments", "result") if not table.get(key)]
        if unknown or missing:
            said = f"an unknown key {unknown[0]!r}" if unknown else f"no {missing[0]}"
            raise _misuse(f"the rule of {name} has {said}")
        opaque(name, **table)


def _helper(name: str, infer: Infer) -> None:
    """A row for a derivative, which has none of its own unless it is declared, too."""
    known = TABLE.find(name)
    if not name or (known is not None and known.kind != "refuse"):
        return
    because = f"declare its derivatives as well: rules.opaque({name!r}, ...)"
    signature = "*operands..."
    declare.refuse(name, signature, because=because, infer=infer, effect=True, cost=COSTLY)


def _require(one: Opaque) -> None:
    """Refuse what cannot be a declaration."""
    wrong = [n for n in (*one.arguments, *one.constants) if not n.isidentifier()]
    if wrong or not one.arguments:
        raise _misuse(f"{wrong[0] if wrong else ''!r} is no name of an argument of {one.name}")
    if other := [n for n in one.constants if n not in one.arguments]:
        raise _misuse(f"{one.name} has no argument {other[0]}")
    if not (one.tangent or one.adjoint):
        raise _misuse(f"{one.name} needs a tangent or an adjoint")
    if one.result not in one.arguments:
        _declared(one.result)


def _declared(text: str) -> Type:
    """`float`, `float32`, `float64[:, :]` as a type."""
    found = _TYPE.fullmatch(text)
    dtype = "float64" if found and found[1] == "float" else found and found[1]
    if found is None or dtype not in DTYPES:
        raise _misuse(f"{text!r} is neither an argument nor a type such as float64[:]")
    if found[2] is None:
        return Type(str(dtype))
    return array(str(dtype), *(None for _ in found[2].split(",")))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _spelled(name: str | Callable[..., Any]) -> str:
    if isinstance(name, str):
        return name.strip()
    if "<" in name.__qualname__:
        raise _misuse(f"{name.__qualname__} must be defined in a module to be called by its name")
    return f"{name.__module__}.{name.__qualname__}"


def _misuse(what: str) -> Misuse:
    return Misuse(what, code="AG415", help="docs/rules.md shows rules of one's own")
