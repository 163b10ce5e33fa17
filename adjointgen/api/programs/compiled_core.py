"""Compiled programs of structures: Python takes them apart, compiled code computes.

    def f_adjoint(p, x):                          def f_adjoint(p, x):
        w = p["w"]                                    y, w_bar = _f_adjoint(p["w"], x)
        ...                                →          return y, {"w": w_bar}
        return y, {"w": w_bar}
                                                  def _f_adjoint(w, x):          # compiled
                                                      ...
                                                      return y, w_bar

A compiler has arrays, numbers and tuples of them, but no dicts, lists of arrays and instances.
"""

from __future__ import annotations

from collections.abc import Collection, Container

from adjointgen.frontend.state.call_effects import is_effect
from adjointgen.ir.nodes import (
    Block,
    Call,
    Function,
    Node,
    Parameter,
    Stmt,
    Tree,
    Value,
    reads_of,
    results_of,
)
from adjointgen.ir.packing import plain_results
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names

_COMPILED = ("", "tuple", "named", "literal")
"""The structures that a compiler has."""


def with_core(function: Function) -> Function:
    """A program that calls one of arrays and numbers, its core, if it has structures.

    What reads a structure as a whole, such as a check of its keys, stays outside. The program is
    left as it is where the core needs what follows from that, or does something before it.
    """
    trees = (*(p.tree for p in function.packed), function.results)
    if not any(map(_is_python, trees)) or any(p.star for p in function.parameters):
        return function
    body, packed = function.body, {p.name for p in function.packed}
    whole = {p.name for p in body.params if p.root in packed}
    apart = _apart(body, whole)
    if apart is None:
        return function
    outside, inside = apart
    core = _core(function, inside, whole)
    results = tuple(y for y in core.body.yields if isinstance(y, Value))
    by = {r.name: replace(r, name=f"{r.name}_") for r in results if r in body.params}
    call = Call(tuple(by.get(r.name, r) for r in results), core.name, core.body.params)
    yields = tuple(by.get(y.name, y) if isinstance(y, Value) else y for y in body.yields)
    body = replace(body, stmts=(*outside, call), yields=yields)
    return replace(function, body=body, callees=(core, *function.callees), outer=True)


def _apart(body: Block, whole: Collection[str]) -> tuple[list[Stmt], Block] | None:
    """The statements that read structures, and the others; None where they depend on each other."""
    names, outside, rest = {*whole}, list[Stmt](), list[Stmt]()
    computed: set[str] = set()
    for stmt in body.stmts:
        alone = Block((), (stmt,), ())
        if not _reads(alone, names):
            rest.append(stmt)
            computed.update(r.name for r in results_of(stmt))
        elif _reads(alone, computed) or (is_effect(stmt) and any(map(is_effect, rest))):
            return None
        else:
            outside.append(stmt)
            names.update(r.name for r in results_of(stmt))
    inside = replace(body, stmts=tuple(rest))
    return None if _reads(inside, names) else (outside, inside)


def _core(function: Function, body: Block, whole: Container[str]) -> Function:
    """The program without structures: its parameters are what they hold."""
    names = Names((function.name, *(f.name for f in function.callees)))
    pairs = zip(function.parameters, body.params, strict=True)
    kept = [(Parameter(p.name), v) for p, v in pairs if v.name not in whole]
    called = dict(zip(body.yields, function.names, strict=True))
    yields = tuple(y for y in called if isinstance(y, Value))
    doc = f"What `{function.name}` computes, of arrays and numbers."
    return replace(
        function,
        name=names.fresh(f"_{function.name}"),
        parameters=tuple(p for p, _ in kept),
        body=Block(tuple(v for _, v in kept), body.stmts, yields),
        results=plain_results(len(yields)),
        names=tuple(called[y] for y in yields),
        origin=replace(function.origin, doc=doc),
        callees=(),
        packed=(),
    )


def _reads(block: Block, names: Container[str]) -> bool:
    return any(v.name in names for v in reads_of(block))


def _is_python(tree: Tree) -> bool:
    """Whether a structure is one that a compiler lacks."""
    if not isinstance(tree, Node):
        return False
    return tree.make not in _COMPILED or any(map(_is_python, tree.children))
