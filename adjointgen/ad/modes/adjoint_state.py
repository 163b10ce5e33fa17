"""The bookkeeping of the reverse sweep: which value is the adjoint of what, by forward name.

`bars[x]` is `x_bar` so far; absent means zero. `restored[a]` is what holds in the reverse sweep
what `a` held in the forward sweep; absent means `a` itself, which `record` then has to provide.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TypeGuard

from adjointgen.ad.modes.guarded_product import chosen, guarded, is_infinite, may_be_zero
from adjointgen.ad.modes.rule_lookup import adjoint_type
from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.differentiation.zero_times_infinity import Idle
from adjointgen.analysis.values.maybe_undefined import undefined
from adjointgen.ir.nodes import Apply, Block, Const, Operand, Stmt, Value, results_of
from adjointgen.ir.types import Type
from adjointgen.records import replace
from adjointgen.rules.framework.apply import Pulls
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.contributions import add, fit_adjoint, is_zero, zero
from adjointgen.rules.framework.sweep import bar_root
from adjointgen.rules.framework.table import TABLE

Path = tuple[tuple[int, int], ...]
"""A reverse block by the pairs of the statements around it, each with the number of its block."""

Held = tuple[Value, Path]
"""A value of the reverse sweep that holds a forward one, and the block where it does."""


class Bars(Pulls):
    """Adjoints and restored values of what is in scope; `everything` is all ever restored.

    `fresh` are the stores that overwrite nothing active, by their results.
    `chosen` has the statements of those adjoints that are zero where a test does not hold, `fitted`
    the names of those that are made of such a one and have another shape, or may have; `idle` says
    which may be zero by any choice.
    """

    def __init__(self, builder: Builder, activity: Activity, idle: Idle) -> None:
        super().__init__(builder)
        self.activity = activity
        self.idle = idle
        self.bars: dict[str, Operand] = {}
        self.restored: dict[str, Operand] = {}
        self.versions: dict[str, Value] = {}
        self.everything: dict[str, tuple[Held, ...]] = {}
        self.path: Path = ()
        self.taken: set[str] = set()
        self.near: set[str] = set()
        self.shapes: dict[Type, Value] = {}
        self.shapeless: Collection[str] = frozenset()
        self.chosen: dict[str, Apply] = {}
        self.fitted: set[str] = set()
        self.fresh: Collection[str] = frozenset()

    def at_hand(self, block: Block) -> None:
        """Note what the reverse sweep has anyway: the values of the function's own block."""
        self.shapeless = undefined(block)
        for value in (*block.params, *(r for s in block.stmts for r in results_of(s))):
            self.near.add(value.name)
            if is_sized(value.type) and value.name not in self.shapeless:
                self.shapes.setdefault(value.type, value)

    def active(self, operand: Operand) -> bool:
        return self.activity.active(operand)

    def primal(self, operand: Operand) -> Operand:
        """What holds a forward value in the reverse sweep."""
        return self.restored.get(operand.name, operand) if isinstance(operand, Value) else operand

    def product(self, stmt: Apply, bar: Operand, factor: Operand, place: int) -> Operand:
        """`bar * factor`.

        Where the adjoint is zero since another choice was made, the product is zero for infinite
        factors too: in `np.where(x > 0, np.sqrt(x), 0.0)` the root of 0 is not used.
        """
        builder, idle = self.builder, self.idle
        choice = self.chosen.get(bar.name) if isinstance(bar, Value) else None
        if choice is None or TABLE[stmt.op].omits:
            rests, steep = (stmt.result.name in of for of in (idle.idle, idle.steep))
            if self.is_fitted(bar) and not isinstance(factor, Const):
                return guarded(builder, bar, factor)
            if rests and is_infinite(stmt, place == 0, factor, idle):
                return guarded(builder, bar, factor)
            if steep and may_be_zero(stmt, factor, idle):
                return guarded(builder, factor, bar, leads=False)
            if steep or TABLE[stmt.op].omits:
                return chosen(builder, bar, factor, lambda b, f: builder.apply("mul", b, f))
            return builder.apply("mul", bar, factor)
        test, *arms = choice.args
        scaled = [arm if is_zero(arm) else self.within(arm, factor) for arm in arms]
        return builder.apply("select", test, *scaled)

    def within(self, arm: Operand, factor: Operand) -> Operand:
        """The product in an arm of a choice, which may be zero by another choice."""
        chosen = isinstance(arm, Value) and arm.name in self.chosen
        if chosen and isinstance(factor, Value):
            return guarded(self.builder, arm, factor)
        return self.builder.apply("mul", arm, factor)

    def restore(self, value: Operand, held: Operand) -> None:
        """Note that `held` is what `value` was."""
        if isinstance(value, Value) and held != value:
            self.restored[value.name] = held
            self.versions[value.name] = value
            if isinstance(held, Value):
                before = self.everything.get(value.name, ())
                self.everything[value.name] = (*before, (held, self.path))

    def contribute(self, operand: Operand, bar: Operand, fits: bool = False) -> None:
        """`operand_bar += bar`, first fitted to the type of the operand."""
        if isinstance(operand, Value) and self.activity.active(operand):
            self.hand(operand, fit_adjoint(self.builder, bar, self.primal(operand), fits))

    def hand(self, operand: Operand, bar: Operand) -> None:
        """`operand_bar += bar` for the adjoint of the same value under another name."""
        if not isinstance(operand, Value) or not self.activity.active(operand):
            return
        root = bar_root(operand)
        before = self.bars.get(operand.name)
        if before is None and self.is_new(bar):
            bar = self.builder.rename(bar, root, f"{operand.name}_bar")
        self.define(operand, add(self.builder, before, bar, root))

    def is_new(self, bar: Operand) -> TypeGuard[Value]:
        """Whether a bar is a temporary that is nobody's adjoint yet."""
        return isinstance(bar, Value) and not bar.root and bar.name not in self.taken

    def define(self, operand: Operand, bar: Operand) -> None:
        """`operand_bar = bar`, which includes what it was so far."""
        assert isinstance(operand, Value)
        self.bars[operand.name] = bar
        if isinstance(bar, Value):
            self.taken.add(bar.name)
            last = self.builder.last
            if isinstance(last, Apply) and bar in last.results:
                if last.op == "select":
                    self.chosen[bar.name] = last
                elif _keeps_zeros(last) and self.is_zero_by_choice(last.args[0]):
                    self.fitted.add(bar.name)

    def is_zero_by_choice(self, operand: Operand) -> bool:
        """Whether an adjoint is a choice of which one is 0, or is made of such a one."""
        if self.is_fitted(operand):
            return True
        made = self.builder.made(operand)
        if made is None or not made.args:
            return False
        if _keeps_zeros(made):
            return self.is_zero_by_choice(made.args[0])
        return TABLE[made.op].entries == "chosen" and any(map(is_zero, made.args[1:]))

    def is_fitted(self, bar: Operand) -> bool:
        return isinstance(bar, Value) and bar.name in self.fitted

    def bar_or_zero(self, operand: Value) -> Operand:
        """The adjoint so far; where there is none, a zero of the operand's type."""
        found = self.bars.get(operand.name)
        return self.zero(operand) if found is None else found

    def zero(self, operand: Value) -> Operand:
        """A zero adjoint: `np.zeros_like(x)`, like something of the same shape if that is nearer.

        A value of a loop or branch would have to be recorded for its shape alone.
        """
        like = self.primal(operand)
        if operand.name not in self.near:
            like = self.shapes.get(operand.type, like)
        return zero(self.builder, like, bar_root(operand))

    def fresh_bar(self, value: Value) -> Value:
        """A fresh value that is the adjoint of `value`."""
        return self.builder.value(bar_root(value), adjoint_type(value.type), f"{value.name}_bar")

    def same(self, value: Value) -> Value:
        """A fresh value for another version of the same variable."""
        return self.builder.value(value.root, replace(value.type, value=None), value.name)

    @contextmanager
    def scope(self, pair: int, part: int = 0) -> Iterator[list[Stmt]]:
        """A reverse block: its statements are collected, what it learns is forgotten after."""
        bars, restored, path = self.bars, self.restored, self.path
        self.bars, self.restored = dict(bars), dict(restored)
        self.path = (*path, (pair, part))
        with self.builder.block() as made:
            yield made
        self.bars, self.restored, self.path = bars, restored, path


def _keeps_zeros(stmt: Apply) -> bool:
    """Whether the result has the entries of the first argument, or zeros where that has them."""
    row = TABLE[stmt.op]
    return bool(row.alias) or row.gives_zero


def is_sized(type: Type) -> bool:
    """Whether values of equal type certainly have equal shapes."""
    return type.is_array and type.shape is not None and None not in type.shape
