"""Functions of SciPy that solve an equation or find a minimum: the implicit function theorem.

    x = brentq(f, a, b)        found = brentq(f, a, b);   x = implicit(found, p)   with f(x, p) = 0
    s = root_scalar(f, ...)    found = root_scalar(...);  s.root = implicit(found.root, p)
    x = minimize(f, x0).x      the same; what is zero is the gradient of f

The solver runs as the user called it. The equation is lowered once more, as a function of the
unknown and of all values that it reads, which goes with `implicit` as an option; what is done with
it, says `transform/implicit.py`. A function that the solver is handed is copied where it is a
`lambda` in the call; any other is written into the program, with what it reads as arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from adjointgen.errors import AdjointgenError, Unsupported
from adjointgen.frontend.calls import Call, Special
from adjointgen.frontend.cells import content, read
from adjointgen.frontend.context import Context
from adjointgen.frontend.loose import settled
from adjointgen.frontend.outline import Entry
from adjointgen.frontend.values import Abstract, Bound, Class, Closure, Named, Partial, Seq, Struct
from adjointgen.frontend.verbatim import Holes, template, verbatim
from adjointgen.ir.edit import substitute_in
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
from adjointgen.ir.types import OBJECT, Dim, Type
from adjointgen.records import dataclass, replace
from adjointgen.rules.build import Names, const

FUNCTIONS = ("f", "func", "fun", "fprime", "fprime2", "jac", "hess", "hessp", "Dfun")


@dataclass(frozen=True, slots=True)
class Solver:
    """How a solver is called, and what it gives.

    `zero` says what is zero at the solution: the function itself (`root`), its gradient
    (`minimum`), what it adds to the unknown (`fixed`), the gradient of the sum of its squares
    (`squares`). The unknown has the shape of `start`, or is a number; it is `part` of the result,
    which has the other `facts`, too.
    """

    names: tuple[str, ...]
    zero: str = "root"
    start: str = ""
    part: str = ""
    facts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ("full_output", "bounds", "constraints")
    scalar: bool = True


class Solution:
    """What a solver tells: an instance without code of its own."""


_BRACKET = Solver(("f", "a", "b", "args"))
_TOLD = ("success", "message", "status")
_MULTI = ("nit", "nfev")
SOLVERS: dict[str, Solver] = {
    **dict.fromkeys(("brentq", "brenth", "ridder", "bisect", "toms748"), _BRACKET),
    "newton": Solver(("func", "x0", "fprime", "args", "tol", "maxiter", "fprime2"), start="x0"),
    "fixed_point": Solver(("func", "x0", "args"), "fixed", "x0"),
    "root_scalar": Solver(
        ("f", "args", "method", "bracket", "fprime", "fprime2", "x0", "x1"),
        part="root",
        facts=("converged", "flag", "function_calls", "iterations"),
    ),
    "fsolve": Solver(("func", "x0", "args", "fprime"), start="x0", scalar=False),
    "root": Solver(
        ("fun", "x0", "args", "method", "jac"),
        start="x0",
        part="x",
        facts=(*_TOLD, "nfev"),
        scalar=False,
    ),
    "minimize_scalar": Solver(
        ("fun", "bracket", "bounds", "args", "method"), "minimum", "", "x", (*_TOLD, *_MULTI)
    ),
    "minimize": Solver(
        ("fun", "x0", "args", "method", "jac", "hess", "hessp", "bounds", "constraints"),
        "minimum",
        "x0",
        "x",
        (*_TOLD, *_MULTI),
        scalar=False,
    ),
    **dict.fromkeys(
        ("fmin", "fmin_powell"), Solver(("func", "x0", "args"), "minimum", "x0", scalar=False)
    ),
    **dict.fromkeys(
        ("fmin_bfgs", "fmin_cg"),
        Solver(("f", "x0", "fprime", "args"), "minimum", "x0", scalar=False),
    ),
    "least_squares": Solver(
        ("fun", "x0", "jac", "bounds"), "squares", "x0", "x", _TOLD, scalar=False
    ),
}


def solved(call: Call) -> Abstract | None:
    """What a solver gives; None where the call is copied, and has no derivative."""
    assert isinstance(call.function, Named)
    solver = SOLVERS[call.function.spelling.rpartition(".")[2]]
    if len(call.args) > len(solver.names):
        return None
    given = dict(zip(solver.names, call.args, strict=False)) | call.keywords
    if any(given.get(name, const(None)) != const(None) for name in solver.refused):
        return None
    unknown = _unknown(call.ctx, solver, given)
    if unknown is None:
        return None
    try:
        return _Solving(call, solver, given, unknown).result()
    except Unsupported:
        return None


def _unknown(ctx: Context, solver: Solver, given: Mapping[str, Abstract]) -> Type | None:
    """The type of the unknown."""
    if not solver.start:
        return Type("float64")
    start = given.get(solver.start)
    if start is None:
        return None
    known = content(ctx, start)
    if isinstance(known, Seq):
        lengths: tuple[Dim | None, ...] = (Dim("", len(known.items)),)
        return None if solver.scalar else Type("float64", lengths, "array")
    type = read(ctx, start).type
    if type.is_scalar:
        return Type("float64") if solver.scalar else Type("float64", (Dim("", 1),), "array")
    if solver.scalar or type.rank != 1:
        return None
    return Type("float64", type.shape, "array")


class _Solving:
    """One call of a solver."""

    def __init__(
        self, call: Call, solver: Solver, given: Mapping[str, Abstract], unknown: Type
    ) -> None:
        self.call, self.ctx, self.solver = call, call.ctx, solver
        self.given, self.unknown = given, unknown
        args = given.get("args", Seq(()))
        known = content(self.ctx, args)
        self.args = known.items if isinstance(known, Seq) and known.kind == "tuple" else (args,)
        self.calls: list[str] = []

    def result(self) -> Abstract:
        function = self.given[self.solver.names[0]]
        residual, free = self.region(function, self.solver.zero)
        found = self.found()
        solver = self.solver
        if solver.part:
            whole = found
            found = verbatim(self.ctx, f"_0_.{solver.part}", (whole,), self.unknown)
        options = {"residual": residual} | (
            {"minimal": True} if solver.zero in ("minimum", "squares") else {}
        )
        x = self.ctx.apply("implicit", found, *free, **options)
        if not solver.part:
            return x
        facts = {name: verbatim(self.ctx, f"_0_.{name}", (whole,)) for name in solver.facts}
        facts[solver.part] = x
        if solver.zero == "minimum":
            facts["fun"] = self.applied(function, x)
        return Struct(Class(Solution, "Solution"), tuple(facts), tuple(facts.values()))

    def applied(self, function: Abstract, *first: Operand) -> Value:
        """The function at some place, lowered here."""
        ctx = self.ctx
        ctx.inlining += 1
        try:
            made = ctx.actions["applied"](ctx, function, [*first, *self.args], {}, self.call.node)
        finally:
            ctx.inlining -= 1
        found = read(ctx, made)
        return found if isinstance(found, Value) else ctx.apply("copy", found)

    def region(self, function: Abstract, zero: str = "root") -> tuple[Function, list[Operand]]:
        """A function as one of the unknown and of all that it reads, and what that is."""
        ctx = self.ctx
        unknown = ctx.value("", self.unknown, "x")
        with ctx.block(ctx.state.fork()) as stmts:
            value = self.applied(function, unknown)
            if zero == "fixed":
                value = ctx.apply("sub", value, unknown)
            if zero == "squares":
                value = ctx.apply("sum", ctx.apply("mul", value, value))
        inside = walk(Block((), tuple(stmts), ()))
        if any(isinstance(s, Apply) and s.op == "statement" for s in inside):
            ctx.refuse("AG102", "this function does more than compute", "leave it out")
        body = settled(Block((unknown,), tuple(stmts), (value,)), ctx.loose)
        own = {v.name for v in defined_in(body)}
        free = list(dict.fromkeys(v for v in reads_of(body) if v.name not in own))
        return _function(function, body, free), list(free)

    def found(self) -> Value:
        """The call itself."""
        holes = Holes(self.ctx)
        kept = self.texts(holes)
        text = f"{holes.fill(self.call.function)}({', '.join(kept)})"
        type = OBJECT if self.solver.part else self.unknown
        calls = {"calls": tuple(self.calls)} if self.calls else {}
        return verbatim(self.ctx, text, holes.operands, type, solver=True, **calls)  # type: ignore[arg-type]

    def texts(self, holes: Holes) -> list[str]:
        """The arguments as they are written; `args` only where the functions still take them."""
        nodes = {k.arg: k.value for k in self.call.node.keywords}
        nodes |= dict(zip(self.solver.names, self.call.node.args, strict=False))
        functions = {n: self.as_written(nodes.get(n), holes) for n in self.given if n in FUNCTIONS}
        whole = None not in functions.values()
        made, behind = [], False
        for name, value in self.given.items():
            if name == "args" and not whole:
                behind = True
                continue
            text = functions.get(name) if whole else None
            if text is None:
                text = self.handed(value, holes) if name in functions else holes.fill(value)
            made.append(f"{name}={text}" if behind or name in self.call.keywords else text)
        return made

    def as_written(self, node: ast.expr | None, holes: Holes) -> str | None:
        """The text of a function that stands in the call, or that is NumPy's."""
        if isinstance(node, ast.Lambda):
            try:
                return template(self.ctx, node, holes)
            except AdjointgenError:
                return None
        found = None if node is None else self.ctx.expression(node)
        return holes.fill(found) if isinstance(found, Named | Const) else None

    def handed(self, value: Abstract, holes: Holes) -> str:
        """A function of the program, of the unknown and with what else it reads."""
        if not isinstance(value, Closure | Partial | Bound):
            return holes.fill(value)
        function, free = self.region(value)
        name = self.ctx.outlines.names.fresh(function.name)
        function = replace(function, name=name)
        self.ctx.outlines.entries["handed", name] = Entry(name, function, function)
        self.calls.append(name)
        more = "".join(f", {holes.fill(v)}" for v in free)
        return f"lambda u: {name}(u{more})" if free else name


def _function(function: Abstract, body: Block, free: Sequence[Value]) -> Function:
    """A body as a function whose parameters have names."""
    name = function.source.name if isinstance(function, Closure) else "function"
    name = name if name.isidentifier() else "residual"
    outer = (*body.params, *free)
    taken = Names(v.name for v in (*defined_in(body), *free))
    roots = Names()
    params = tuple(
        Value(taken.fresh("x"), v.type, roots.fresh(v.root or ("x" if k == 0 else "p")))
        for k, v in enumerate(outer)
    )
    given = {v.name: p for v, p in zip(outer, params, strict=True)}
    inner = substitute_in(replace(body, params=()), given)
    parameters = tuple(Parameter(p.root) for p in params)
    return Function(name, parameters, replace(inner, params=params), Leaf(), ("result",))


SOLVING: dict[str, Special] = {f"scipy.optimize.{name}": solved for name in SOLVERS}
