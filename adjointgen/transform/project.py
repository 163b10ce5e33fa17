"""Fixing parameters and choosing results: the gradient is the adjoint program with seed 1.

    f_grad(x) = f_adjoint(x, y_bar=1)[x_bar]

What only the value needed is then dead code.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import Const, Function, Leaf, Node, Tree
from adjointgen.records import replace


def project(
    function: Function, name: str, fixed: Mapping[str, Const], results: tuple[int, ...]
) -> Function:
    """`function` under another name, with parameters fixed and only some of its results.

    One result is returned as it is, several as a tuple.
    """
    body = function.body
    by = {p.name: fixed[p.root] for p in body.params if p.root in fixed}
    body = substitute_in(body, by)
    leaves = tuple(Leaf() for _ in results)
    tree: Tree = leaves[0] if len(leaves) == 1 else Node("tuple", leaves)
    return replace(
        function,
        name=name,
        parameters=tuple(p for p in function.parameters if p.name not in fixed),
        body=replace(
            body,
            params=tuple(p for p in body.params if p.name not in by),
            yields=tuple(body.yields[k] for k in results),
        ),
        results=tree,
        names=tuple(function.names[k] for k in results),
    )
