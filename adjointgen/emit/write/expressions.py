"""Operands and operations as Python expressions.

An operand is a literal, a name, or the expression of the statement that was folded into it. An
operation with a symbol is written with it, an operation with `code` by filling that in, the
structural ones as `parts` says, and everything else as a call.

`x + -y` and `x - -y` are written `x - y` and `x + y`, also where the sign is in a factor of a
product or quotient: negation commutes exactly with these in floating point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Final

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.emit.decide.expression_folding import Folds
from adjointgen.emit.decide.name_assignment import Names
from adjointgen.emit.decide.row_spelling import Modules, call_row, numpy_call
from adjointgen.emit.syntax.expression_trees import (
    binary,
    boolean,
    call,
    compare,
    conditional,
    literal,
    name,
    unary,
)
from adjointgen.emit.syntax.tree import Expression
from adjointgen.emit.usercode.verbatim import expression, variables
from adjointgen.emit.write.structural_ops import STRUCTURAL, aligned, fresh, helper
from adjointgen.errors import InternalError
from adjointgen.ir.nodes import Apply, Branch, Call, Const, Dtype, Operand, Stmt, Value
from adjointgen.ir.types import FLOAT, Shape
from adjointgen.rules.framework.table import TABLE

_IN_SCIPY = r"\bscipy(?:\.[a-z]+)*(?=\.\w+\()"
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"})
_OPPOSITE = {"eq": "!=", "ne": "==", "is": "is not", "is_not": "is", "in": "not in", "not_in": "in"}
_INTEGER_OPPOSITE = {"lt": ">=", "le": ">", "gt": "<=", "ge": "<"}

_NAMED: Final = {math.pi: "math.pi", math.e: "math.e", math.tau: "math.tau"}
"""Numbers that have a name."""


class Printer:
    """Prints operands of one function; notes the modules and names that the text uses.

    Arguments of functions that are among `foreign` are no numbers for a checker, and converted.
    """

    def __init__(
        self, names: Names, folds: Folds, modules: Modules, foreign: Collection[str] = ()
    ) -> None:
        self.names = names
        self.folds = folds
        self.modules = modules
        self._foreign = foreign
        self.free: set[str] = set()

    def name(self, value: Value) -> Expression:
        return name(self.names[value.name])

    def operand(self, operand: Operand) -> Expression:
        match operand:
            case Const() if is_undefined(operand):
                raise InternalError("a value that is not defined would be printed")
            case Const(value=float(value)) if not math.isfinite(value):
                return self.modules.unbounded(value)
            case Const(value=float(value)) if (spelling := _NAMED.get(abs(value))) is not None:
                named = self.modules.callee(spelling)
                return named if value > 0 else unary("-", named)
            case Const(value=Dtype(name=name)):
                return call(self.modules.callee("numpy.dtype"), [self.modules.dtype(name)])
            case Const(value=value):
                return literal(value)  # type: ignore[arg-type]
            case Value():
                stmt = self.folds.folded.get(operand.name)
                return self.name(operand) if stmt is None else self._inner(stmt)

    def whole(self, operand: Operand) -> Expression:
        """An operand that is kept, where a view to be read only would not do."""
        stmt = self.statement_of(operand)
        return self.operand(operand) if stmt is None else self.expression(stmt)

    def _argument(self, operand: Operand) -> Expression:
        text = self.whole(operand)
        if not isinstance(operand, Value) or self.statement_of(operand) is None:
            return text
        converts = operand.name in self._foreign and operand.type == FLOAT
        return call(self.modules.callee("numpy.float64"), [text]) if converts else text

    def broadcast(self, operand: Operand, shape: Shape | None) -> Expression:
        """An operand that meets this shape in an operation which broadcasts by itself."""
        stmt = self.operation(operand)
        if stmt is None or stmt.op != "expand" or shape is None or None in shape:
            return self.operand(operand)
        same = stmt.result.type.shape == shape
        return aligned(self, stmt) if same else self.operand(operand)

    def statement_of(self, operand: Operand) -> Stmt | None:
        """The statement that is folded into an operand."""
        return self.folds.folded.get(operand.name) if isinstance(operand, Value) else None

    def operation(self, operand: Operand) -> Apply | None:
        """The operation that is folded into an operand."""
        stmt = self.statement_of(operand)
        return stmt if isinstance(stmt, Apply) else None

    def expression(self, stmt: Stmt) -> Expression:
        """The right-hand side of a statement that defines one value."""
        if isinstance(stmt, Apply) and stmt.op == "expand":
            return fresh(self, stmt)
        return self._inner(stmt)

    def _inner(self, stmt: Stmt) -> Expression:
        match stmt:
            case Apply(op="verbatim"):
                return self.code(str(stmt.option("code")), stmt)
            case Apply():
                return self._apply(stmt)
            case Call(function=function, args=args):
                self.free.add(function)
                return call(name(function), [self._argument(a) for a in args])
            case Branch():
                return self._conditional(stmt)
            case _:
                raise InternalError(f"{type(stmt).__name__} is no expression")

    def code(self, code: str, stmt: Apply) -> Expression:
        """Code with `_0_`, `_1_` ... for the operands and `_axis_` for an option."""
        values = {f"_{k}_": self.operand(a) for k, a in enumerate(stmt.args)}
        used = variables(code)
        for key, value in self._options(stmt).items():
            if f"_{key}_" in used:
                values[f"_{key}_"] = literal(value)  # type: ignore[arg-type]
        if stmt.op != "verbatim":
            if "np" in used:
                values["np"] = self.modules.module("numpy")
            for module in re.findall(_IN_SCIPY, code) if "scipy" in used else ():
                self.modules.module(module)
        self.free |= used - values.keys()
        return expression(code, values)

    def _options(self, stmt: Apply) -> dict[str, object]:
        row = TABLE.rows.get(stmt.op)
        defaults = row.defaults if row else {}
        return defaults | dict(stmt.options)

    def _apply(self, stmt: Apply) -> Expression:
        from_parts = STRUCTURAL.get(stmt.op)
        if from_parts is not None:
            return from_parts(self, stmt)
        row = TABLE[stmt.op]
        if row.runtime:
            return helper(self, stmt)
        if row.code:
            return self.code(row.code, stmt)
        if row.symbol and "spelling" not in dict(stmt.options):
            return self._symbol(row.symbol, stmt)
        operands = [
            self.whole(a) if k in row.alias else self.operand(a) for k, a in enumerate(stmt.args)
        ]
        return call_row(row, stmt, operands, self.modules)

    def _symbol(self, symbol: str, stmt: Apply) -> Expression:
        if stmt.results[0].type.is_array and any(a.type.kind == "list" for a in stmt.args):
            return self._on_lists(symbol, stmt.args)
        if len(stmt.args) == 1:
            return unary(symbol, self.operand(stmt.args[0]))
        left, right = stmt.args
        if symbol == "@":
            return binary(symbol, self.operand(left), self.operand(right))
        one = self.broadcast(left, right.type.shape)
        if symbol in ("+", "-"):
            positive = self.negated_term(right)
            if positive is not None:
                return binary("-" if symbol == "+" else "+", self.operand(left), positive)
        # Only one of the two may leave its axes to the other.
        spread = self._is_expanded(left)
        other = self.broadcast(right, None if spread else left.type.shape)
        if symbol in _COMPARISONS:
            return compare(symbol, one, other)
        make = boolean if symbol in ("and", "or") else binary
        return make(symbol, one, other)

    def _on_lists(self, symbol: str, operands: tuple[Operand, ...]) -> Expression:
        """Arithmetic on the numbers of lists, where Python's symbols would mean something else."""
        arrays = any(a.type.is_array for a in operands)
        texts = []
        for a in operands:
            plain = a.type.kind != "list" or arrays
            arrays = arrays or not plain
            text = self.operand(a)
            texts.append(text if plain else numpy_call(self.modules, "asarray", text))
        if len(texts) == 1:
            return unary(symbol, *texts)
        return (compare if symbol in _COMPARISONS else binary)(symbol, *texts)

    def _is_expanded(self, operand: Operand) -> bool:
        stmt = self.operation(operand)
        return stmt is not None and stmt.op == "expand"

    def negated_term(self, operand: Operand) -> Expression | None:
        """`y` for an operand that is printed as `-y`, so that it can be subtracted instead."""
        match operand:
            case Const(value=int() | float() as value) if value < 0:
                return literal(-value)
            case _:
                stmt = self.operation(operand)
        if stmt is None or stmt.results[0].type.dtype not in ("float64", "complex128", "int64"):
            return None
        if stmt.op == "neg":
            return self.operand(stmt.args[0])
        if stmt.op in ("mul", "div") and "spelling" not in dict(stmt.options):
            symbol, (left, right) = TABLE[stmt.op].symbol, stmt.args
            if (first := self.negated_term(left)) is not None:
                return binary(symbol, first, self.operand(right))
            if (second := self.negated_term(right)) is not None:
                return binary(symbol, self.operand(left), second)
        return None

    def _conditional(self, stmt: Branch) -> Expression:
        """`a and b`, `a or b`, the test itself, or `a if test else b`."""
        (then,), (orelse,) = stmt.then.yields, stmt.orelse.yields
        if then == orelse:
            return self.operand(then)
        if stmt.results[0].type.dtype == stmt.test.type.dtype == "bool":
            match _truth(then), _truth(orelse):
                case True, False:
                    return self.operand(stmt.test)
                case False, True:
                    return self.negation(stmt.test)
                case None, False:
                    return boolean("and", self.operand(stmt.test), self.operand(then))
                case True, None:
                    return boolean("or", self.operand(stmt.test), self.operand(orelse))
        return conditional(self.operand(stmt.test), self.whole(then), self.whole(orelse))

    def negation(self, test: Operand) -> Expression:
        """`not test`, or the opposite comparison where that is the same.

        `not a < b` is not `a >= b` for floats: both are false where one is NaN.
        """
        stmt = self.operation(test)
        if stmt is not None and stmt.op == "not":
            return self.operand(stmt.args[0])
        if stmt is not None and len(stmt.args) == 2 and stmt.results[0].type.is_scalar:
            exact = all(a.type.is_scalar and a.type.dtype == "int64" for a in stmt.args)
            opposite = _OPPOSITE | _INTEGER_OPPOSITE if exact else _OPPOSITE
            if stmt.op in opposite:
                return compare(opposite[stmt.op], *map(self.operand, stmt.args))
        return unary("not", self.operand(test))


def _truth(operand: Operand) -> bool | None:
    """The bool that an operand is, or None."""
    return operand.value if isinstance(operand, Const) and isinstance(operand.value, bool) else None
