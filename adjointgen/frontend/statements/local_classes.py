"""Classes that are defined in a function: their methods read the names around them.

    class Point:                       a class of stand-ins, of which each says which function it is
        def norm(self): ...            lowered where it is called, in the frame that it stands in

The class is made when the program is generated, with the constants that its body binds. It is known
to the lowering alone: an object of it cannot be handed to other code, nor returned.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Closure, Named
from adjointgen.frontend.expressions.arithmetic import closure
from adjointgen.frontend.expressions.instances import STANDS_FOR
from adjointgen.frontend.state.context import Context
from adjointgen.ir.nodes import Const

WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "builtins.property": property,
    "builtins.staticmethod": staticmethod,
    "builtins.classmethod": classmethod,
}


def local_class(ctx: Context, node: ast.ClassDef) -> Class | None:
    """The class that a statement defines; None where it is made of more than methods."""
    bases = [ctx.expression(base) for base in node.bases]
    kinds = [base.type for base in bases if isinstance(base, Class)]
    if len(kinds) < len(bases) or node.keywords or node.decorator_list:
        return None
    held: dict[str, Any] = {}
    for stmt in node.body:
        if _reads(stmt, held) or not _bound(ctx, stmt, held):
            return None
    if any(name in held for name in ("__new__", "__init_subclass__", "__slots__", "__set_name__")):
        return None
    if any(hasattr(kind, "__init_subclass__") and _subclassed(kind) for kind in kinds):
        return None
    made = type(kinds[0])(node.name, tuple(kinds), held) if kinds else type(node.name, (), held)
    made.__module__, made.__qualname__ = "__main__", f"<locals>.{node.name}"
    return Class(made, node.name)


def _subclassed(kind: type) -> bool:
    """Whether a class does something when a class below it is made."""
    own = any("__init_subclass__" in vars(c) for c in kind.__mro__[:-1])
    return own or type(kind) is not type


def _reads(stmt: ast.stmt, held: dict[str, Any]) -> bool:
    """Whether what is evaluated in the body reads a name of the class, or does something."""
    parts: list[ast.AST | None] = []
    match stmt:
        case ast.FunctionDef(args=args):
            parts += [*args.defaults, *args.kw_defaults]
        case ast.Assign(value=value):
            parts.append(value)
        case ast.AnnAssign(value=value, annotation=annotation):
            parts += [value, annotation]
    nodes = [node for part in parts if part is not None for node in ast.walk(part)]
    named = any(isinstance(node, ast.Name) and node.id in held for node in nodes)
    return named or any(isinstance(node, ast.Call) for node in nodes)


def _bound(ctx: Context, stmt: ast.stmt, held: dict[str, Any]) -> bool:
    """Put what a statement of the body binds under its name; whether it is understood."""
    match stmt:
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign(value=None):
            return True
        case ast.FunctionDef(name=name, decorator_list=decorators):
            made = _method(ctx, stmt, decorators, held)
            held[name] = made
            return made is not None
        case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(
            target=ast.Name(id=name), value=ast.expr() as value
        ):
            known = ctx.expression(value)
            held[name] = known.value if isinstance(known, Const) else None
            return isinstance(known, Const)
    return False


def _method(
    ctx: Context, node: ast.FunctionDef, decorators: list[ast.expr], held: dict[str, Any]
) -> Any:
    """The stand-in of a method, in what decorates it; None where that is not known."""
    stub = _stub(closure(ctx, node))
    match decorators:
        case []:
            return stub
        case [ast.Attribute(value=ast.Name(id=name), attr="setter")] if isinstance(
            held.get(name), property
        ):
            return held[name].setter(stub)
        case [decorator]:
            known: Abstract = ctx.expression(decorator)
            wrap = WRAPPERS.get(known.spelling) if isinstance(known, Named) else None
            return None if wrap is None else wrap(stub)
    return None


def _stub(function: Closure) -> Any:
    def stub(*args: Any, **keywords: Any) -> Any:
        raise NotImplementedError

    stub.__name__ = stub.__qualname__ = function.source.name
    setattr(stub, STANDS_FOR, function)
    return stub
