"""`self.__dict__["name"]`: an attribute of an instance, whatever its class says of that name.

self.__dict__.update(kwds)      self.a = kwds["a"]; self.b = kwds["b"]
"a" in vars(self)               whether there is such an attribute of its own
vars(self).items()              the names with what is under them when they are read
dict(vars(self))                a dict of its own
"""

from __future__ import annotations

import ast
import sys

from adjointgen.frontend.domain.abstract_values import (
    VIEWS,
    Abstract,
    Class,
    Named,
    Ref,
    Seq,
    Struct,
    Zipped,
)
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.expressions.instances import keep_attribute
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import as_held
from adjointgen.frontend.state.scope_lookup import live_resolver
from adjointgen.frontend.state.storage_cells import content, write
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const
from adjointgen.watch import Held, look


def own_attribute(ctx: Context, node: ast.Subscript) -> Abstract | None:
    """`self.__dict__["name"]` of an instance that the program has made."""
    found = own_place(ctx, node)
    known = None if found is None else content(ctx, found[0])
    return known.get(found[1]) if found is not None and isinstance(known, Struct) else None


def own_place(ctx: Context, node: ast.Subscript) -> tuple[Abstract, str] | None:
    """The instance that the program has made, and the name, of `self.__dict__["name"]`."""
    owner = _asked(ctx, node.value)
    plain = all(isinstance(part, _NAMING) for part in ast.walk(node.slice))
    if owner is None or not plain or (held := _made(ctx, owner)) is None:
        return None
    name = ctx.expression(node.slice)
    if isinstance(name, Const) and isinstance(name.value, str):
        return held, name.value
    return None


_NAMING = (ast.Constant, ast.Name, ast.Attribute, ast.JoinedStr, ast.FormattedValue, ast.Load)
"""What an expression that gives the same when it is read again is made of."""


def own_names(ctx: Context, node: ast.expr) -> Seq | None:
    """The names of the attributes that an instance has of its own, where `vars(self)` is asked."""
    owner = _asked(ctx, node)
    if owner is not None and (names := _names_of_class(ctx, owner)) is not None:
        return names
    found = None if owner is None else _with_names(ctx, owner)
    return None if found is None else Seq(tuple(const(key) for key in found[1].keys))


def _names_of_class(ctx: Context, owner: ast.Name) -> Seq | None:
    """The names that a class has of its own, which are noted."""
    found = ctx.expression(owner)
    cls: object = found.type if isinstance(found, Class) and not found.is_local else None
    cls = live(found.spelling)[1] if isinstance(found, Named) else cls
    if not isinstance(cls, type) or live_resolver(ctx) is None:
        return None
    names = look(Held(cls, _spelled), f"the names of {cls.__name__}")
    return Seq(tuple(const(name) for name in str(names).split()))


def _spelled(cls: type) -> str:
    """The names in a class: one object for equal ones, as what is noted is compared by identity."""
    return sys.intern(" ".join(vars(cls)))


def _asked(ctx: Context, node: ast.expr) -> ast.Name | None:
    """The name of the object of which `x.__dict__` or `vars(x)` asks."""
    match node:
        case ast.Attribute(value=ast.Name() as owner, attr="__dict__"):
            return owner
        case ast.Call(func=ast.Name(id="vars") as asked, args=[ast.Name() as owner], keywords=[]):
            return owner if ctx.expression(asked) == Named("builtins.vars", "vars") else None
    return None


def _made(ctx: Context, owner: ast.Name) -> Abstract | None:
    """An instance that the program has made, which holds all its attributes in a dict."""
    held = ctx.expression(owner)
    known = content(ctx, held)
    if not isinstance(known, Struct) or not isinstance(known.kind, Class) or known.place:
        return None
    slotted = any("__slots__" in vars(kind) for kind in known.kind.type.__mro__[:-1])
    return None if slotted or known.place is not None else held


def delete_attribute(ctx: Context, node: ast.Attribute) -> bool:
    """`del self.a` of an instance that the program has made and that has it; whether it is one."""
    if not isinstance(node.value, ast.Name):
        return False
    held = _made(ctx, node.value)
    known = None if held is None else content(ctx, held)
    if not isinstance(held, Ref) or not isinstance(known, Struct) or node.attr not in known.keys:
        return False
    kinds = known.kind.type.__mro__[:-1]  # type: ignore[union-attr]
    if any(name in vars(kind) for kind in kinds for name in ("__delattr__", node.attr)):
        return False
    rows = [row for row in zip(known.keys, known.items, strict=True) if row[0] != node.attr]
    names, items = zip(*rows, strict=True) if rows else ((), ())
    write(ctx, held, Struct(known.kind, tuple(names), tuple(items), known.place))
    return True


def own_update(ctx: Context, node: ast.Call) -> Const | None:
    """`self.__dict__.update(...)` of an instance that the program has made, or None."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr != "update":
        return None
    owner = _asked(ctx, function.value)
    held = None if owner is None else _made(ctx, owner)
    if not isinstance(held, Ref) or any(k.arg is None for k in node.keywords):
        return None
    given = [content(ctx, _entries(ctx, arg)) for arg in node.args]
    rows: dict[str, Abstract] = {}
    for one in given:
        if not isinstance(one, Struct) or one.kind != "dict" or not _are_names(one.keys):
            return None
        rows |= dict(zip(one.keys, one.items, strict=True))
    rows |= {str(k.arg): ctx.expression(k.value) for k in node.keywords}
    for name, value in rows.items():
        keep_attribute(ctx, held, name, value, node)
    return const(None)


def _entries(ctx: Context, node: ast.expr) -> Abstract:
    """A dict; one of the module with its entries of now."""
    value = as_held(ctx, ctx.expression(node))
    if isinstance(content(ctx, value), Struct):
        return value
    return ctx.expression(ast.copy_location(ast.Dict([None], [node]), node))


def own_read(ctx: Context, node: ast.Call) -> Abstract | None:
    """`self.__dict__.items()`, `dict(vars(self))` and the like, or None."""
    match node:
        case ast.Call(ast.Name(id="dict") as made, [asked], []):
            if ctx.expression(made) != Named("builtins.dict", "dict"):
                return None
            name = "copy"
        case ast.Call(ast.Attribute(value=asked, attr=name), [], []):
            pass
        case _:
            return None
    owner = _asked(ctx, asked) if name in (*VIEWS, "copy") else None
    found = None if owner is None else _with_names(ctx, owner)
    if found is None or not isinstance(found[0], Ref):
        return None
    held, known = found
    return Struct("dict", known.keys, known.items) if name == "copy" else Zipped(name, (held,))


def _with_names(ctx: Context, owner: ast.Name) -> tuple[Abstract, Struct] | None:
    """An instance that the program has made and its attributes, all under names."""
    held = _made(ctx, owner)
    known = None if held is None else content(ctx, held)
    if held is None or not isinstance(known, Struct) or not _are_names(known.keys):
        return None
    return held, known


def _are_names(keys: tuple[object, ...]) -> bool:
    return all(isinstance(key, str) and key.isidentifier() for key in keys)
