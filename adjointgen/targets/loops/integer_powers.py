"""Integer powers for compilers: an integer to a negative power is a fraction in Python.

    p = 2**k                                    p = 2.0**k
    y = x * p                           ->      y = x * p

Numba's power of two integers is an integer, and 0 for a negative exponent. Where the power, and
what is computed of it, goes on as a float, it is one from the start. Where an integer is needed of
it, as an index or a length, and where NumPy's integers are raised, for which NumPy raises, the
program asks whether the exponent is negative. This comes before anything is differentiated or
recorded. Exponents that certainly are not, as in `x**2` and
for the index of `range(n)`, are left alone.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial
from typing import Final

from adjointgen.errors import AdjointgenError
from adjointgen.ir.edit import merged, name_of, rebuild, with_values
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Operand,
    Stmt,
    Value,
    walk,
)
from adjointgen.ir.types import INTEGER, REAL
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.rules.framework.table import TABLE
from adjointgen.targets.loops.build.nonnegative import counting
from adjointgen.targets.loops.build.op_classes import is_count

PYTHON: Final = 'raise ValueError("an integer to a negative power is a fraction")'
NUMPY: Final = 'raise ValueError("Integers to negative integer powers are not allowed.")'


def as_in_python(function: Function) -> Function:
    """The function without powers of integers that may be fractions."""
    counts = counting(function)
    asked = [s for s in walk(function.body) if isinstance(s, Apply) and _may_be_fraction(s, counts)]
    if not asked:
        return function
    uses = _Uses()
    uses.read(function.body)
    fractions: dict[str, Value] = {}
    checked: dict[str, str] = {}
    for stmt in asked:
        found = None if uses.is_of_numpy(stmt) else uses.after(stmt.result)
        if found is None:
            checked[stmt.result.name] = NUMPY if uses.is_of_numpy(stmt) else PYTHON
        else:
            fractions |= found
    body = with_values(function.body, lambda v: fractions.get(v.name, v))
    builder = Builder(Names.of(function))
    return replace(function, body=_changed(builder, checked, fractions, body))


def _may_be_fraction(stmt: Apply, counts: Container[str]) -> bool:
    at = TABLE.get(stmt.op).inverts
    if at is None or any(a.type.dtype not in INTEGER for a in stmt.args):
        return False
    return not is_count(stmt.args[at], counts)


@dataclass(slots=True)
class _Uses:
    """What reads the values of a function, and which of them are entries of arrays.

    `chosen` has what branches give by what their arms yield; `elsewhere` are the values that
    anything else reads: a loop, a call, a tape or the result of the function.
    """

    made: dict[str, Apply] = field(default_factory=dict)
    reads: dict[str, list[Apply]] = field(default_factory=dict)
    chosen: dict[str, list[Value]] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)

    def read(self, block: Block) -> Block:
        self._statements(block)
        for end in block.yields:
            self._note(end)
        return block

    def _statements(self, block: Block) -> Block:
        for stmt in block.stmts:
            if isinstance(stmt, Apply):
                self.made |= {r.name: stmt for r in stmt.results}
                for a in _values(stmt):
                    self.reads.setdefault(a.name, []).append(stmt)
            elif isinstance(stmt, Branch):
                rebuild(stmt, self._note, self._statements)
                for result, end in merged(stmt):
                    self.chosen.setdefault(name_of(end), []).append(result)
            else:
                rebuild(stmt, self._note, self.read)
        return block

    def _note(self, operand: Operand) -> Operand:
        if isinstance(operand, Value):
            self.elsewhere.add(operand.name)
        return operand

    def is_of_numpy(self, power: Apply) -> bool:
        """Whether an operand is an array of integers, or an entry of one."""
        makers = [self.made.get(a.name) for a in _values(power)]
        entries = any(m is not None and TABLE.get(m.op).loop == "part" for m in makers)
        return entries or any(a.type.rank != 0 for a in power.args)

    def after(self, power: Value) -> dict[str, Value] | None:
        """The integers that are floats if the power is one; None where something needs integers."""
        found, todo = {power.name: _as_float(power)}, [power]
        if power.type.dtype not in INTEGER:
            return found
        while todo:
            value = todo.pop()
            if value.name in self.elsewhere:
                return None
            after = list(self.chosen.get(value.name, ()))
            for stmt in self.reads.get(value.name, ()):
                kind = _kind(stmt, value)
                if kind == "refused":
                    return None
                after += [stmt.result] if kind == "fraction" else []
            after = [v for v in after if v.name not in found]
            found |= {v.name: _as_float(v) for v in after}
            todo += after
        return found


def _values(stmt: Apply) -> Sequence[Value]:
    return [a for a in stmt.args if isinstance(a, Value)]


def _kind(stmt: Apply, power: Value) -> str:
    """What a statement makes of a number that may be a fraction."""
    if stmt.op in STORES:
        written = power not in (stmt.args[0], *stmt.args[2:])
        return "float" if written and stmt.result.type.dtype in REAL else "refused"
    row = TABLE.get(stmt.op)
    if row.loop != "entries" or len(stmt.results) != 1:
        return "refused"
    if stmt.result.type.dtype not in INTEGER or stmt.result.type.dtype == "bool":
        return "float"
    types = tuple(_as_float(a).type if a == power else a.type for a in stmt.args)
    try:
        (made,) = row.infer(types, stmt.settings)
    except (AdjointgenError, TypeError, ValueError):
        return "refused"
    if made.dtype == stmt.result.type.dtype:
        return "float"
    return "fraction" if made.dtype == "float64" and stmt.result.type.is_scalar else "refused"


def _as_float(value: Operand) -> Value:
    assert isinstance(value, Value)
    return replace(value, type=replace(value.type, dtype="float64", value=None))


def _changed(
    builder: Builder, checked: dict[str, str], fractions: dict[str, Value], block: Block
) -> Block:
    """The block with floats to a power, and with questions before the powers of integers."""
    inner = partial(_changed, builder, checked, fractions)

    def arm(results: Sequence[Value], block: Block) -> Block:
        changed = inner(block)
        with builder.block() as more:
            pairs = zip(results, changed.yields, strict=True)
            ends = tuple(_float(builder, e) if r.name in fractions else e for r, e in pairs)
        return replace(changed, stmts=(*changed.stmts, *more), yields=ends)

    with builder.block() as made:
        for stmt in block.stmts:
            builder.span = stmt.span
            if not isinstance(stmt, Apply):
                nested = partial(arm, stmt.results) if isinstance(stmt, Branch) else inner
                builder.add(rebuild(stmt, lambda operand: operand, nested))
                continue
            at = TABLE.get(stmt.op).inverts
            if at is not None and stmt.result.name in checked:
                _asked(builder, stmt, stmt.args[at], checked[stmt.result.name])
            elif at is not None and stmt.result.name in fractions:
                parts = (a if k == at else _float(builder, a) for k, a in enumerate(stmt.args))
                stmt = replace(stmt, args=tuple(parts))
            builder.add(stmt)
    return replace(block, stmts=tuple(made))


def _float(builder: Builder, base: Operand) -> Operand:
    if base.type.dtype not in INTEGER:
        return base
    if isinstance(base, Const):
        return const(float(str(base.value)))
    return builder.apply("number", base)


def _asked(builder: Builder, stmt: Apply, exponent: Operand, code: str) -> None:
    test = builder.apply("lt", exponent, const(0))
    if not test.type.is_scalar:
        test = builder.apply("any", test)
    fails: tuple[Stmt, ...] = (Apply((), "statement", (), (("code", code),), stmt.span),)
    empty = Block((), (), ())
    builder.add(Branch((), test, replace(empty, stmts=fails), empty, span=stmt.span))
