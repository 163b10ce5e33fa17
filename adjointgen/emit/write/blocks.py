"""Blocks as Python statements: loops, branches, and what they pass on.

Where a block ends, what it yields is assigned to the names that its values have outside; nothing
needs to be written where these are the same. A loop that can be left early ends in a `break`: where
its stop flag comes from a branch at the end of the body, the arm that sets it ends in `break` and
the rest stands after the `if`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.emit.decide.expression_folding import expression_operands
from adjointgen.emit.decide.placeholders import placeholder
from adjointgen.emit.decide.plan import Plan
from adjointgen.emit.decide.positions import Layer, Place, stop_flag
from adjointgen.emit.decide.printing_cleanup import has_effect
from adjointgen.emit.syntax.expression_trees import list_, literal, name, tuple_
from adjointgen.emit.syntax.statement_trees import (
    assign,
    augmented,
    break_,
    expression_statement,
    for_,
    if_,
    while_,
)
from adjointgen.emit.syntax.tree import (
    Assign,
    Augment,
    Declare,
    Expression,
    Lines,
    Simple,
    Statement,
    names,
)
from adjointgen.emit.usercode.block_regions import grouped, mark, region
from adjointgen.emit.write.assignments import Assignments
from adjointgen.emit.write.comments import Margin
from adjointgen.emit.write.expressions import Printer
from adjointgen.emit.write.item_loops import each
from adjointgen.emit.write.parallel_moves import in_sequence, needed
from adjointgen.emit.write.ranges import range_of
from adjointgen.errors import InternalError
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    Branch,
    Const,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
)

Finish = Callable[[], list[Statement]]


class Blocks:
    """Writes the blocks of one function."""

    def __init__(self, printer: Printer, plan: Plan, margin: Margin) -> None:
        self._printer = printer
        self._plan = plan
        self._reads = plan.reads
        self._margin = margin
        self._replaced: set[int] = set()
        self._simple = Assignments(printer, plan)

    def layer(self, layer: Layer, depth: int = 0) -> list[Statement]:
        return grouped(line for place in layer.places for line in self._place(place, depth))

    def _place(self, place: Place, depth: int) -> list[Statement]:
        stmt = place.stmt
        if self._printer.folds.is_folded(stmt) or place.at in self._replaced:
            return []
        starts = self._plan.tapes.get(place.at, ())
        lines: list[Statement] = [assign(name(tape), list_([])) for tape in starts]
        lines += self._statement(place, depth)
        return self._margin.decorate(stmt, lines, depth)

    def _statement(self, place: Place, depth: int) -> list[Statement]:
        match place.stmt:
            case Loop() as stmt:
                return self._loop(stmt, place, depth)
            case While() as stmt:
                return self._while(stmt, place, depth)
            case Branch() as stmt if not self._printer.folds.is_expression(stmt):
                return self._branch(stmt, place, depth)
            case stmt if kind := region(stmt):
                return mark(kind, self._simple.statement(stmt))
            case stmt:
                return self._simple.statement(stmt)

    def copies(self, targets: Sequence[Value], sources: Sequence[Operand]) -> list[Statement]:
        """`targets = sources`, all at once."""
        printer = self._printer
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t.name in self._plan.used]
        found = needed(pairs, lambda operand: list(printer.folds.leaves(operand)), printer.names)
        lines: list[Statement] = []
        for group in in_sequence(found):
            if len(group) == 1:
                lines.append(self._simple.assignment(group[0].target, group[0].source))
            else:
                left = tuple_([name(copy.name) for copy in group])
                right = tuple_([printer.whole(copy.source) for copy in group])
                lines.append(assign(left, right))
        # A name that holds nothing yet may have been that of a source.
        return lines + [
            self._simple.assign(t, placeholder(t.type, printer.modules))
            for t, s in pairs
            if is_undefined(s) and printer.names[t.name] in self._plan.passed
        ]

    def _entry(self, stmt: Loop | While) -> list[Statement]:
        """What stands before a loop."""
        lines = self.copies(stmt.body.params, stmt.inits)
        if stmt.trips is not None and self._reads[stmt.trips.name]:
            lines.append(assign(self._printer.name(stmt.trips), literal(0)))
        return lines

    def _body(self, stmt: Loop | While, layer: Layer, depth: int) -> list[Statement]:
        """A loop's body: count, compute, pass on, and leave if the stop flag says so."""
        lines: list[Statement] = []
        if stmt.trips is not None and self._reads[stmt.trips.name]:
            lines.append(augmented(self._printer.name(stmt.trips), "+", literal(1)))
        params = [param for param, _, _, _ in carried(stmt)]
        ends = [end for _, _, end, _ in carried(stmt)]

        def finish() -> list[Statement]:
            return self.copies(params, ends)

        flag = stop_flag(stmt)
        if flag is None:
            return lines + self.layer(layer, depth) + finish()
        return lines + self._leaving(layer, flag, finish, depth)[0]

    def _loop(self, stmt: Loop, place: Place, depth: int) -> list[Statement]:
        before = self._entry(stmt)
        items = each(stmt, place.layers[0], self._printer, self._reads, self._plan.storage)
        if items is not None:
            self._replaced |= items.replaced
        body = self._body(stmt, place.layers[0], depth + 1)
        if items is not None:
            return [*before, for_(items.target, items.iterable, body)]
        if not body and not self._leaves_index(stmt):
            return before
        is_read = self._reads[stmt.index.name] > 0
        index = self._printer.name(stmt.index) if is_read else name("_")
        return [*before, for_(index, range_of(self._printer, stmt, is_read), body)]

    def _leaves_index(self, stmt: Loop) -> bool:
        """Whether the last index is a result of the loop under the same name."""
        names = self._plan.names
        return any(
            names[r.name] == names.get(stmt.index.name) and r.name in self._plan.used
            for r in stmt.results
        )

    def _while(self, stmt: While, place: Place, depth: int) -> list[Statement]:
        test, body = place.layers
        (flag,) = stmt.test.yields
        before = self._entry(stmt)
        testing = self.layer(test, depth + 1)
        lines = self._body(stmt, body, depth + 1)
        if not testing:
            return [*before, while_(self._printer.operand(flag), lines)]
        leave = if_(self._printer.negation(flag), [break_()])
        return [*before, while_(literal(True), [*testing, leave, *lines])]

    def _branch(self, stmt: Branch, place: Place, depth: int) -> list[Statement]:
        then, orelse = (self._arm(stmt, arm, depth + 1) for arm in place.layers)
        return self._choice(stmt.test, then, orelse)

    def _arm(self, stmt: Branch, arm: Layer, depth: int) -> list[Statement]:
        """An arm of a branch, which passes nothing on where it ends in an exception."""
        lines = self.layer(arm, depth)
        return lines if _ends(lines) else lines + self.copies(stmt.results, arm.block.yields)

    def _choice(
        self, test: Operand, then: list[Statement], orelse: list[Statement]
    ) -> list[Statement]:
        if orelse and _ends(then):
            return [if_(self._printer.operand(test), then), *orelse]
        if then:
            return [if_(self._printer.operand(test), then, orelse)]
        if orelse:
            return [if_(self._printer.negation(test), orelse)]
        # The paths are alike, and what is asked for may act all the same.
        return [expression_statement(self._printer.operand(test))] if self._acts(test) else []

    def _acts(self, operand: Operand) -> bool:
        """Whether the expression that an operand is printed as does more than compute."""
        folded = self._printer.folds.folded
        stmt = folded.get(operand.name) if isinstance(operand, Value) else None
        return stmt is not None and (
            has_effect(stmt) or any(map(self._acts, expression_operands(stmt)))
        )

    def _leaving(
        self, layer: Layer, flag: Operand, finish: Finish, depth: int
    ) -> tuple[list[Statement], bool]:
        """A block after which the loop is left if `flag` is true, and whether it always is."""
        last = self._decision(layer, flag)
        if last is None:
            lines = self.layer(layer, depth)
            match flag:
                case Const(value=True):
                    return [*lines, *finish(), break_()], True
                case Const():
                    return lines + finish(), False
            return lines + self._leave(flag, finish), False
        before = [p for p in layer.places if p.at < last.at]
        head = grouped(line for p in before for line in self._place(p, depth))
        lines, always = self._decided(last, flag, finish, depth)
        return head + self._margin.decorate(last.stmt, lines, depth), always

    def _leave(self, flag: Operand, finish: Finish) -> list[Statement]:
        """`if flag: break`, read before anything that it reads is passed on."""
        test = self._printer.operand(flag)
        passed = finish()
        read = {self._printer.names[leaf.name] for leaf in self._printer.folds.leaves(flag)}
        if read.isdisjoint(_assigned(passed)):
            return [*passed, if_(test, [break_()])]
        return [if_(test, [*passed, break_()]), *finish()]

    def _decided(
        self, place: Place, flag: Operand, finish: Finish, depth: int
    ) -> tuple[list[Statement], bool]:
        """The branch that sets the stop flag: an arm that always leaves needs no `else`."""
        stmt = place.stmt
        assert isinstance(stmt, Branch)
        at = next(k for k, r in enumerate(stmt.results) if r == flag)
        results = [r for k, r in enumerate(stmt.results) if k != at]
        arms = []
        for arm in place.layers:
            ends = [y for k, y in enumerate(arm.block.yields) if k != at]

            def after(ends: list[Operand] = ends) -> list[Statement]:
                return self.copies(results, ends) + finish()

            arms.append(self._leaving(arm, arm.block.yields[at], after, depth + 1))
        (then, then_leaves), (orelse, else_leaves) = arms
        if then_leaves:
            return [*self._choice(stmt.test, then, []), *orelse], else_leaves
        if else_leaves:
            return [*self._choice(stmt.test, [], orelse), *then], False
        return self._choice(stmt.test, then, orelse), False

    def _decision(self, layer: Layer, flag: Operand) -> Place | None:
        """The branch at the end of a block whose only use of a result is this stop flag."""
        if not isinstance(flag, Value) or self._reads[flag.name] != 1:
            return None
        printed = [p for p in layer.places if not self._printer.folds.is_folded(p.stmt)]
        if not printed or not _sets(printed[-1].stmt, flag):
            return None
        return None if self._printer.folds.is_expression(printed[-1].stmt) else printed[-1]


def _sets(stmt: Stmt, flag: Value) -> bool:
    return isinstance(stmt, Branch) and flag in stmt.results


def _ends(lines: Sequence[Statement]) -> bool:
    """Whether nothing is run after these lines: the user's code raises."""
    match lines[-1:]:
        case [Lines(raises=True) | Simple("raise")]:
            return True
    return False


def _assigned(lines: Sequence[Statement]) -> set[str]:
    """The names that assignments give values to."""
    return {name for line in lines for name in names(_target(line))}


def _target(line: Statement) -> Expression:
    match line:
        case Assign(targets=(target,)) | Declare(target=target) | Augment(target=target):
            return target
    raise InternalError("an assignment passes on what a loop carries")
