"""Statements without blocks: assignments, writes in place, tapes, the user's own statements.

`y = y + e` becomes `y += e` for scalars, where the two mean the same, and so does `y = e + y`,
since sums and products commute exactly; for arrays the second writes in place, and only
`accumulate` says that this is wanted. `a[i] = a[i] + e` is `a[i] += e` for both, and a sign goes
into the operator: `a[i] -= e`. An index that may name an entry twice needs
`np.add.at(a, index, e)`, since `a[index] += e` would add the last one alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from adjointgen.emit.decide.checked_kinds import Kind
from adjointgen.emit.decide.plan import Plan
from adjointgen.emit.decide.row_spelling import numpy_call
from adjointgen.emit.syntax.expression_trees import attribute, call, name, subscript, tuple_
from adjointgen.emit.syntax.statement_trees import assign, augmented, declare, expression_statement
from adjointgen.emit.syntax.tree import Expression, Slice, Statement, Subscript
from adjointgen.emit.usercode.verbatim import filled, statements, variables
from adjointgen.emit.write.annotations import annotation, any_type
from adjointgen.emit.write.expressions import Printer
from adjointgen.emit.write.snapshots import FORMS
from adjointgen.emit.write.structural_ops import place
from adjointgen.errors import InternalError
from adjointgen.ir.nodes import Apply, Branch, Call, Operand, Record, Replay, Stmt, Value
from adjointgen.rules.arrays.indexing import may_repeat
from adjointgen.rules.framework.table import TABLE

_AUGMENTED = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_COMMUTATIVE = frozenset({"add", "mul"})
_TURNED = {"+": "-", "-": "+"}


class Assignments:
    """Writes the simple statements of one function."""

    def __init__(self, printer: Printer, plan: Plan) -> None:
        self._printer = printer
        self._reads = plan.reads
        self._slots = plan.slots
        self._declared = dict(plan.declared)
        self._kinds, self._converted = plan.kinds, plan.converted

    def statement(self, stmt: Stmt) -> list[Statement]:
        match stmt:
            case Apply():
                return self._apply(stmt)
            case Branch():
                return [self._define(stmt.results, self._printer.expression(stmt))]
            case Call():
                return [self._define(stmt.results, self._printer.expression(stmt))]
            case Record():
                push = attribute(name(self._slots[stmt.slot]), "append")
                return [expression_statement(call(push, [self._printer.whole(stmt.value)]))]
            case Replay():
                pop = attribute(name(self._slots[stmt.slot]), "pop")
                return [self._define((stmt.result,), call(pop))]
            case _:
                raise InternalError(f"{type(stmt).__name__} has blocks")

    def assignment(self, target: Value, source: Operand) -> Statement:
        """`target = source`, augmented where it can be."""
        stmt = self._printer.operation(source)
        updated = None if stmt is None else self._update(target, stmt)
        value = self._printer.whole(source)
        if isinstance(source, Value) and self._kinds.get(source.name) is Kind.FOREIGN:
            value = self._number(target, value)
        return updated or self.assign(target, value)

    def _number(self, target: Value, value: Expression) -> Expression:
        """`float(value)`, where a checker does not take the value for a number."""
        by = self._converted.get(target.name)
        return value if by is None else call(self._printer.modules.callee(by), [value])

    def assign(self, target: Value, value: Expression) -> Statement:
        """`target = value`, its type stated at the first time if it has to be."""
        own, modules = self._printer.names[target.name], self._printer.modules
        if own not in self._declared:
            return assign(name(own), value)
        like = self._declared.pop(own)
        text = any_type(modules) if like is None else annotation(like.type, modules)
        return declare(name(own), text, value)

    def _define(self, results: Sequence[Value], value: Expression) -> Statement:
        """`q, r = value`; what nothing reads is `_`, and where nothing is read at all, `value`."""
        if not any(self._reads[r.name] for r in results):
            return expression_statement(value)
        if len(results) == 1:
            return self.assign(results[0], self._number(results[0], value))
        targets = [self._printer.name(r) if self._reads[r.name] else name("_") for r in results]
        return assign(tuple_(targets), value)

    def _apply(self, stmt: Apply) -> list[Statement]:
        match stmt.op:
            case "comment":
                return []
            case "statement":
                return self._users_statement(stmt)
            case "unpack":
                return self._unpack(stmt)
            case "store":
                return [self._store(stmt)]
            case "accumulate":
                return [self._accumulate(stmt)]
            case "push" | "drop":
                method, values = ("append", stmt.args[1:]) if stmt.op == "push" else ("pop", ())
                changed = attribute(self._printer.operand(stmt.args[0]), method)
                return [expression_statement(call(changed, [*map(self._printer.whole, values)]))]
        if form := TABLE.get(stmt.op).form:
            return FORMS[form](self._printer, stmt)
        writes = stmt.option("writes", ())
        assert isinstance(writes, tuple)
        results = stmt.results[: len(stmt.results) - len(writes)]
        updated = self._update(stmt.result, stmt) if len(results) == 1 and not writes else None
        return [updated or self._define(results, self._printer.expression(stmt))]

    def _unpack(self, stmt: Apply) -> list[Statement]:
        """`a, b, y_tape = tape`, with copies of the lists of a tape that is replayed again."""
        slots = stmt.option("slots")
        assert isinstance(slots, tuple)
        targets = [
            self._printer.name(r) if self._reads[r.name] else name("_") for r in stmt.results
        ]
        targets += [name(self._slots.get(slot, "_")) for slot in slots]
        target = targets[0] if stmt.option("single") else tuple_(targets)
        read = [self._slots[slot] for slot in slots if slot in self._slots]
        lists = read if stmt.option("replayed") else []
        return [
            assign(target, self._printer.operand(stmt.args[0])),
            *(assign(name(one), call(name("list"), [name(one)])) for one in lists),
        ]

    def _update(self, target: Value, stmt: Apply) -> Statement | None:
        """`y += e` for the scalar `y = y + e`."""
        own = self._printer.names[target.name]
        if not target.type.is_scalar:
            return None
        added = _other(stmt, lambda operand: self._is_named(operand, own))
        if added is None:
            return None
        converts = partial(self._number, target)
        return self._augmented(name(own), _AUGMENTED[stmt.op], added, converts)

    def _is_named(self, operand: Operand, own: str) -> bool:
        """Whether an operand is printed as this name."""
        if not isinstance(operand, Value) or self._printer.statement_of(operand):
            return False
        return self._printer.names[operand.name] == own

    def _augmented(
        self,
        target: Expression,
        operator: str,
        value: Operand,
        converts: Callable[[Expression], Expression] = lambda e: e,
    ) -> Statement:
        positive = self._printer.negated_term(value) if operator in _TURNED else None
        if positive is not None:
            return augmented(target, _TURNED[operator], converts(positive))
        term = self._printer.broadcast(value, value.type.shape)
        return augmented(target, operator, converts(term))

    def _store(self, stmt: Apply) -> Statement:
        a, v, *indices = stmt.args
        update = self._printer.operation(v)
        if update is not None and stmt.option("in_place") and v.type.dtype == a.type.dtype:
            # NumPy refuses to round what it would put into `a`, and not in `a[...] = a + e`.
            added = _other(update, lambda operand: operand == a)
            if added is not None:
                return self._augmented(self._printer.operand(a), _AUGMENTED[update.op], added)
        target = place(self._printer, stmt, a, indices)
        if update is not None:
            added = _other(update, lambda operand: self._is_stored_into(stmt, operand))
            if added is not None:
                return self._augmented(target, _AUGMENTED[update.op], added)
        kept = a.type.kind == "list"
        value = self._printer.whole(v) if kept else self._printer.broadcast(v, v.type.shape)
        return assign(target, value)

    def _is_stored_into(self, store: Apply, operand: Operand) -> bool:
        """Whether an operand of an update is the part that is stored into.

        Into an array, `a[i:] *= v` has to keep the dtype, which `a[i:] = a[i:] * v` need not.
        """
        a, v, *indices = store.args
        load = self._printer.operation(operand)
        if load is None or load.op != "load":
            return False
        same = (load.args, load.option("index", "_")) == ((a, *indices), store.option("index", "_"))
        part = load.results[0].type
        return same and (part.is_scalar or (v.type.dtype, v.type.rank) == (a.type.dtype, part.rank))

    def _accumulate(self, stmt: Apply) -> Statement:
        a, v, *indices = stmt.args
        pattern = str(stmt.option("index", "_"))
        if pattern == "...":
            return self._augmented(self._printer.operand(a), "+", v)
        target = place(self._printer, stmt, a, indices)
        if not may_repeat(pattern, indices):
            return self._augmented(target, "+", v)
        key = _key(target, self._printer)
        value = self._printer.broadcast(v, v.type.shape)
        added = numpy_call(self._printer.modules, "add.at", target.owner, key, value)
        return expression_statement(added)

    def _users_statement(self, stmt: Apply) -> list[Statement]:
        values = {f"_{k}_": self._printer.operand(a) for k, a in enumerate(stmt.args)}
        code = str(stmt.option("code"))
        if bound := stmt.option("bound"):
            assert isinstance(bound, tuple)
            results = zip(bound, stmt.results, strict=False)
            names = (self._printer.names.get(r.name, name) for name, r in results)
            values |= {f"_b{k}_": name(own) for k, own in enumerate(names)}
            self._printer.free |= variables(code) - values.keys()
            return statements(filled(code, values), {})
        self._printer.free |= variables(code) - values.keys()
        return statements(code, values)


def _other(update: Apply, is_target: Callable[[Operand], bool]) -> Operand | None:
    """`e` of `y + e`, and of `e + y`, where `y` is the target; None where there is no such sum."""
    if update.op not in _AUGMENTED or "spelling" in dict(update.options):
        return None
    left, right = update.args
    if is_target(left):
        return right
    return left if update.op in _COMMUTATIVE and is_target(right) else None


def _key(target: Subscript, printer: Printer) -> Expression:
    """What stands between the brackets, as an argument of a function."""
    items = [item for item in target.items if not isinstance(item, Slice)]
    if len(items) < len(target.items):
        return subscript(printer.modules.callee("numpy.s_"), target.items)
    return items[0] if len(items) == 1 else tuple_(items)
