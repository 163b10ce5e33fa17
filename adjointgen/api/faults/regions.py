"""Procedure outlining: statements of a block as a program of their own, which can be verified.

    t = x * x                         def f_region(x, w): ...
    y = g(t, w)            ->             t = x * x
    z = t + y                             y = g(t, w)
                                          return t, y

Its parameters are what the statements read, its results what is read of them later and can carry a
derivative. Its derivatives go through all passes, as those of the whole program do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from adjointgen.analysis.differentiation.activity import activity
from adjointgen.analysis.differentiation.inputs import active_inputs
from adjointgen.analysis.differentiation.parameter_dependence import dependence
from adjointgen.api.specialize.load_program import Made, load
from adjointgen.emit.write.module import emit
from adjointgen.ir.edit import with_values
from adjointgen.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Loop,
    Operand,
    Origin,
    Stmt,
    Value,
    While,
    blocks_of,
    called,
    defined_in,
    reads_of,
    results_of,
    walk,
)
from adjointgen.ir.packing import plain_parameters, plain_results
from adjointgen.pipeline import Mode, derive, finish
from adjointgen.program import primal
from adjointgen.records import dataclass, replace
from adjointgen.watch import Look

Program = Callable[..., Any]
_NAME: Final = "statements_of_region"


@dataclass(frozen=True, slots=True)
class Region:
    """Statements of a block as a function, whose parameters stand for these `inputs`.

    It is differentiated by those that are numbered `wrt`.
    """

    function: Function
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    wrt: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Programs:
    """What a region runs as: called as `verify` calls programs."""

    primal: Program
    tangent: Program
    adjoint: Program


def region(
    root: Function,
    block: Block,
    first: int,
    last: int,
    unsure: frozenset[str],
    varied: frozenset[str],
) -> Region:
    """The statements from `first` up to `last` of a block, differentiated by what is `varied`.

    The values that are `unsure` may be undefined, and are no results.
    """
    stmts = [s for s in block.stmts[first:last] if not _only_prints(s)]
    body = Block((), tuple(stmts), ())
    own = {v.name for v in defined_in(body)}
    later = {v.name for v in reads_of(Block((), block.stmts[last:], block.yields))} - unsure
    made = [v for s in stmts for v in results_of(s)]
    outputs = [v for v in made if v.name in later and v.type.is_differentiable]
    inputs = tuple({v.name: v for v in reads_of(body) if v.name not in own}.values())
    body = with_values(replace(body, params=inputs, yields=tuple(outputs)), _apart)
    table = {f.name: f for f in root.callees}
    function = Function(
        _NAME,
        plain_parameters(body.params),
        body,
        plain_results(len(outputs)),
        tuple(f"y{k}" for k, _ in enumerate(outputs)),
        Origin(root.origin.file, root.origin.qualname),
        root.imports,
    )
    function = replace(function, callees=called(function, table))
    differentiated = [v.type.is_differentiable and v.name in varied for v in inputs]
    wrt = tuple(k for k, is_so in enumerate(differentiated) if is_so)
    return Region(function, inputs, tuple(outputs), wrt)


def _apart(value: Value) -> Value:
    """A value that is a variable of its own: versions of one may be alive at once."""
    return replace(value, root=value.name)


def _only_prints(stmt: Stmt) -> bool:
    """Whether a statement of the user's computes nothing and cannot end the program."""
    if not isinstance(stmt, Apply) or stmt.results:
        return False
    return str(stmt.option("code")).startswith("print(")


def programs(made: Region, looks: Sequence[Look], disable: Sequence[str] = ()) -> Programs:
    """The programs of a region. Raises what making them raises."""
    function = made.function
    wrt = tuple(made.inputs[k].name for k in made.wrt)
    several = len(made.outputs) > 1

    def run(mode: Mode | None) -> Program:
        program = primal(function)
        if mode is not None:
            program = derive(program, mode, wrt, disable, last=True)
        finished = finish(program, disable)
        return load(Made(emit([finished]), finished.name, None, tuple(looks)))

    value, forward, back = run(None), run("tangent"), run("adjoint")

    def tangent(given: Sequence[Any], dots: Sequence[Any]) -> Any:
        return forward(*given, *dots)

    def adjoint(given: Sequence[Any], y_bar: Any) -> Any:
        y, *bars = back(*given, *(y_bar if several else (y_bar,)))
        return y, tuple(bars)

    return Programs(value, tangent, adjoint)


def varied(function: Function, wrt: Sequence[str]) -> tuple[frozenset[str], ...]:
    """The values that are computed from what is differentiated, whatever the rules say of it; then
    those that are by the rules, which are fewer where a derivative is cut off."""
    inputs = active_inputs(function, wrt)
    facts = activity(function, inputs, depends=dependence(function.callees))
    return computed_from(function, inputs), facts.varied


def computed_from(function: Function, inputs: Sequence[Value]) -> frozenset[str]:
    """The values that are computed from some, whole numbers and tests as well."""
    found = {v.name for v in inputs}
    before = -1
    while len(found) != before:
        before = len(found)
        for stmt in walk(function.body):
            for value, sources in _flow(stmt):
                if any(isinstance(s, Value) and s.name in found for s in sources):
                    found.add(value.name)
    return frozenset(found)


def maybe_undefined(function: Function) -> frozenset[str]:
    """The values that some path does not define: they cannot be looked at."""
    found: set[str] = set()
    before = -1
    while len(found) != before:
        before = len(found)
        for stmt in walk(function.body):
            for value, sources in _flow(stmt):
                if any(_undefined(s, found) for s in sources):
                    found.add(value.name)
    return frozenset(found)


def _flow(stmt: Stmt) -> Iterator[tuple[Value, tuple[Operand, ...]]]:
    """The results of a statement, and the operands that each may be or comes of."""
    match stmt:
        case Branch():
            for k, result in enumerate(stmt.results):
                yield result, (stmt.then.yields[k], stmt.orelse.yields[k])
        case Loop() | While():
            ends = stmt.body.yields[len(stmt.body.yields) - len(stmt.inits) :]
            for k, (init, end) in enumerate(zip(stmt.inits, ends, strict=True)):
                for block in blocks_of(stmt):
                    yield block.params[k], (init, end)
                yield stmt.results[k], (init, end)
        case Apply() | Call():
            for result in stmt.results:
                yield result, stmt.args


def _undefined(operand: Operand, found: set[str]) -> bool:
    if isinstance(operand, Const):
        return operand.value == UNDEFINED
    return operand.name in found
