"""Algebraic simplification: local rewrites to a fixpoint, in one sweep over the statements.

The transforms write what the rules say, term by term; here `y_bar * 1.0`, `x_bar + -t` and
`expand(s, x) * y` become `y_bar`, `x_bar - t` and `s * y`. Every statement is met after the
statements that it reads, so one sweep with a map from names to definitions is enough, and time is
linear. What a rewrite leaves unread is removed by `dead`.

The rewrites are the rows of `REWRITES`, in the order they are tried. None of them undoes another.
What changes a rounding is not done where something is decided by the result (`steering`).
Statements of the user's (`frozen`) keep their form: only their operands are replaced, but for those
that name the whole of an array, as `x[:]` and `x.reshape(x.shape)` do. A branch whose test is known
is its arm; so is one whose arms compute the same. A test is known after a
branch of which one arm raises. The result of a rewrite has the kind, dtype and rank of what it
stands for, or it is not made.

It runs on an open adjoint, too: what a reverse block reads of a forward block has one value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Final

from adjointgen.analysis.differentiation.discrete_influence import steering
from adjointgen.analysis.values.known_divisors import divided_by
from adjointgen.analysis.values.liveness import uses
from adjointgen.analysis.values.maybe_undefined import undefined
from adjointgen.ir.edit import rebuild, rename
from adjointgen.ir.nodes import (
    LOOPS,
    WRITES,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Undefined,
    Value,
    defined_in,
    results_of,
    walk,
)
from adjointgen.ir.raising import raises
from adjointgen.ir.sweep_marks import begins_reverse, read_in_reverse
from adjointgen.ir.text import show
from adjointgen.optimize.rewrites.arithmetic import ARITHMETIC, shifted_integer
from adjointgen.optimize.rewrites.blas_forms import NUMPY_FORMS
from adjointgen.optimize.rewrites.indexing import INDEXING, load_of_whole
from adjointgen.optimize.rewrites.reassociation import REGROUPING, ROUNDING
from adjointgen.optimize.rewrites.rewrite_context import Context, Rewrite, Term, fits, identical
from adjointgen.optimize.rewrites.shape_rewrites import (
    SHAPES,
    no_change_of_shape,
    reshape_to_itself,
    shape_of_lengths,
)
from adjointgen.optimize.scalar.dce import has_effect
from adjointgen.optimize.scalar.replayed_tests import replayed_tests
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names, const

REWRITES: tuple[tuple[str, Rewrite], ...] = (
    *ARITHMETIC,
    *ROUNDING,
    *REGROUPING,
    *SHAPES,
    *INDEXING,
)

# Arithmetic on lists and objects is not arithmetic; storing and loading is the same for all.
_NUMBERS = ("scalar", "array")
_PARTS = frozenset({"load", "copy", "expand", "unbroadcast"}) | WRITES

OUTERMOST = 1

_LATE = frozenset(rewrite for _, rewrite in REGROUPING)
_INEXACT = frozenset(rewrite for _, rewrite in ROUNDING) | _LATE
# Exact, but only once the program is closed; a compiled one has lengths in place of arrays.
_SPELLING = frozenset((shape_of_lengths, shifted_integer))
_INEXACT |= frozenset(rewrite for _, rewrite in NUMPY_FORMS)
Rewrites = Mapping[str, Sequence[Rewrite]]


def _by_operation(rows: Iterable[tuple[str, Rewrite]]) -> Rewrites:
    found: dict[str, list[Rewrite]] = {}
    for ops, rewrite in rows:
        for op in ops.split():
            found.setdefault(op, []).append(rewrite)
    return found


FIRED: Final[ContextVar[Counter[str] | None]] = ContextVar("fired", default=None)
"""How often each rewrite has applied, by its name, where somebody counts."""

_LOCAL = _by_operation(REWRITES)
_NUMPY = _by_operation(NUMPY_FORMS)
_ITSELF = _by_operation(
    row for row in REWRITES if row[1] in (load_of_whole, reshape_to_itself, no_change_of_shape)
)


def simplify(function: Function, frozen: Collection[str] = frozenset()) -> Function:
    """The function with its statements rewritten, except those that define a name in `frozen`.

    Products stay grouped as they are, since it is not known yet what they share.
    """
    sweep = _Sweep(function, frozenset(frozen), False, _LOCAL)
    return replace(function, body=sweep.inner(function.body))


def regrouped(function: Function, frozen: Collection[str] = frozenset()) -> Function:
    """The function with its statements rewritten, and its products regrouped."""
    sweep = _Sweep(function, frozenset(frozen), True, _LOCAL)
    return replace(function, body=sweep.inner(function.body))


def for_numpy(function: Function, frozen: Collection[str] = frozenset()) -> Function:
    """The function in the forms that NumPy runs fastest."""
    sweep = _Sweep(function, frozenset(frozen), True, _NUMPY)
    return replace(function, body=sweep.inner(function.body))


class _Sweep:
    """`by` is what stands for the results of statements that are gone."""

    def __init__(
        self, function: Function, frozen: frozenset[str], regroup: bool, rewrites: Rewrites
    ) -> None:
        self.frozen = frozen
        self.rewrites = rewrites
        self.outcomes: dict[str, bool | None] = {}
        self.passed: dict[str, bool] = {}
        self.own: set[str] = set()
        self.replayed = replayed_tests(function)
        self.kept = _pairs_kept(function.body, frozen)
        self.regions = 0
        self.returned = {y.name for y in function.body.yields if isinstance(y, Value)}
        self.late = frozenset() if regroup else _LATE | _SPELLING
        self.inexact = self.late | _INEXACT
        self.by: dict[str, Operand] = {}
        self.made: list[Stmt] = []
        self.count = 0
        # A name of the user's that is gone would freeze what takes it.
        self.names = Names.of(function, frozen)
        self.steers = set(steering(function.body))
        self.context = Context(uses(function.body), frozen, divided_by(function.body))
        self.shapeless = undefined(function.body)
        self.context.offer(function.body.params, True)
        self.turns = sum(map(begins_reverse, function.body.stmts))
        self.context.later = read_in_reverse(function.body) if self.turns else set()

    def inner(self, block: Block) -> Block:
        """A block of its own: what is read once in another block may be computed more often."""
        outer, self.made = self.made, []
        around, self.own = self.own, {r.name for s in block.stmts for r in results_of(s)}
        above = self.context.block
        self.count += 1
        self.context.block = self.count
        for stmt in block.stmts:
            self.statement(stmt)
        stmts, self.made = tuple(self.context.with_changes(self.made)), outer
        self.context.block, self.own = above, around
        return Block(block.params, stmts, tuple(map(self.operand, block.yields)))

    def operand(self, operand: Operand) -> Operand:
        return self.by.get(operand.name, operand) if isinstance(operand, Value) else operand

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Apply():
                if region := stmt.option("region"):
                    self.regions += {"end": -1, "finally": 0}.get(str(region), 1)
                args = tuple(map(self.operand, stmt.args))
                stmt = Apply(stmt.results, stmt.op, args, stmt.options, stmt.span)
                if len(stmt.results) == 1 and self.context.is_frozen(stmt):
                    self.of_the_user(stmt)
                elif len(stmt.results) != 1:
                    self.note(stmt)
                else:
                    self.simplified(stmt)
            case Branch():
                self.branch(stmt)
            case _:
                if isinstance(stmt, LOOPS):
                    inits = tuple(map(self.operand, stmt.inits))
                    self.context.enter(inits)
                    if isinstance(stmt, Loop):
                        self.context.lengths.enter(stmt, inits)
                self.append(rebuild(stmt, self.operand, self.inner))

    def append(self, stmt: Stmt) -> None:
        self.made.append(stmt)
        if self.context.block == OUTERMOST:
            results = results_of(stmt)
            shapeless = any(r.name in self.shapeless for r in results)
            self.context.offer(results, isinstance(stmt, Apply) and not shapeless)

    def note(self, stmt: Apply) -> None:
        self.turns -= begins_reverse(stmt)
        if not self.turns:
            self.context.later = set()
        self.append(stmt)
        self.context.note(stmt)

    def of_the_user(self, stmt: Apply) -> None:
        """A statement of the user's, which is left out where its result is another name for an
        array that it reads. What is returned may be a view, and no array of the caller's; the
        whole of a list is a copy."""
        is_view = stmt.result.type.kind == "array" and stmt.result.name not in self.returned
        for rewrite in _ITSELF.get(stmt.op, ()) if is_view else ():
            found = rewrite(stmt, self.context)
            if isinstance(found, Value):
                self.instead(stmt, found)
                return
        self.note(stmt)

    def instead(self, stmt: Apply, found: Operand) -> None:
        """An operand in the place of a statement that goes."""
        self.context.read((found,))
        self.context.unread(stmt.args)
        self.stands_for(stmt.result, found)
        self.context.count(found.name if isinstance(found, Value) else "", -1)

    def simplified(self, stmt: Apply) -> Operand:
        """Rewrite a statement until nothing applies, append it, and give its value."""
        while (found := self.rewritten(stmt)) is not None:
            if not isinstance(found, Term):
                self.instead(stmt, found)
                return found
            # What is found is read before its readers go, or all that it reads would go, too.
            self.context.read(found.operands)
            self.context.unread(stmt.args)
            args = tuple(self.written(a, stmt) for a in found.args)
            stmt = Apply(stmt.results, found.op, args, found.options, stmt.span)
        self.note(stmt)
        return stmt.result

    def written(self, part: Operand | Term, whole: Apply) -> Operand:
        """A part of a rewritten statement, in statements of its own."""
        if not isinstance(part, Term):
            return part
        result = Value(self.names.fresh("t"), part.type)
        self.context.uses[result.name] = 1
        if whole.result.name in self.steers:
            self.steers.add(result.name)
        args = tuple(self.written(a, whole) for a in part.args)
        return self.simplified(Apply((result,), part.op, args, part.options, whole.span))

    def rewritten(self, stmt: Apply) -> Operand | Term | None:
        """What the first rewrite that applies makes of a statement."""
        if stmt.op not in _PARTS and any(a.type.kind not in _NUMBERS for a in stmt.args):
            return None
        without = self.inexact if stmt.result.name in self.steers else self.late
        for rewrite in self.rewrites.get(stmt.op, ()):
            if rewrite in without:
                continue
            found = rewrite(stmt, self.context)
            if found is not None and fits(found.type, stmt.result.type):
                if (counts := FIRED.get()) is not None:
                    counts[rewrite.__name__] += 1
                return found
        return None

    def stands_for(self, result: Value, operand: Operand) -> Operand:
        """From here on the operand is read where the result was."""
        self.by[result.name] = operand
        if isinstance(operand, Value):
            self.context.count(operand.name, self.context.uses[result.name])
        return operand

    def branch(self, stmt: Branch) -> None:
        test = self.held(stmt, self.operand(stmt.test))
        if isinstance(test, Const) and not isinstance(test.value, Undefined):
            arm = stmt.then if test.value else stmt.orelse
            for inner in arm.stmts:
                self.statement(inner)
            for result, end in zip(stmt.results, arm.yields, strict=True):
                self.stands_for(result, self.operand(end))
            return
        then, orelse = self.arm(test, True, stmt.then), self.arm(test, False, stmt.orelse)
        if self.are_same(stmt.results, then, orelse):
            self.made.extend(then.stmts)
            for result, end in zip(stmt.results, then.yields, strict=True):
                self.stands_for(result, end)
            return
        self.append(replace(stmt, test=test, then=then, orelse=orelse))
        self.note_outcome(test, then, orelse)
        for result, a, b in zip(stmt.results, then.yields, orelse.yields, strict=True):
            if identical(a, b) and result.name not in self.frozen:
                self.stands_for(result, a)

    def arm(self, test: Operand, holds: bool, arm: Block) -> Block:
        """An arm of a branch, in which the outcome of the test is known."""
        name = test.name if isinstance(test, Value) else ""
        above = self.outcomes.get(name)
        self.outcomes[name] = holds
        made = self.inner(arm)
        self.outcomes[name] = above
        return made

    def note_outcome(self, test: Operand, then: Block, orelse: Block) -> None:
        """After a branch of which one arm raises, its test has the outcome of the other.

        Whatever reads a test that is defined beside the branch, also in a reverse block, runs after
        the branch; where the exception does not leave (`with`, `finally`), nothing is known.
        """
        if self.regions or raises(then) == raises(orelse):
            return
        if isinstance(test, Value) and test.name in self.own:
            self.passed[test.name] = not raises(then)
            self.passed |= {replayed: not raises(then) for replayed in self.again(test)}

    def again(self, test: Value) -> list[str]:
        """What a reverse sweep reads from a tape that has nothing but the outcomes of a test."""
        return [name for name, values in self.replayed.items() if values == {test.name}]

    def held(self, stmt: Branch, test: Operand) -> Operand:
        """The outcome of a test that was asked further out, where the branch is not the user's."""
        if not isinstance(test, Value):
            return test
        known = self.outcomes.get(test.name)
        if known is None and not stmt.pair:
            # In an open adjoint a reverse branch reads what the arms of its forward one define.
            known = self.passed.get(test.name)
        kept = _defines(stmt, self.frozen) or stmt.pair in self.kept
        return test if known is None or kept else const(known)

    def are_same(self, results: tuple[Value, ...], then: Block, orelse: Block) -> bool:
        """Whether two arms compute the same, none of it the user's."""
        mine, others = list(defined_in(then)), list(defined_in(orelse))
        if [v.type for v in mine] != [v.type for v in others] or any(map(has_effect, then.stmts)):
            return False
        if not self.frozen.isdisjoint(v.name for v in (*results, *mine, *others)):
            return False
        names = {other.name: own.name for own, other in zip(mine, others, strict=True)}
        return show(rename(orelse, names)) == show(then)


def _defines(branch: Branch, names: Collection[str]) -> bool:
    own = (*branch.results, *defined_in(branch.then), *defined_in(branch.orelse))
    return any(v.name in names for v in own)


def _pairs_kept(body: Block, frozen: Collection[str]) -> frozenset[int]:
    """The branches of the user's that stay, by their pairs: their reverse branches read what is
    defined in their arms, and stay as well."""
    branches = (s for s in walk(body) if isinstance(s, Branch) and s.pair)
    return frozenset(s.pair for s in branches if _defines(s, frozen))
