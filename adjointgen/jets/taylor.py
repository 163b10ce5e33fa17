"""Taylor mode: each statement is followed by the coefficients of degree 1 to K of its result.

    y = np.exp(x)                    y = np.exp(x)
    z = A @ y                  ->    y_series = series_exponential(y, x_series)
                                     z = A @ y
                                     z_series = y_series @ A.T

The coefficients of a value are one array, with the degrees along its first axis, so that the text
of a program is the same for all K. Where a value is active, what loops carry and branches give is
doubled, as in forward mode. (Griewank and Walther 2008, chapter 13.)
"""

from __future__ import annotations

from adjointgen.ad.modes.derived_calls import NONE
from adjointgen.ad.modes.rule_lookup import rule_of
from adjointgen.ad.modes.tangent import Tangents, distinct, inputs_of, with_seeds
from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.differentiation.messages import is_message
from adjointgen.analysis.differentiation.zero_times_infinity import NEVER
from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Apply, Block, Call, Const, Function, Node, Operand, Parameter, Value
from adjointgen.ir.packing import Groups, seeds_of
from adjointgen.ir.types import Dim, Type
from adjointgen.jets.propagate import Propagation
from adjointgen.records import replace
from adjointgen.rules.framework.batching import lengths_of
from adjointgen.rules.framework.builder import Handle

SUFFIX = "_series"


def taylor(function: Function, groups: Groups, activity: Activity) -> Function:
    """The program of coefficients: `f(x)` becomes `f_taylor(x, x_series)`, which returns
    `(y, y_series)`.

    `x_series` has an axis more than `x`, the first: the coefficients of degree 1, 2, ... K. Raises
    NoRule (AG201) where an active value reaches an operation whose coefficients are not known.
    """
    inputs = inputs_of(function, groups)
    names = distinct((f"{p.root}{SUFFIX}" for p in inputs), {p.name for p in function.parameters})
    work = _Taylor(function, activity, Dim(f"{names[0]}.0") if names else Dim("", 1))
    seeds = [work.seed(p, name) for p, name in zip(inputs, names, strict=True)]
    by_root = {p.root: seed for p, seed in zip(inputs, seeds, strict=True)}
    given, packed = seeds_of(groups, by_root, SUFFIX)
    work.begin(seeds)
    work.statements(function.body.stmts)
    ends = zip(function.body.yields, function.names, strict=True)
    found = tuple(work.tangent_of(y, f"{name}{SUFFIX}") for y, name in ends)
    body = Block(
        (*function.body.params, *given), work.builder.stmts, (*function.body.yields, *found)
    )
    return replace(
        function,
        name=f"{function.name}_taylor",
        parameters=with_seeds(function.parameters, [Parameter(v.root) for v in given]),
        body=body,
        results=Node("tuple", (function.results, function.results)),
        names=function.names + distinct((f"{n}{SUFFIX}" for n in function.names), function.names),
        packed=function.packed + packed,
    )


class _Taylor(Tangents):
    """The walk of forward mode, with coefficients in place of tangents."""

    def __init__(self, function: Function, activity: Activity, degrees: Dim) -> None:
        super().__init__(function, activity, NONE, NEVER)
        self.degrees = degrees
        self.count: Handle | None = None

    def seed(self, param: Value, name: str) -> Value:
        """The coefficients of a parameter."""
        made = self.builder.value(name, self.type(param.type, param.root))
        self.dots[param.name] = made
        return made

    def begin(self, seeds: list[Value]) -> None:
        """Count the degrees, of which all parameters have as many."""
        counts = [self.builder.apply("dim", s, stem="degrees", axis=0) for s in seeds]
        self.count = self.builder.handle(counts[0] if counts else Const(1, Type("int64")))
        for other in counts[1:]:
            self.builder.apply("same_degrees", counts[0], other)

    def type(self, type: Type, what: str) -> Type:
        """The type of the coefficients of a value."""
        if type.kind not in ("scalar", "array") or type.shape is None:
            kind = "a list" if type.kind == "list" else "a value of unknown rank"
            raise NoRule(
                f"no Taylor coefficients of {what or kind}, which is {kind}",
                code="AG201",
                span=self.builder.span,
                help="use arrays whose rank is known, or nest tangent(...)",
            )
        return Type(type.dtype, (self.degrees, *type.shape), "array")

    def fresh(self, value: Value) -> Value:
        root = f"{value.root}{SUFFIX}" if value.root else ""
        return self.builder.value(root, self.type(value.type, value.root), f"{value.name}{SUFFIX}")

    def dot_or_zero(self, operand: Operand, root: str = "") -> Operand:
        found = self.dot(operand)
        name = f"{root.removesuffix('_dot')}{SUFFIX}" if root.endswith("_dot") else root
        return self.zeros(operand, name) if found is None else found

    def zeros(
        self, like: Operand, root: str = "", dtype: str = "", several: Handle | None = None
    ) -> Operand:
        """The coefficients of a constant."""
        assert self.count is not None
        if isinstance(like, Const) and not isinstance(like.value, int | float | complex):
            return like
        self.type(like.type, root)
        if isinstance(like, Const) and like.type.rank:
            raise NoRule(
                "no Taylor coefficients of a number that becomes an array",
                code="AG201",
                span=self.builder.span,
                help="begin with an array of zeros, as in np.zeros_like(x)",
            )
        handle = self.builder.handle(like)
        shape = [self.count if several is None else several, *lengths_of(handle)]
        lowered = [self.builder.lower(n) for n in shape]
        made = self.builder.apply("zeros", *lowered, root=root, dtype=dtype or like.type.dtype)
        known = Type(made.type.dtype, (self.degrees, *(like.type.shape or ())), "array")
        return self.builder.retyped(made, known)

    def tangent_of(self, result: Operand, root: str) -> Operand:
        """The coefficients of a result; those of an integer are zeros, as floats."""
        if result.type.is_differentiable:
            return self.dot_or_zero(result, root)
        if result.type.kind in ("scalar", "array") and result.type.rank is not None:
            return self.zeros(result, root, "float64")
        return Const(0.0, Type("float64"))

    def apply(self, stmt: Apply) -> None:
        """One operation, and the coefficients of its results after it."""
        self.builder.add(stmt)
        found = [self.dot(a) for a in stmt.args]
        rests = not any(map(self.activity.active, stmt.results)) or all(d is None for d in found)
        if rests and is_message(stmt):
            raise NoRule(
                "no Taylor coefficients of this message, which another process may send or expect",
                code="AG201",
                span=stmt.span,
                help="nest tangent(...), which sends tangents",
            )
        if rests:
            return
        rule_of(stmt, next(a for a, d in zip(stmt.args, found, strict=True) if d), stmt.span)
        assert self.count is not None
        work = Propagation(self, self.count, stmt)
        for result, made in zip(stmt.results, work.coefficients(stmt), strict=True):
            if made is not None:
                self.dots[result.name] = self.called(made, result)

    def called(self, made: Operand, result: Value) -> Operand:
        """Coefficients under the name of their result."""
        root = f"{result.root}{SUFFIX}" if result.root else ""
        if not root or not isinstance(made, Value) or made.root:
            return made
        return self.builder.rename(made, root)

    def call(self, stmt: Call) -> None:
        if not any(self.activity.active(r) for r in stmt.results):
            self.builder.add(stmt)
            return
        raise NoRule(
            f"no Taylor coefficients through the recursive function {stmt.function}",
            code="AG201",
            span=stmt.span,
            help="write it as a loop, or nest tangent(...)",
        )
