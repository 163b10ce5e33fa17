"""Procedure outlining: the body of a loop with a checkpoint schedule becomes a function of its own.

    for i in range(n):                      def f_step(u, i, k): ...
        u = g(u, k, i)              ->      for i in range(n):
                                                u = f_step(u, i, k)

Its adjoint is one function that runs the step again (`ad/calls/derive_callees.py`), since the
values inside a step are computed again from the state before it. Loops count their iterations
from 0; a `while` counts them in a value that it carries. What a step does beside computing would
be done again: effects are refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.ad.modes.tangent import distinct
from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.errors import Span, Unsupported
from adjointgen.frontend.state.call_effects import only_raises, with_effects
from adjointgen.ir.edit import flags_of, rebuild, with_values
from adjointgen.ir.nodes import (
    Block,
    Call,
    Function,
    Loop,
    Operand,
    Origin,
    Stmt,
    Value,
    While,
    defined_in,
    reads_of,
    walk,
)
from adjointgen.ir.packing import plain_parameters, plain_results
from adjointgen.ir.schedules import INDEPENDENT
from adjointgen.ir.types import INT
from adjointgen.optimize.scalar.dce import has_effect, is_look
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names, const


def has_schedules(function: Function) -> bool:
    """Whether a loop of a program has a checkpoint schedule."""
    return any(_scheduled(function))


def require_memory(function: Function) -> None:
    """Raise Unsupported (AG122) for snapshots in files, which a compiler knows nothing of."""
    for stmt in _scheduled(function):
        if stmt.schedule is not None and stmt.schedule.folder:
            raise Unsupported(
                "a compiled program keeps its snapshots in memory",
                code="AG122",
                span=stmt.span,
                help='write checkpoint(memory="2 GB"), or leave compile= out',
            )


def outlined(function: Function) -> Function:
    """The program with a function for each step of a loop that has a schedule.

    Raises Unsupported (AG122) for a loop whose steps cannot be run twice.
    """
    titles = Names((function.name, *(f.name for f in function.callees)))
    work = [_Outlining(f, titles) for f in (function, *function.callees)]
    root, *callees = (replace(w.function, body=w.block(w.function.body)) for w in work)
    steps = (step for w in work for step in w.steps)
    return with_effects(replace(root, callees=(*callees, *steps)))


def _scheduled(function: Function) -> Iterator[Loop | While]:
    """The loops with a schedule, in the program and in the functions that it calls."""
    for each in (function, *function.callees):
        for stmt in walk(each.body):
            if isinstance(stmt, Loop | While) and stmt.schedule is not None:
                yield stmt


class _Outlining:
    def __init__(self, function: Function, titles: Names) -> None:
        self.function = function
        self.titles = titles
        self.names = Names.of(function)
        self.steps: list[Function] = []

    def block(self, block: Block) -> Block:
        stmts = (new for stmt in block.stmts for new in self.statement(stmt))
        return replace(block, stmts=tuple(stmts))

    def statement(self, stmt: Stmt) -> Iterator[Stmt]:
        stmt = rebuild(stmt, lambda operand: operand, self.block)
        match stmt:
            case Loop(schedule=kept) if kept is not None and not stmt.body.params:
                # Nothing is handed from step to step, so that there is no state to keep.
                yield replace(stmt, schedule=None)
            case Loop(schedule=kept) if kept is not None:
                require_repeatable(stmt)
                builder = Builder(self.names)
                builder.span = stmt.span
                loop, before = self.counted(builder, stmt)
                yield from builder.stmts
                yield self.stepped(loop, before)
            case While(schedule=kept) if kept is not None:
                require_repeatable(stmt)
                yield self.stepped(self.counting(stmt), ())
            case _:
                yield stmt

    def counted(self, builder: Builder, loop: Loop) -> tuple[Loop, tuple[Stmt, ...]]:
        """The loop over 0, 1, 2 ..., and what gives the index of an iteration."""
        start, stop, step = loop.bounds
        if loop.index.root == "_" and loop.index not in {*reads_of(loop.body)}:
            loop = replace(loop, index=builder.value("", loop.index.type, "i"))
        if (start, step) == (const(0), const(1)) and not loop.backwards:
            return loop, ()
        apply = builder.apply
        if step == const(1):
            count = apply("sub", stop, start)
        else:
            reach = apply("add", apply("sub", stop, start), step)
            count = apply("floordiv", apply("sub", reach, apply("sign", step)), step)
        place = builder.value("", INT, "k")
        with builder.block() as made:
            number: Operand = place
            if loop.backwards:
                number = apply("sub", apply("sub", count, const(1)), place)
            index = apply("add", start, apply("mul", number, step), root=loop.index.root)
            builder.name_last(index, loop.index)
        bounds = (const(0), count, const(1))
        return replace(loop, index=place, bounds=bounds, backwards=False), tuple(made)

    def counting(self, loop: While) -> While:
        """The loop with the number of its iterations among what it carries."""
        builder = Builder(self.names)
        place, own = (builder.value("", INT, "k") for _ in range(2))
        with builder.block() as made:
            after = builder.apply("add", place, const(1))
        body = Block(
            (*loop.body.params, place),
            (*loop.body.stmts, *made),
            (*loop.body.yields, after),
        )
        return replace(
            loop,
            results=(*loop.results, builder.value("", INT, "k")),
            inits=(*loop.inits, const(0)),
            test=replace(loop.test, params=(*loop.test.params, own)),
            body=body,
        )

    def stepped(self, loop: Loop | While, before: tuple[Stmt, ...]) -> Loop | While:
        """The loop with a call of its step for its body, after what stands `before` it."""
        body, flags = loop.body, flags_of(loop)
        inner = {v.name for v in defined_in(body)}
        outer = {v.name: v for v in reads_of(body) if v.name not in inner}
        params = (*body.params, *outer.values())
        title = self.titles.fresh(f"{self.function.name}_step")
        own = _told_apart(Block(params, body.stmts, body.yields))
        self.steps.append(
            replace(
                self.function,
                name=title,
                parameters=plain_parameters(own.params),
                body=own,
                results=plain_results(len(body.yields)),
                names=_names(body, flags),
                origin=Origin(self.function.origin.file, self.function.origin.qualname),
                callees=(),
                packed=(),
                written=frozenset(),
                carries=len(body.params),
                joint=loop.schedule == INDEPENDENT,
            )
        )
        results = tuple(self.after(y, k - flags, body) for k, y in enumerate(body.yields))
        call = Call(results, title, params)
        return replace(loop, body=Block(body.params, (*before, call), results))

    def after(self, end: Operand, k: int, body: Block) -> Value:
        """The result of a step: a flag, or the next value of what is carried."""
        like = body.params[k] if k >= 0 else None
        root = like.root if like is not None else ""
        stem = like.name if like is not None else "stop"
        return Value(self.names.fresh(stem), replace(end.type, value=None), root)


def _told_apart(body: Block) -> Block:
    """A body whose parameters have names of variables of their own: by these derivatives are told.

    What is no variable of the user's has none, and what it was before the loop has the same.
    """
    roots = distinct((p.root or p.name for p in body.params), ())
    by = {p.name: replace(p, root=root) for p, root in zip(body.params, roots, strict=True)}
    return with_values(body, lambda value: by.get(value.name, value))


def _names(body: Block, flags: int) -> tuple[str, ...]:
    """What the results of a step are called: as what is carried."""
    wishes = [*("stop" for _ in range(flags)), *(p.root or p.name for p in body.params)]
    fresh = Names()
    return tuple(fresh.fresh(wish) for wish in wishes)


def require_joint(function: Function) -> None:
    """Raise Unsupported (AG122) where a call is to be joint of a function that cannot run twice."""
    for callee in function.callees:
        if callee.joint and not callee.carries:
            require_twice(callee.body, None, "write split above the call, or nothing")


def require_twice(block: Block, span: Span | None, help: str) -> None:
    """Raise Unsupported (AG122) for statements that cannot run twice."""
    for stmt in walk(block):
        if (has_effect(stmt) or is_look(stmt)) and not only_raises(stmt):
            raise Unsupported(
                "the adjoint runs this a second time, which can be noticed",
                code="AG122",
                span=stmt.span or span,
                help=help,
            )


def require_repeatable(loop: Loop | While) -> None:
    """Raise Unsupported (AG122) for a loop whose steps cannot be run twice, or state not kept."""
    require_twice(loop.body, loop.span, "move it out of the loop, or leave the directive out")
    for value, before in zip(loop.body.params, loop.inits, strict=True):
        kind, what = value.type.kind, value.root or value.name
        if kind == "object" or (kind == "list" and value.type.rank != 1):
            said, advice = "and no array or number", f"make {what} an array"
        elif not value.type.is_scalar and is_undefined(before):
            said, advice = "and has no value before it", f"give {what} one of its shape"
        else:
            continue
        raise Unsupported(
            f"{what} is part of the state of a loop with checkpoints, {said}",
            code="AG122",
            span=loop.span,
            help=f"{advice}, or leave the directive out",
        )
