"""What a type checker takes the numbers of a function for, by NumPy's stubs.

PLAIN    `float`: literals, parameters, `math`
NARROW   `np.float64`: most reductions; a float is no `np.float64`
OPEN     `Any`: entries of arrays, ufuncs
FOREIGN  `np.floating[Any]`, or an array for `x @ y`: no float
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import Enum, auto
from types import MappingProxyType

from adjointgen.emit.decide.expression_folding import Folds
from adjointgen.emit.decide.name_assignment import Names
from adjointgen.emit.decide.row_spelling import spelling
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    walk,
)
from adjointgen.rules.framework.table import TABLE, Row


class Kind(Enum):
    """What a checker takes a value for."""

    PLAIN = auto()
    NARROW = auto()
    OPEN = auto()
    FOREIGN = auto()


_BY_CLASS = {"float": Kind.PLAIN, "numpy.float64": Kind.NARROW}
_STRONGEST = (Kind.OPEN, Kind.FOREIGN, Kind.NARROW, Kind.PLAIN)


def kinds(
    body: Block,
    folds: Folds,
    names: Names,
    converted: Mapping[str, str] = MappingProxyType({}),
    floats: Collection[str] = (),
) -> dict[str, Kind]:
    """The kind of what every value is computed as, by its name.

    Those `converted` to numbers are known, and a name that is declared, one of `floats`, is read as
    a number. A name is read as what it was first assigned, an expression as what it is.
    """
    known = _Kinds(folds, names, converted, floats)
    known.give(body.params, Kind.PLAIN)
    for stmt in walk(body):
        known.statement(stmt)
    return known.found


class _Kinds:
    def __init__(
        self, folds: Folds, names: Names, converted: Mapping[str, str], floats: Collection[str]
    ) -> None:
        self.found: dict[str, Kind] = {}
        self._folds, self._names = folds, names
        self._converted, self._floats = converted, floats
        self._tapes: dict[str, Kind] = {}
        self._first: dict[str, Kind] = {}

    def give(self, results: Iterable[Value], kind: Kind) -> None:
        for result in results:
            by = self._converted.get(result.name)
            self.found[result.name] = kind if by is None else _BY_CLASS[by]
            if self._is_printed(result):
                self._first.setdefault(self._names[result.name], self.found[result.name])

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Apply():
                self.give(stmt.results, _kind(stmt, [self._of(a) for a in stmt.args]))
            case Loop() | While():
                for param, init, _, result in carried(stmt):
                    self.give((param, result), self._of(init))
            case Branch(results=results, then=then):
                for result, end in zip(results, then.yields, strict=True):
                    self.give((result,), self._of(end))
            case Record(slot=slot, value=value):
                self._tapes.setdefault(slot, self._of(value))
            case Replay(result=result, slot=slot):
                self.give((result,), self._tapes.get(slot, Kind.OPEN))
            case Call(results=results):
                # What the callee returns is annotated; a number that is not, may be converted.
                self.give(results, Kind.PLAIN)

    def _of(self, operand: Operand) -> Kind:
        if not isinstance(operand, Value):
            return Kind.PLAIN
        if not self._is_printed(operand):
            return self.found.get(operand.name, Kind.PLAIN)
        own = self._names[operand.name]
        return Kind.PLAIN if own in self._floats else self._first.get(own, Kind.PLAIN)

    def _is_printed(self, value: Value) -> bool:
        return value.name in self._names and value.name not in self._folds.folded


def _kind(stmt: Apply, operands: list[Kind]) -> Kind:
    result = stmt.results[0].type if stmt.results else None
    row = TABLE.rows.get(stmt.op)
    if result is None or row is None or stmt.op in ("verbatim", "statement"):
        return Kind.OPEN
    if stmt.op == "copy" or stmt.op in WRITES:
        return operands[0]
    if row.checked == "plain":
        return Kind.PLAIN
    if stmt.op == "load":
        return operands[0] if stmt.args[0].type.kind == "list" else Kind.OPEN
    return _scalar_kind(stmt, row, operands) if result.is_scalar else _array_kind(row)


def _scalar_kind(stmt: Apply, row: Row, operands: list[Kind]) -> Kind:
    from_arrays = any(not a.type.is_scalar for a in stmt.args)
    if any(a.type.kind == "object" for a in stmt.args):
        return Kind.OPEN
    if row.truth == "own":
        return Kind.PLAIN
    joined = next(k for k in _STRONGEST if k in operands) if operands else Kind.PLAIN
    if row.checked == "foreign" or (from_arrays and stmt.results[0].type.dtype == "bool"):
        return Kind.FOREIGN
    if stmt.results[0].type.dtype == "bool":
        return Kind.PLAIN
    if Kind.FOREIGN in operands and not row.symbol:
        return Kind.FOREIGN
    if row.symbol == "**" and not _is_count(stmt.args[1]) and joined is Kind.PLAIN:
        return Kind.OPEN
    if row.symbol or stmt.op == "select":
        return joined
    if row.spellings:
        module = spelling(row, stmt).partition(".")[0]
        if module in ("math", "builtins"):
            return Kind.PLAIN if module == "math" else joined
    return Kind.NARROW if from_arrays and row.checked != "open" else Kind.OPEN


def _is_count(operand: Operand) -> bool:
    """Whether an exponent is a literal for which a power of a number is one for a checker."""
    value = operand.value if isinstance(operand, Const) else None
    return isinstance(value, int) and value >= 0


def _array_kind(row: Row) -> Kind:
    """Constructors are known to give arrays of floats; of the rest, stubs often know less."""
    return Kind.PLAIN if row.kind == "constant" else Kind.OPEN
