"""Both modes of adjointgen on one case, against differences of the function as it stands.

    right      both programs give the value, and the derivatives that differences give
    refused    an error with a code
    wrong      a program runs and gives another number
    crashed    an internal error, an error of the program, a process that ends, no end in time
    undecided  differences do not settle, or nothing depends on what is varied

The tangent is compared entry by entry of the varied arguments, the adjoint for a random weight of
the results, and its value on the way.
"""

from __future__ import annotations

import inspect
import math
import random
import re
import sys
import traceback
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any, Final

import numpy as np

from adjointgen import adjoint, tangent
from adjointgen.errors import AdjointgenError
from tests.sweep.case import Case, bound, resolve
from tests.sweep.numbers import (
    NoNumber,
    Slope,
    Undecided,
    Vector,
    decided,
    filled,
    flat,
    leaves,
    matched,
    scale_of,
    shapes,
    slope,
)
from tests.time_limits import Late

MOST: Final = 12
CLOSE: Final = 2e-6
# What is computed of it on the way may be too small for a float.
TINY: Final = 1e-150


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case; `cause` is the message without what differs from case to case."""

    status: str
    code: str = ""
    cause: str = ""
    text: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


class Primal:
    """The function of a case as a map between vectors."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.function = resolve(case.function)
        args, named = self.fresh()
        self.names = case.wrt
        parameters = inspect.signature(self.function).parameters
        self.order = list(parameters)
        self.star = next((n for n, p in parameters.items() if p.kind is p.VAR_POSITIONAL), "")
        self.x = flat([self.given(args, named, n) for n in self.names])
        self.result = self.function(*args, **named)
        self.y = flat(self.result)
        if not self.y.size or not np.all(np.isfinite(self.y)):
            raise Undecided("no finite result")
        again, renamed = self.fresh()
        if not np.array_equal(flat(self.function(*again, **renamed)), self.y):
            raise Undecided("another result at the second call")

    def fresh(self) -> tuple[list[Any], dict[str, Any]]:
        return bound(self.function, self.case.args)

    def given(self, args: list[Any], named: dict[str, Any], name: str) -> Any:
        """An argument; all those that `*args` collects are one."""
        if name in named:
            return named[name]
        position = self.order.index(name)
        return tuple(args[position:]) if name == self.star else args[position]

    def at(self, x: Vector) -> Vector:
        """The result at other numbers; NaN where the function refuses them."""
        args, named = self.fresh()
        numbers = iter(x.tolist())
        for name in self.names:
            value = filled(self.given(args, named, name), numbers)
            if name in named:
                named[name] = value
            elif name == self.star:
                args[self.order.index(name) :] = value
            else:
                args[self.order.index(name)] = value
        try:
            with np.errstate(all="ignore"):
                y = flat(self.function(*args, **named))
        except (ArithmeticError, ValueError, NoNumber, IndexError, AssertionError):
            return np.full(self.y.shape, np.nan)
        return y if y.shape == self.y.shape else np.full(self.y.shape, np.nan)

    def entries(self) -> list[int]:
        """The entries that are compared: all, or some of many."""
        every = list(range(self.x.size))
        return every if len(every) <= MOST else sorted(random.Random(0).sample(every, MOST))

    def column(self, entry: int) -> Slope:
        unit = np.zeros(self.x.size)
        unit[entry] = 1.0
        return slope(lambda t: self.at(self.x + t * unit), scale_of(float(self.x[entry])))


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Columns of the Jacobian by differences, and which of their components are known."""

    columns: dict[int, Slope]
    known: dict[int, np.ndarray[Any, Any]]


def reference(primal: Primal) -> Reference:
    """The derivatives to compare with; Undecided where none is known, or all are zero."""
    columns = {entry: primal.column(entry) for entry in primal.entries()}
    size = np.abs(primal.y)
    known = {e: decided(c, size / scale_of(float(primal.x[e]))) for e, c in columns.items()}
    if not any(np.any(k) for k in known.values()):
        raise Undecided("differences do not settle")
    if not any(np.any(c.value[known[e]] != 0.0) for e, c in columns.items()):
        raise Undecided("nothing depends on what is varied")
    return Reference(columns, known)


class Wrong(Exception):
    """A number that differs from the reference."""


def judge(case: Case) -> Outcome:
    """The outcome of a case in both modes."""
    try:
        primal = Primal(case)
        known = reference(primal)
    except (Undecided, NoNumber) as error:
        return Outcome("undecided", cause=str(error))
    except Late:
        return Outcome("undecided", cause="the function has no end at a neighbour")
    except Exception as error:
        return Outcome("undecided", cause=f"the function raises {type(error).__name__}")
    try:
        with np.errstate(all="ignore"):
            compare_tangent(primal, known)
            compare_adjoint(primal, known)
    except AdjointgenError as error:
        return Outcome("refused", error.code, _general(error.message), str(error))
    except Wrong as error:
        if alone(primal):
            return Outcome("undecided", cause="the point has a path through the code of its own")
        return Outcome("wrong", cause=_general(str(error).partition(":")[0]), text=str(error))
    except Exception as error:
        cause = f"{type(error).__name__} in {_place()}: {_general(str(error).split(chr(10))[0])}"
        return Outcome("crashed", cause=cause, text=traceback.format_exc())
    return Outcome("right")


def alone(primal: Primal) -> bool:
    """Whether the lines that run at the point run at none of its neighbours in some direction.

    `if n == 0.0: c = 0.0` gives a derivative of its own to a single point. Programs differentiate
    the path that is taken, differences see the others.
    """
    here = _lines(primal, primal.x)
    for entry in primal.entries():
        step = np.zeros(primal.x.size)
        step[entry] = 1e-7 * scale_of(float(primal.x[entry]))
        there = [_lines(primal, primal.x + step), _lines(primal, primal.x - step)]
        if here not in there:
            return True
    return False


def _lines(primal: Primal, x: Vector) -> set[tuple[str, int]]:
    """The lines that run for these numbers."""
    seen: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> Any:
        seen.add((frame.f_code.co_filename, frame.f_lineno))
        return note

    sys.settrace(note)
    try:
        primal.at(x)
    finally:
        sys.settrace(None)
    return seen


def compare_tangent(primal: Primal, known: Reference) -> None:
    program = tangent(primal.function, tuple(primal.names))
    for entry, column in known.columns.items():
        args, named = primal.fresh()
        unit = np.zeros(primal.x.size)
        unit[entry] = 1.0
        y, y_dot = program(*args, *_dots(primal, unit), **named)
        _same_value(primal, y)
        parts = list(matched(y_dot, primal.result))
        if shapes(parts) != shapes(primal.result):
            raise Wrong(f"tangent has another shape: {shapes(parts)} for {shapes(primal.result)}")
        found = flat(parts)
        _agree("tangent", found, column, known.known[entry], primal)


def _dots(primal: Primal, dots: Vector) -> list[Any]:
    args, named = primal.fresh()
    numbers = iter(dots.tolist())
    return [filled(primal.given(args, named, name), numbers) for name in primal.names]


def compare_adjoint(primal: Primal, known: Reference) -> None:
    program = adjoint(primal.function, tuple(primal.names))
    args, named = primal.fresh()
    draw = random.Random(1)
    weight = np.array([draw.uniform(0.5, 1.5) for _ in range(primal.y.size)])
    # A component that the reference does not know must not weigh on one that it does.
    usable = np.all(list(known.known.values()), axis=0)
    weight = np.where(usable, weight, 0.0) if np.any(usable) else weight
    bars = _bars(primal, weight)
    try:
        made = program(*args, *bars, **named)
    except (TypeError, ValueError):
        made = _again(primal, program, weight, bars)
    y, found = made[0], flat(list(made[1:]))
    _same_value(primal, y)
    given = [primal.given(*primal.fresh(), name) for name in primal.names]
    if shapes(list(made[1:])) != shapes(given):
        raise Wrong(f"adjoint has another shape: {shapes(list(made[1:]))} for {shapes(given)}")
    for entry, column in known.columns.items():
        if np.all(known.known[entry][weight != 0.0]):
            used = weight != 0.0
            value = np.array([np.sum((weight * column.value)[used])])
            error = np.array([np.sum((weight * column.error)[used])])
            size = Slope(value, error)
            _agree("adjoint", found[entry : entry + 1], size, np.array([True]), primal)


def _again(primal: Primal, program: Any, weight: Vector, bars: list[Any]) -> Any:
    """A call with other seeds: an integer may be what is a float on other paths of the function."""
    args, named = primal.fresh()
    results = primal.result if isinstance(primal.result, tuple) else (primal.result,)
    numbers = iter(weight.tolist())
    every = [filled(r, numbers) if list(leaves(r)) else 0.0 for r in results]
    if len(every) == len(bars):
        return program(*args, *_spread(bars), **named)
    try:
        return program(*args, *every, **named)
    except TypeError:
        return program(*primal.fresh()[0], *_spread(bars), **named)


def _bars(primal: Primal, weight: Vector) -> list[Any]:
    """One seed for every result that has floats."""
    several = isinstance(primal.result, tuple)
    numbers = iter(weight.tolist())
    results = primal.result if several else (primal.result,)
    return [filled(r, numbers) for r in results if list(leaves(r))]


def _spread(bars: list[Any]) -> list[Any]:
    """One seed for every number or array: lists of known length are several results."""
    found: list[Any] = []
    for bar in bars:
        if isinstance(bar, list | tuple):
            found += _spread(list(bar))
        elif not isinstance(bar, int | np.integer):
            found.append(bar)
    return found


def _same_value(primal: Primal, y: Any) -> None:
    found = flat(y)
    if shapes(y) != shapes(primal.result) or not np.allclose(found, primal.y, rtol=1e-9, atol=0.0):
        raise Wrong(f"value differs: {found} for {primal.y}")


def _agree(
    mode: str, found: Vector, column: Slope, known: np.ndarray[Any, Any], primal: Primal
) -> None:
    top = float(np.max(np.abs(primal.y), initial=0.0))
    for got, want, error, use in zip(found, column.value, column.error, known, strict=True):
        room = 20.0 * error + CLOSE * abs(want) + 1e-13 * top + TINY
        if use and not (math.isfinite(got) and abs(got - want) <= room):
            raise Wrong(f"{mode} differs: {got!r} for {want!r} ± {error:.1e}")


def _general(text: str) -> str:
    """A message without the numbers and quoted names in it."""
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", text)[:160]


def _place() -> str:
    """The last frame of an error inside adjointgen, or where else it came from."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    mine = [f for f in frames if "/adjointgen/" in f.filename]
    last = frames[-1]
    if mine and mine[-1] is last:
        return f"{last.filename.rpartition('/adjointgen/')[2]}:{last.name}"
    return "the program"
