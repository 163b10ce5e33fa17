"""Arrays that may be numbers: `total = 0.0` before a loop that adds rows to it.

Where a literal meets an array the value has the type of the array, and the literal stands for one
that broadcasting makes of it. It is not one: `total * x` has the shape of `x` alone where `total`
is still a number. So what is computed from a *loose* value is typed for both cases. Where these
agree (`total + row`) nothing is loose about the result; where they do not its shape is not known,
and the derivative asks for it when it runs.

A loose value keeps the type of the array where that does no harm: it is a literal, so it has no
derivative where it is a number, and what the reverse sweep makes of it is dropped with it. Harm is
done where another derivative depends on it, as that of `x` in `total * x`: then its shape is not
known either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NoReturn

from adjointgen.errors import AdjointgenError
from adjointgen.ir.edit import flags_of, with_values
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Const,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    walk,
)
from adjointgen.ir.types import Type
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.table import Row

ARRAYS_ONLY: Final = frozenset({"load", "store", "accumulate", "dim", "matmul"})
"""Operations that Python's numbers do not have; nor have they the methods of arrays."""

FEW: Final = 3
"""So many loose operands are looked at in every combination, more only together."""


@dataclass(frozen=True, slots=True)
class Loose:
    """The array that a loose value may be, and whether it may vary where it is a number."""

    array: Type
    varied: bool


Known = Mapping[str, Loose]
"""The loose values by name."""


def is_number(operand: Operand) -> bool:
    return isinstance(operand, Const) and isinstance(operand.value, int | float | complex)


def varied(loose: Known, operand: Operand) -> bool | None:
    """Whether the number that may stand for an array varies; None where there is no number."""
    if isinstance(operand, Value):
        return loose[operand.name].varied if operand.name in loose else None
    return False if is_number(operand) else None


def is_loose(loose: Known, operand: Operand) -> bool:
    return operand.type.is_array and varied(loose, operand) is not None


def meeting(type: Type, *parts: bool | None) -> Loose | None:
    """Whether what holds these is loose."""
    if not type.is_array or all(part is None for part in parts):
        return None
    return Loose(type, any(parts))


def typed(
    row: Row,
    args: Sequence[Operand],
    options: Mapping[str, Any],
    loose: Known,
    unclear: Callable[[Value], NoReturn],
) -> Iterator[tuple[Type, Loose | None]]:
    """The types of an operation's results, and which of them are loose.

    `unclear` refuses an operation that is not done entry by entry and differs in shape: its rule
    has to know which of the two it is.
    """
    method = str(options.get("spelling", "")).startswith(".")
    options = {k: v for k, v in (row.defaults | dict(options)).items() if k != "spelling"}
    types = row.infer(tuple(a.type for a in args), options)
    names = sorted({a.name for a in args if isinstance(a, Value) and a.name in loose})
    if not names or row.name in ARRAYS_ONLY or method:
        yield from ((t, None) for t in types)
        return
    cases = list(_cases(row, args, options, {n: loose[n] for n in names}))
    varies = any(varied(loose, a) or _varies(a, loose) for a in args)
    for k, type in enumerate(types):
        found = [case[k] for case in cases]
        arrays = [t for t in found if not t.is_scalar]
        if len({(t.kind, t.shape) for t in found}) == 1:
            yield found[0], None
        elif len(names) > FEW or len({t.shape for t in arrays}) > 1:
            if row.kind != "elementwise" and type.is_differentiable:
                unclear(next(a for a in args if isinstance(a, Value) and a.name in loose))
            yield type.with_shape(None), None
        else:
            yield arrays[0], Loose(arrays[0], varies)


def _cases(
    row: Row, args: Sequence[Operand], options: Mapping[str, Any], loose: Known
) -> Iterator[tuple[Type, ...]]:
    """The types of the results for every choice of array or number; what would raise is none."""
    choices: Iterable[tuple[bool, ...]] = product((True, False), repeat=len(loose))
    if len(loose) > FEW:
        choices = ((True,) * len(loose), (False,) * len(loose))
    for chosen in choices:
        arrays = dict(zip(loose, chosen, strict=True))
        try:
            yield row.infer(tuple(_one_case(a, arrays, loose) for a in args), options)
        except (AdjointgenError, ArithmeticError, LookupError, TypeError, ValueError):
            if all(chosen):
                raise


def _one_case(operand: Operand, arrays: Mapping[str, bool], loose: Known) -> Type:
    if not isinstance(operand, Value) or operand.name not in arrays:
        return operand.type
    if arrays[operand.name]:
        return loose[operand.name].array
    return replace(operand.type, shape=(), kind="scalar", value=None)


def _varies(operand: Operand, loose: Known) -> bool:
    """Whether an operand that is not loose may vary with an argument."""
    known = isinstance(operand, Const) or operand.name in loose
    return not known and operand.type.is_differentiable


def carried(
    loose: dict[str, Loose],
    params: Iterable[Value],
    yields: Iterable[Operand],
    results: Iterable[Value],
    runs: bool,
) -> None:
    """Note which results of a loop are loose: still the number that entered, unless the loop
    certainly `runs`, or one that the last iteration hands on."""
    for param, last, result in zip(params, yields, results, strict=True):
        entered = None if runs else varied(loose, param)
        if (found := meeting(result.type, entered, varied(loose, last))) is not None:
            loose[result.name] = found


def settled(body: Block, loose: Known) -> Block:
    """The block in which no loose value claims the shape of the array where that may do harm."""
    found = {name for name, known in loose.items() if known.varied or _is_asked(known.array)}
    stmts = list(walk(body))
    for stmt in stmts:
        if isinstance(stmt, Apply):
            args = (a for a in stmt.args if isinstance(a, Value) and a.name in loose)
            found.update(a.name for a in args if not _is_harmless(stmt, loose))
    edges = [(s.name, v.name) for stmt in stmts for v, s in meetings(stmt) if s.name in loose]
    while more := {v for s, v in edges if s in found} - found:
        found |= more

    def settle(value: Value) -> Value:
        free = value.name in found
        return replace(value, type=value.type.with_shape(None)) if free else value

    return with_values(body, settle) if found else body


def _is_asked(array: Type) -> bool:
    """Whether a length of an array is asked for when the program runs, which a number has not."""
    return None in (array.shape or ())


def _is_harmless(stmt: Apply, loose: Known) -> bool:
    """Whether an operation gives the same derivatives whether an operand is a number or not.

    It does where the result is a literal too in that case, and where the partial derivatives with
    respect to the other operands do not depend on that one.
    """
    results = [loose.get(r.name) for r in stmt.results]
    if all(known is not None and not known.varied for known in results):
        return True
    return stmt.op in ARRAYS_ONLY or stmt.op in ("add", "sub", "sum", "copy") or _is_method(stmt)


def _is_method(stmt: Apply) -> bool:
    return str(stmt.option("spelling") or "").startswith(".")


def meetings(stmt: Stmt) -> Iterator[tuple[Value, Value]]:
    """What a loop carries and a branch gives, each with the values that it may be."""
    columns: list[tuple[Value, Operand]] = []
    match stmt:
        case Loop() | While():
            ends = stmt.body.yields[flags_of(stmt) :]
            for own in (stmt.body.params, stmt.results):
                columns += [*zip(own, stmt.inits, strict=True), *zip(own, ends, strict=True)]
        case Branch():
            for arm in (stmt.then, stmt.orelse):
                columns += zip(stmt.results, arm.yields, strict=True)
    yield from ((value, source) for value, source in columns if isinstance(source, Value))
