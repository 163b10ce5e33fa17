"""Results beside the one that is differentiated (`has_aux`).

    f(x) -> (y, aux)        f_adjoint(x, y_bar)      -> (y, x_bar, aux)
                            f_grad(x)                -> (x_bar, aux)
                            f_value_and_grad(x)      -> ((y, aux), x_bar)

What the second entry holds has no seed, so nothing is asked of how it is computed.
"""

from __future__ import annotations

from adjointgen.errors import TypeMismatch
from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import Const, Function, Leaf, Node, Tree
from adjointgen.ir.packing import count
from adjointgen.ir.types import Type
from adjointgen.records import replace


def require_pair(function: Function, scalar: bool) -> tuple[Tree, Tree]:
    """What is differentiated and what stands beside it; the former is a number for a gradient.

    Raises TypeMismatch (AG404) for other results.
    """
    match function.results:
        case Node(make="tuple", children=(value, aux)):
            pass
        case _:
            raise _refused(f"{function.name} does not return a pair, as has_aux=True asks for")
    if not scalar:
        return value, aux
    first = function.body.yields[0] if isinstance(value, Leaf) else None
    if first is None or not (first.type.is_scalar or first.type.rank == 0):
        raise _refused(f"the first entry of what {function.name} returns is not one scalar")
    if first.type.dtype == "bool" or not first.type.is_differentiable:
        raise _refused(f"the first entry of what {function.name} returns has no gradient")
    return value, aux


def _refused(what: str) -> TypeMismatch:
    return TypeMismatch(
        what, code="AG404", help="return (value, aux): a value that is differentiated, and the rest"
    )


def with_aux(made: Function, function: Function, kind: str, several: bool) -> Function:
    """An adjoint program with its results in order, and with the seed 1 for a gradient."""
    own = len(function.body.yields)
    assert isinstance(function.results, Node) and isinstance(made.results, Node)
    value, aux = function.results.children
    first, bars = count(value), range(own, len(made.body.yields))
    parts = made.results.children[1:]
    whole = parts[0] if len(parts) == 1 and not several else Node("tuple", parts)
    beside = range(first, own)
    if kind == "adjoint":
        return _chosen(made, made.name, [*range(first), *bars, *beside], (value, *parts, aux))
    name = f"{function.name}_{kind}"
    made = _seeded(made, function)
    if kind == "grad":
        return _chosen(made, name, [*bars, *beside], (whole, aux))
    return _chosen(made, name, [*range(own), *bars], (function.results, whole))


def _seeded(made: Function, function: Function) -> Function:
    seeds = made.body.params[len(function.body.params) :]
    by = {seed.name: Const(1.0, Type(seed.type.dtype)) for seed in seeds}
    body = substitute_in(made.body, by)
    roots = {seed.root for seed in seeds}
    return replace(
        made,
        parameters=tuple(p for p in made.parameters if p.name not in roots),
        body=replace(body, params=tuple(p for p in body.params if p.name not in by)),
    )


def _chosen(made: Function, name: str, order: list[int], trees: tuple[Tree, ...]) -> Function:
    return replace(
        made,
        name=name,
        body=replace(made.body, yields=tuple(made.body.yields[k] for k in order)),
        results=Node("tuple", trees),
        names=tuple(made.names[k] for k in order),
    )
