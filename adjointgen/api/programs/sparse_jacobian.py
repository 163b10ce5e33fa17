"""Programs of sparse Jacobians: one derivative along groups of columns, or of rows.

    f(x) -> y     f_jacobian_sparse(x) -> a matrix with a row for each number of y

The pattern and its groups are those of an example (`recipes.Compression`), and so are the shapes of
arguments, which the program tests. One more sweep, along weights, finds what is not in the pattern.
(Griewank and Walther 2008, chapter 8.)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from adjointgen.ad.modes.project_outputs import project
from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.api.arguments.pack_structures import leaves_like
from adjointgen.api.programs.recipes import Compression
from adjointgen.batching.compressed_seeds import along_groups
from adjointgen.batching.list_ends import is_list, with_arrays, with_lists
from adjointgen.errors import TypeMismatch
from adjointgen.ir.nodes import Apply, Function, Operand, Table
from adjointgen.ir.packing import find, leaves, places
from adjointgen.ir.types import COMPLEX
from adjointgen.many_directions import along_rows
from adjointgen.pipeline import Mode, derive
from adjointgen.program import Program
from adjointgen.records import replace

_HELP = "use mode jacobian, or mode tangent with directions"


def sparse_jacobian_of(
    program: Program, wrt: tuple[str, ...], given: Compression, disable: Collection[str] = ()
) -> Program:
    """The sparse Jacobian, without the value.

    Raises TypeMismatch (AG404) for arguments and results that are no real numbers and arrays of
    these, NotBatched (AG143) where a statement has no form for many directions.
    """
    lists = [k for k, y in enumerate(program.function.body.yields) if is_list(y)]
    params = {p.root: p for p in program.function.body.params}
    inputs = {n for n in _inputs(program.function, wrt) if is_list(params[n])}
    function = with_arrays(program.function, inputs, lists)
    program = replace(program, function=function)
    _require_real(function, wrt)
    own, results = len(function.body.params), len(function.body.yields)

    def choose(made: Function) -> Function:
        return project(made, made.name, {}, tuple(range(results, len(made.body.yields))))

    mode: Mode = "adjoint" if given.by_rows else "tangent"
    derived = derive(program, mode, wrt, disable, choose=choose, last=True)
    seeds = derived.function.body.params[own:]
    single = [p.root for p in seeds if p.type.kind in ("scalar", "array")]
    shapes = _shapes(function, given.arguments)
    like = [shapes[n] for n in _inputs(function, wrt)]
    if given.by_rows:
        like = next(list(one) for one in given.results if len(one) == len(single))
    made = along_rows(derived, set(single), disable)
    table = Table(f"_{_name(function)}_pattern", "Compressed", _told(function, wrt, given))
    of, dropped = dict(zip(single, like, strict=True)), {p.root for p in seeds}
    noun = _name(function).rpartition("_")[2]
    whole = along_groups(made.function, of, dropped, table.name, given.count + 1, noun)
    whole = _called(with_lists(whole, inputs, ()), f"{_name(function)}_sparse", shapes, table)
    return replace(made, function=whole, results=0)


def _name(function: Function) -> str:
    """What the dense matrix would be called: `f_jacobian`, or `f_hessian` of a gradient."""
    base, is_hessian, _ = function.name.partition("_grad")
    return f"{base}_{'hessian' if is_hessian else 'jacobian'}"


def _called(
    function: Function, name: str, shapes: Mapping[str, tuple[int, ...]], table: Table
) -> Function:
    """The program under its name, with tests of shapes before it, and its pattern."""
    stmts = (*_checks(function, name, shapes), *function.body.stmts)
    body = replace(function.body, stmts=stmts)
    return replace(function, name=name, body=body, tables=(*function.tables, table))


def _inputs(function: Function, wrt: tuple[str, ...]) -> list[str]:
    """The parameters that are differentiated, in the order of columns."""
    found = [find(function, name) for name in wrt]
    inner = [n for one in found if one is not None for n, _ in leaves(one[1])]
    types = {p.root: p.type for p in function.body.params}
    return [n for n in inner if types[n].is_differentiable]


def _require_real(function: Function, wrt: tuple[str, ...]) -> None:
    types = {p.root: p.type for p in function.body.params}
    ends = [("its result", y.type) for y in function.body.yields]
    for what, type in [*((n, types[n]) for n in _inputs(function, wrt)), *ends]:
        plain = type.kind in ("scalar", "array") and type.rank is not None
        if not plain or not type.is_differentiable or type.dtype in COMPLEX:
            said = f"{what} of {function.name} is no real number and no array of these"
            raise TypeMismatch(f"{said}, as a sparse Jacobian asks", code="AG404", help=_HELP)


def _shapes(function: Function, arguments: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays and numbers of the example, by their parameters."""
    trees = {p.name: p.tree for p in function.packed}
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in trees:
            parts = leaves_like(trees[name], value)
            found |= zip((n for n, _ in leaves(trees[name])), parts, strict=False)
        else:
            found[name] = value
    kinds = {p.root: p.type.kind for p in function.body.params}
    return {n: np.shape(v) for n, v in found.items() if kinds.get(n) in ("scalar", "array")}


def _checks(function: Function, name: str, shapes: Mapping[str, tuple[int, ...]]) -> list[Apply]:
    """A test of the shape of every array."""
    inside, made = places(function), []
    for param in function.body.params:
        if param.type.kind in ("array", "list") and param.root in shapes:
            shape = shapes[param.root]
            own = f"_0_.shape != {shape}" if not is_list(param) else f"len(_0_) != {shape[0]}"
            shown = inside.get(param.root, param.root)
            message = f"the pattern of {name} is for {shown} of shape {shape}"
            made.append(check_statement([param], own, "ValueError", message))
    return made


def _told(
    function: Function, wrt: tuple[str, ...], given: Compression
) -> tuple[tuple[str, object], ...]:
    """What the pattern of the module is made with."""
    own = _inputs(function, wrt)
    ends: list[Operand] = [p for p in function.body.params if p.root in own]
    dtypes = [e.type.dtype for e in (*ends, *function.body.yields)]
    least = max(dtypes, key=lambda dtype: float(np.finfo(dtype).eps))
    told: dict[str, object] = {
        "shape": given.shape,
        "lengths": given.lengths,
        "columns": given.columns,
        "groups": given.groups,
    }
    told |= {"mirrored": given.mirrored} if any(given.mirrored) else {}
    told |= {"by_rows": True} if given.by_rows else {}
    told |= {"dtype": least} if least != "float64" else {}
    told |= {"noise": given.noise} if given.noise else {}
    return tuple(told.items())
