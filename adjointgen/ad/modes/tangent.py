"""Forward mode: `y = op(x)` is preceded by `y_dot = sum_k (d op / d x_k) * x_k_dot`.

One recursion Block -> Block: every statement gives its tangent statement and itself, in that
order unless the tangent is stated in terms of the result. Carried values and results are doubled
where they are active. (Griewank and Walther 2008, section 3.1.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from adjointgen.ad.modes.derived_calls import NONE, DerivedBy
from adjointgen.ad.modes.guarded_product import chosen, guarded, is_infinite, may_be_zero
from adjointgen.ad.modes.rule_lookup import rule_of, zero_tangent
from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.differentiation.call_patterns import pattern_of
from adjointgen.analysis.differentiation.messages import is_message
from adjointgen.analysis.differentiation.zero_times_infinity import NEVER, Idle
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Loop,
    Node,
    Operand,
    Parameter,
    Record,
    Replay,
    Stmt,
    Value,
    While,
)
from adjointgen.ir.packing import Groups, leaves, seeds_of
from adjointgen.records import replace
from adjointgen.rules.framework.apply import Pushes, push
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.rules.framework.contributions import fit_tangent, is_zero
from adjointgen.rules.framework.table import TABLE


def tangent(
    function: Function,
    groups: Groups,
    activity: Activity,
    derived: DerivedBy = NONE,
    idle: Idle = NEVER,
) -> Function:
    """The tangent program: `f(x)` becomes `f_tangent(x, x_dot)`, which returns `(y, y_dot)`.

    `derived` names the tangents of the functions that are called, and `idle` tells which tangents
    may be zero by choice. Raises NoRule (AG201) where an active value reaches an operation without
    a derivative.
    """
    work = Tangents(function, activity, derived, idle)
    inputs = inputs_of(function, groups)
    names = distinct((f"{p.root}_dot" for p in inputs), {p.name for p in function.parameters})
    dots = [work.builder.value(name, p.type) for name, p in zip(names, inputs, strict=True)]
    work.dots.update({p.name: dot for p, dot in zip(inputs, dots, strict=True)})
    by_root = {p.root: dot for p, dot in zip(inputs, dots, strict=True)}
    seeds, packed = seeds_of(groups, by_root, "_dot")
    work.statements(function.body.stmts)
    ends = zip(function.body.yields, function.names, strict=True)
    tangents = tuple(work.tangent_of(y, f"{name}_dot") for y, name in ends)
    body = Block(
        (*function.body.params, *seeds), work.builder.stmts, (*function.body.yields, *tangents)
    )
    return replace(
        function,
        name=f"{function.name}_tangent",
        parameters=with_seeds(function.parameters, [Parameter(d.root) for d in seeds]),
        body=body,
        results=Node("tuple", (function.results, function.results)),
        names=function.names + distinct((f"{n}_dot" for n in function.names), function.names),
        packed=function.packed + packed,
    )


def inputs_of(function: Function, groups: Groups) -> list[Value]:
    """The parameters that are differentiated, in the order of the groups."""
    by = {p.root: p for p in function.body.params}
    found = [by[leaf] for _, tree in groups for leaf, _ in leaves(tree)]
    return [p for p in found if p.type.is_differentiable]


def rooted_parameters(values: Iterable[Value]) -> tuple[Parameter, ...]:
    """Parameters with the names of the user's variables, with underscores where two are one."""
    return tuple(map(Parameter, distinct((v.root or v.name for v in values), ())))


def distinct(wishes: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """The names, with underscores where they are taken: `x_bar` may have an adjoint already."""
    found, used = [], set(taken)
    for name in wishes:
        while name in used:
            name += "_"
        used.add(name)
        found.append(name)
    return tuple(found)


def with_seeds(given: tuple[Parameter, ...], seeds: list[Parameter]) -> tuple[Parameter, ...]:
    """Parameters followed by seeds, which are keyword-only where a default stands before them.

    After `*args` all of them are, or arguments would be taken for seeds.
    """
    late = any(p.keyword_only or p.default or p.star for p in given)
    star = any(p.star for p in given)
    return given + tuple(
        replace(s, keyword_only=True) if star or (late and not s.default) else s for s in seeds
    )


class Tangents(Pushes):
    def __init__(
        self, function: Function, activity: Activity, derived: DerivedBy, idle: Idle
    ) -> None:
        super().__init__(Builder(Names.of(function)))
        self.derived = derived
        self.idle = idle
        self.activity = activity
        self.dots: dict[str, Operand] = {}
        self.slots: dict[str, str] = {}

    def slot(self, slot: str) -> str:
        """The tape of the tangents of what is on a tape."""
        if slot not in self.slots:
            self.slots[slot] = self.builder.names.fresh(f"{slot}_dot")
        return self.slots[slot]

    def dot(self, operand: Operand) -> Operand | None:
        return self.dots.get(operand.name) if isinstance(operand, Value) else None

    def dot_or_zero(self, operand: Operand, root: str = "") -> Operand:
        found = self.dot(operand)
        return zero_tangent(self.builder, operand, root) if found is None else found

    def tangent_of(self, result: Operand, root: str) -> Operand:
        """The tangent of a result; an integer's is zero, as a float, and that of a text None."""
        if result.type.is_differentiable:
            return self.dot_or_zero(result, root)
        if result.type.is_array:
            return self.builder.apply("zeros_like", result, root=root, dtype="float64")
        is_text = isinstance(result, Const) and isinstance(result.value, str | bytes | None)
        return const(None if is_text else 0.0)

    def statements(self, stmts: tuple[Stmt, ...]) -> None:
        for stmt in stmts:
            self.builder.span = stmt.span
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Apply():
                self.apply(stmt)
            case Loop():
                self.loop(stmt)
            case While():
                self.while_(stmt)
            case Branch():
                self.branch(stmt)
            case Record():
                self.builder.add(stmt)
                if self.activity.slot_active(stmt.slot):
                    dot = self.dot_or_zero(stmt.value)
                    self.builder.add(Record(self.slot(stmt.slot), dot, stmt.span))
            case Replay():
                self.builder.add(stmt)
                if self.activity.slot_active(stmt.slot):
                    dot = self.fresh(stmt.result)
                    self.builder.add(Replay(dot, self.slot(stmt.slot), stmt.span))
                    self.dots[stmt.result.name] = dot
            case Call():
                self.call(stmt)
            case _:
                assert_never(stmt)

    def fresh(self, value: Value) -> Value:
        return self.builder.value(
            f"{value.root}_dot" if value.root else "", value.type, f"{value.name}_dot"
        )

    def apply(self, stmt: Apply) -> None:
        """One operation: its tangent before it, or after it where the rule reads the result."""
        found = [self.dot(a) for a in stmt.args]
        rests = not any(map(self.activity.active, stmt.results)) or all(d is None for d in found)
        if rests and not is_message(stmt):
            self.builder.add(stmt)
            return
        source = next((a for a, d in zip(stmt.args, found, strict=True) if d is not None), None)
        row = rule_of(stmt, source, stmt.span)
        with self.builder.block() as made, self.builder.called_as(stmt):
            dots = push(self, row, stmt, found)
        reads_result = any(r in getattr(s, "args", ()) for s in made for r in stmt.results)
        for each in [stmt, *made] if reads_result else [*made, stmt]:
            self.builder.add(each)
        for result, dot in zip(stmt.results, dots, strict=True):
            if not is_zero(dot):
                assert dot is not None
                self.dots[result.name] = dot

    def root(self, stmt: Apply) -> str:
        return f"{stmt.result.root}_dot" if stmt.result.root else ""

    def times(self, stmt: Apply, dot: Operand, factor: Operand, place: int) -> Operand:
        """`factor * dot`; zero where the one is by a choice, and the other infinite."""
        builder, idle, arg = self.builder, self.idle, stmt.args[place]
        rests = isinstance(arg, Value) and arg.name in idle.idle
        if rests and is_infinite(stmt, place == 0, factor, idle):
            return guarded(builder, dot, factor, leads=False)
        steep = any(isinstance(a, Value) and a.name in idle.steep for a in stmt.args)
        if steep and may_be_zero(stmt, factor, idle):
            return guarded(builder, factor, dot)
        if steep or TABLE[stmt.op].omits:
            return chosen(builder, dot, factor, lambda d, f: builder.apply("mul", f, d))
        return builder.apply("mul", factor, dot)

    def fit(self, stmt: Apply, dot: Operand) -> Operand:
        return fit_tangent(self.builder, dot, stmt.result, self.root(stmt))

    def zero_of(self, operand: Operand) -> Operand:
        return zero_tangent(self.builder, operand)

    def given(self, stmt: Apply, dot: Operand) -> Operand:
        """A tangent as a rule gets it: of a list, an array, unless the rule gives lists."""
        listed = any(r.type.kind == "list" for r in stmt.results)
        return self.builder.apply("asarray", dot) if dot.type.kind == "list" and not listed else dot

    def named(self, stmt: Apply, dot: Operand) -> Operand:
        """The tangent under its user's name: the statement that made it is renamed."""
        root = self.root(stmt)
        if not root or not isinstance(dot, Value) or dot.root:
            return dot
        return self.builder.rename(dot, root)

    def call(self, stmt: Call) -> None:
        """`y, y_dot = g_tangent(x, x_dot)`."""
        pattern = pattern_of(stmt, self.activity)
        if pattern is None:
            self.builder.add(stmt)
            return
        given = tuple(self.dot_or_zero(stmt.args[k]) for k in pattern.wrt)
        dots = tuple(self.fresh(stmt.results[k]) for k in pattern.results)
        name, results = self.derived[pattern].forward, stmt.results + dots
        self.builder.add(replace(stmt, function=name, results=results, args=stmt.args + given))
        for k, dot in zip(pattern.results, dots, strict=True):
            self.dots[stmt.results[k].name] = dot

    def loop(self, stmt: Loop) -> None:
        carried, body = self.carry(stmt.results, stmt.inits, stmt.body, int(bool(stmt.trips)))
        self.builder.span = stmt.span
        self.builder.add(
            replace(
                stmt,
                results=stmt.results + carried.results,
                inits=stmt.inits + carried.inits,
                body=body,
            )
        )

    def while_(self, stmt: While) -> None:
        carried, body = self.carry(stmt.results, stmt.inits, stmt.body, int(stmt.breaks))
        spare = tuple(self.builder.value(p.root, p.type, p.name) for p in carried.params)
        test = replace(stmt.test, params=stmt.test.params + spare)
        self.builder.add(
            replace(
                stmt,
                results=stmt.results + carried.results,
                inits=stmt.inits + carried.inits,
                test=test,
                body=body,
            )
        )

    def carry(
        self, results: tuple[Value, ...], inits: tuple[Operand, ...], body: Block, flags: int
    ) -> tuple[_Carried, Block]:
        """The loop body with tangents carried beside the active values."""
        active = [
            k
            for k, (r, p) in enumerate(zip(results, body.params, strict=True))
            if self.activity.active(r) or self.activity.active(p)
        ]
        carried = _Carried(
            tuple(self.dot_or_zero(inits[k], f"{results[k].root}_dot") for k in active),
            tuple(self.fresh(body.params[k]) for k in active),
            tuple(self.fresh(results[k]) for k in active),
        )
        self.dots.update(
            {body.params[k].name: d for k, d in zip(active, carried.params, strict=True)}
        )
        with self.builder.block() as made:
            self.statements(body.stmts)
            ends = tuple(self.dot_or_zero(body.yields[flags + k]) for k in active)
        self.dots.update({results[k].name: d for k, d in zip(active, carried.results, strict=True)})
        return carried, Block(body.params + carried.params, tuple(made), body.yields + ends)

    def branch(self, stmt: Branch) -> None:
        active = [k for k, r in enumerate(stmt.results) if self.activity.active(r)]
        results = tuple(self.fresh(stmt.results[k]) for k in active)
        arms = []
        for arm in (stmt.then, stmt.orelse):
            with self.builder.block() as made:
                self.statements(arm.stmts)
                ends = tuple(self.dot_or_zero(arm.yields[k]) for k in active)
            arms.append(Block((), tuple(made), arm.yields + ends))
        self.builder.add(
            replace(stmt, results=stmt.results + results, then=arms[0], orelse=arms[1])
        )
        self.dots.update({stmt.results[k].name: d for k, d in zip(active, results, strict=True)})


class _Carried:
    def __init__(
        self, inits: tuple[Operand, ...], params: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        self.inits, self.params, self.results = inits, params, results
