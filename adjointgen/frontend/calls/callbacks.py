"""Functions that are handed to code which is not read: solvers, quadrature.

Such a function is lowered once more where it is handed over, as a function of what it will be
called with and of all values that it reads: for the derivative, and for the text, where it is no
`lambda` that can be copied.

    def f(u): return u**3 - a            def f(u, a): return u**3 - a
    brentq(f, 0.0, 3.0)                  brentq(lambda u: f(u, a), 0.0, 3.0)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Abstract, Bound, Closure, Named, Partial, Seq
from adjointgen.frontend.domain.maybe_scalar import settled
from adjointgen.frontend.functions.outlines import Entry
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_text import template
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.edit import substitute_in, with_values
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Const,
    Function,
    Leaf,
    Operand,
    Parameter,
    Value,
    defined_in,
    reads_of,
    walk,
)
from adjointgen.ir.types import OBJECT, Type
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Names

FUNCTIONS = ("f", "func", "fun", "fprime", "fprime2", "jac", "hess", "hessp", "Dfun")


@dataclass(slots=True)
class Handing:
    """A call that is handed functions; `args` are what else these are called with.

    An unknown of several axes is solved for as a vector, and has its `lengths` in the functions.
    """

    call: Call
    names: tuple[str, ...]
    given: dict[str, Abstract]
    unknowns: tuple[Type, ...]
    args: tuple[Abstract, ...] = ()
    lengths: tuple[Operand, ...] = ()
    calls: list[str] = field(default_factory=list)

    @property
    def ctx(self) -> Context:
        return self.call.ctx

    def applied(self, function: Abstract, *first: Operand) -> Value:
        """The function at some place, lowered here."""
        ctx = self.ctx
        ctx.inlining += 1
        try:
            made = ctx.actions.applied(ctx, function, [*first, *self.args], {}, self.call.node)
        finally:
            ctx.inlining -= 1
        found = read(ctx, made)
        return found if isinstance(found, Value) else ctx.apply("copy", found)

    def region(
        self, function: Abstract, change: Callable[[Value, Value], Value] = lambda _, y: y
    ) -> tuple[Function, list[Value]]:
        """A function as one of the unknown and of all that it reads, and what that is."""
        ctx = self.ctx
        unknowns = tuple(
            ctx.value(_argument(function, k), type, "x") for k, type in enumerate(self.unknowns)
        )
        with ctx.block(ctx.state.fork()) as stmts:
            value = change(unknowns[0], self._flat(function, unknowns))
        inside = walk(Block((), tuple(stmts), ()))
        if any(isinstance(s, Apply) and s.op == "statement" and not _raises(s) for s in inside):
            ctx.refuse("AG102", "this function does more than compute", "leave it out")
        body = settled(Block(unknowns, tuple(stmts), (value,)), ctx.loose)
        # What was renamed may be held under its old name, in the result of another solver.
        body = with_values(body, lambda v: ctx.renamed.get(v.name, v))
        own = {v.name for v in defined_in(body)}
        free = list(dict.fromkeys(v for v in reads_of(body) if v.name not in own))
        return _function(function, body, free), free

    def _flat(self, function: Abstract, unknowns: tuple[Value, ...]) -> Value:
        """What a function gives for unknowns that are vectors, as a vector."""
        if not self.lengths:
            return self.applied(function, *unknowns)
        shaped = (self.ctx.apply("reshape", u, *self.lengths) for u in unknowns)
        return self.ctx.apply("ravel", self.applied(function, *shaped))

    def texts(self, holes: Holes) -> list[str]:
        """The arguments as they are written; `args` only where the functions still take them."""
        nodes: dict[str | None, ast.expr] = {k.arg: k.value for k in self.call.node.keywords}
        nodes |= dict(zip(self.names, self.call.node.args, strict=False))
        functions = {
            name: self._as_written(value, nodes.get(name), holes)
            for name, value in self.given.items()
            if name in FUNCTIONS
        }
        whole = None not in functions.values()
        made, behind = [], False
        for name, value in self.given.items():
            if name == "args" and not whole:
                behind = True
                continue
            text = functions.get(name) if whole else None
            if text is None:
                text = self._handed(value, holes) if name in functions else holes.fill(value)
            made.append(f"{name}={text}" if behind or name in self.call.keywords else text)
        return made

    def _as_written(self, value: Abstract, node: ast.expr | None, holes: Holes) -> str | None:
        """The text of a function that stands in the call, or that is NumPy's."""
        if isinstance(node, ast.Lambda):
            filled: tuple[list[Any], ...] = (holes.operands, holes.refs, holes.outside)
            lengths = [len(part) for part in filled]
            text = or_none(self.ctx, lambda: template(self.ctx, node, holes))
            for part, length in zip(filled, lengths, strict=True):
                if text is None:
                    del part[length:]
            return text
        return holes.fill(value) if isinstance(value, Named | Const) else None

    def _handed(self, value: Abstract, holes: Holes) -> str:
        """A function of the program, of the unknown and with what else it reads."""
        if not isinstance(value, Closure | Partial | Bound):
            return holes.fill(value)
        function, free = self.region(value)
        name = self.ctx.outlines.names.fresh(function.name)
        function = replace(function, name=name)
        self.ctx.outlines.entries["handed", name] = Entry(name, function, function)
        self.calls.append(name)
        more = "".join(f", {holes.fill(v)}" for v in free)
        x = ", ".join(p.root for p in function.body.params[: len(self.unknowns)])
        return f"lambda {x}: {name}({x}{more})" if free else name


def handing(
    call: Call, names: Sequence[str], given: Mapping[str, Abstract], *unknowns: Type
) -> Handing:
    """A call with its arguments by name."""
    args = given.get("args", Seq(()))
    known = content(call.ctx, args)
    several = known.items if isinstance(known, Seq) and known.kind == "tuple" else (args,)
    return Handing(call, tuple(names), dict(given), unknowns, several)


def part_of(ctx: Context, code: str, whole: Value, type: Type = OBJECT) -> Value:
    """A part of what a solver gave: `code` reads it of `_0_`, which does nothing else.

    It is read where the program reads it: a result may lack what others of its kind have.
    """
    return verbatim(ctx, code, (whole,), type, effect=False, sure=True)


def _argument(function: Abstract, k: int) -> str:
    """What a function calls one of its arguments."""
    match function:
        case Closure(source=source) if len(source.arguments.args) > k:
            return str(source.arguments.args[k].arg)
    return ""


def _raises(stmt: Apply) -> bool:
    """Whether a statement does nothing else than end the function in an exception."""
    return str(stmt.option("code", "")).startswith(("raise ", "assert "))


def _function(function: Abstract, body: Block, free: Sequence[Value]) -> Function:
    """A body as a function whose parameters have names."""
    name = function.source.name if isinstance(function, Closure) else "function"
    name = "function" if name.startswith("lambda") or not name.isidentifier() else name
    outer = (*body.params, *free)
    taken = Names(v.name for v in (*defined_in(body), *free))
    roots = Names()
    params = tuple(
        Value(
            taken.fresh("x"), v.type, roots.fresh(v.root or ("x" if k < len(body.params) else "p"))
        )
        for k, v in enumerate(outer)
    )
    given = {v.name: p for v, p in zip(outer, params, strict=True)}
    inner = substitute_in(replace(body, params=()), given)
    parameters = tuple(Parameter(p.root) for p in params)
    return Function(name, parameters, replace(inner, params=params), Leaf(), ("result",))
