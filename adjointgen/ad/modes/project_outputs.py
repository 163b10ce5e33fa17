"""Fixing parameters and choosing results: the gradient is the adjoint program with seed 1.

    f_grad(x) = f_adjoint(x, y_bar=1)[x_bar]

What only the value needed is then dead code. The seed of an array without axes is one, too, where
parts of it are read or set: `out[mask] = v` works on such an array, and on no number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Call,
    Const,
    Function,
    Node,
    Operand,
    Tree,
    Value,
    walk,
)
from adjointgen.ir.packing import count
from adjointgen.ir.types import Type
from adjointgen.records import replace


def ones(seeds: Iterable[Value]) -> dict[str, Const]:
    """The number 1 for each seed, by its name, in its dtype."""
    return {seed.root: Const(1.0, Type(seed.type.dtype)) for seed in seeds}


def project(
    function: Function,
    name: str,
    fixed: Mapping[str, Const],
    results: tuple[int, ...],
    several: bool = False,
) -> Function:
    """`function` under another name, with parameters fixed and only some of its results.

    One result is returned as it is, several as a tuple. With `several`, all but the value, which is
    the first of the function, are a tuple of their own.
    """
    held = {p.name: p for p in function.body.params if p.root in fixed}
    arrays = [p for p in held.values() if p.type.is_array and p.name in _parted(function.body)]
    by = {p.name: fixed[p.root] for p in held.values() if p not in arrays}
    body = substitute_in(function.body, by)
    assert isinstance(function.results, Node)
    children = _chosen(function.results, results)
    if several:
        kept = 1 if children[0] is function.results.children[0] else 0
        children[kept:] = [Node("tuple", tuple(children[kept:]))]
    return replace(
        function,
        name=name,
        parameters=tuple(p for p in function.parameters if p.name not in fixed),
        body=replace(
            body,
            params=tuple(p for p in body.params if p.name not in held),
            stmts=(*(Apply((p,), "full", (fixed[p.root],)) for p in arrays), *body.stmts),
            yields=tuple(body.yields[k] for k in results),
        ),
        results=children[0] if len(children) == 1 else Node("tuple", tuple(children)),
        names=tuple(function.names[k] for k in results),
    )


def _parted(block: Block) -> frozenset[str]:
    """The names of the arrays of which parts are read or set, or that a function is given."""
    found: list[Operand] = []
    for stmt in walk(block):
        match stmt:
            case Apply(args=(array, *_)) if stmt.option("index") is not None:
                found.append(array)
            case Call(args=args):
                found += args
    return frozenset(a.name for a in found if isinstance(a, Value))


def _chosen(tree: Node, results: tuple[int, ...]) -> list[Tree]:
    """The entries of a result that hold some of the values with these numbers, or none at all."""
    children, at = [], 0
    for child in tree.children:
        if set(range(at, at + count(child))) & set(results) or not count(child):
            children.append(child)
        at += count(child)
    return children
