"""What operators and built-in functions ask of objects: the special methods of their classes.

    a + b         type(a).__add__(a, b), then type(b).__radd__(b, a)
    len(a)        type(a).__len__(a)

Python looks them up in the class alone, whatever the object holds under their names.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Final

import numpy as np

from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.control.row_lists import columns_of, is_rows, refuse
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Closure,
    Named,
    Ref,
    Seq,
    Struct,
    Zipped,
)
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.domain.qualified_names import enum_member
from adjointgen.frontend.domain.structures import HELD, fields_of, is_dataclass, is_followed
from adjointgen.frontend.expressions.instances import find, function_of, is_instance
from adjointgen.frontend.expressions.live_attributes import closure_of, note_order
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.source.contained_functions import is_contained
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.held_values import array_in, held_in
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.storage_cells import content, read, shown_type
from adjointgen.ir.nodes import Apply, Block, Stmt, Value, walk
from adjointgen.rules.framework.builder import const


def operator(
    ctx: Context, name: str, left: Abstract, right: Abstract, node: ast.AST
) -> Abstract | None:
    """`left op right` where one of them is an instance; None where neither is."""
    rows = [(left, right, name), (right, left, f"__r{name[2:]}")]
    if _is_first(ctx, left, right, rows[1][2]):
        rows.reverse()
    for own, other, method in rows:
        found = special(ctx, own, method)
        if found is None:
            continue
        if own is right:
            _check_array(ctx, left, right, node)
        made = inline(ctx, found, [own, other], {}, node)
        if not (isinstance(made, Named) and made.spelling == "builtins.NotImplemented"):
            return made
    if any(is_instance(ctx, v) and held_in(ctx, v) is None for v in (left, right)):
        help = "write out what it does"
        return ctx.refuse("AG101", f"no class here has {name}", help, node=node)
    return None


def _is_first(ctx: Context, left: Abstract, right: Abstract, name: str) -> bool:
    """Whether the right operand is asked first: of a class below, with a method of its own."""
    above, below = class_held(ctx, left), class_held(ctx, right)
    if above is None and array_in(ctx, right) is not None:
        above = _beside_array(ctx, left, right, name)
    if above is None or below is None or above is below or not issubclass(below, above):
        return False
    own, other = find(below, name), find(above, name)
    return own is not None and (other is None or own[1] is not other[1])


def _beside_array(ctx: Context, left: Abstract, right: Abstract, name: str) -> type | None:
    """What stands left of an instance of a class derived from NumPy's array, if that is an array.

    NumPy's numbers do not ask the instance for its reflected operator; Python's do.
    """
    plain = isinstance(left, Value | Ref) and not isinstance(content(ctx, left), Seq | Struct)
    kind = shown_type(ctx, ctx.state, left).kind if plain else ""
    below = class_held(ctx, right)
    if kind == "scalar" and below is not None and find(below, name) is not None:
        what = "NumPy's numbers and Python's ask this in different ways"
        ctx.refuse("AG101", what, "write the array first")
    return np.ndarray if kind == "array" else None


def class_held(ctx: Context, value: Abstract) -> type | None:
    """The class of an instance."""
    known = content(ctx, value)
    if (own := living(ctx, known)) is not None:
        return type(own.value)
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        return known.kind.type
    return None


def _check_array(ctx: Context, array: Abstract, right: Abstract, node: ast.AST) -> None:
    """Refuse `array op object` where NumPy asks the object once for each entry."""
    cls = class_held(ctx, right)
    waits = getattr(cls, "__array_ufunc__", cls) is None or hasattr(cls, "__array_priority__")
    plain = isinstance(array, Value | Ref) and not isinstance(content(ctx, array), Seq | Struct)
    if array_in(ctx, right) is not None:
        return
    if plain and not waits and shown_type(ctx, ctx.state, array).kind == "array":
        what = "NumPy asks an object beside an array once for each entry"
        ctx.refuse("AG101", what, "write the object first", node=node)


def special(ctx: Context, owner: Abstract, name: str) -> Closure | None:
    """The method that an instance has for an operator or built-in function."""
    known = content(ctx, owner)
    if (own := living(ctx, known)) is not None:
        return _of_living(ctx, type(own.value), name)
    if isinstance(known, Named) and (entry := enum_member(known.spelling)) is not None:
        return _of_living(ctx, type(entry), name)
    if not isinstance(known, Struct) or not isinstance(known.kind, Class):
        return None
    if is_rows(known):
        refuse(ctx, _SYMBOLS.get(name, name.strip("_")))
    found = find(known.kind.type, name)
    if found is None or not isinstance(found[1], FunctionType):
        return None
    if found[1].__code__.co_filename == "<string>" and is_dataclass(found[0]):
        return _generated(ctx, found[0], name)
    return function_of(ctx, found[0], found[1], ctx.node or ast.Pass())


def iterated(ctx: Context, value: Abstract, node: ast.AST) -> Abstract:
    """What is run over in place of a value: an instance says so itself."""
    if is_rows(known := content(ctx, value)):
        return Zipped("zip", columns_of(known))
    method = special(ctx, value, "__iter__")
    array = array_in(ctx, value) if special(ctx, value, "__getitem__") is None else None
    if method is None and array is not None and read(ctx, array).type.rank == 1:
        # Its entries are numbers; rows would be of the class.
        return array
    if method is None:
        return _by_index(ctx, value, node) or value
    return inline(ctx, method, [value], {}, node)


def _by_index(ctx: Context, value: Abstract, node: ast.AST) -> Seq | None:
    """What an instance gives for 0, 1, 2, ... up to the first IndexError; None where that is not
    found out."""
    getter, known = special(ctx, value, "__getitem__"), content(ctx, value)
    if getter is None or ctx.catching or not isinstance(known, Struct) or known.get(HELD):
        return None
    if not is_contained(getter) or not _changes_nothing(ctx.frame.source.node):
        return None
    items: list[Abstract] = []

    def entry() -> Abstract:
        assert getter is not None
        return inline(ctx, getter, [value, const(len(items))], {}, node)

    while len(items) < MOST:
        with ctx.block(ctx.state.fork()) as stmts:
            one = tried(ctx, entry)
            ended = ctx.state.dead
        if _is_past_the_end(one, stmts if ended else ()):
            return Seq(tuple(items), "tuple")
        if ended or isinstance(one, Mismatch) or _may_raise(stmts):
            return None
        items.append(entry())
    return None


def _changes_nothing(function: ast.AST) -> bool:
    """Whether a function sets no attribute or entry, and has no loop that calls methods."""
    for part in ast.walk(function):
        match part:
            case (
                ast.Attribute(ctx=ast.Store())
                | ast.Subscript(ctx=ast.Store())
                | ast.AugAssign(target=ast.Attribute() | ast.Subscript())
            ):
                return False
            case ast.For() if any(map(_calls_method, ast.walk(part))):
                return False
    return True


def _calls_method(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def _may_raise(stmts: Sequence[Stmt]) -> bool:
    """Whether an exception is raised on some path."""
    every = (stmt for stmt in walk(Block((), tuple(stmts), ())) if isinstance(stmt, Apply))
    return any(str(stmt.option("code")).startswith("raise ") for stmt in every)


def _is_past_the_end(one: Abstract | Mismatch, stmts: Sequence[Stmt]) -> bool:
    """Whether an attempt, or statements that raise, end in an index that there is not."""
    if isinstance(one, Mismatch):
        return one.error.mismatch is Kind.PAST_THE_END
    code = str(stmts[-1].option("code")) if stmts and isinstance(stmts[-1], Apply) else ""
    return code.startswith("raise IndexError")


MOST: Final = 64
"""Entries that an instance is asked for one by one."""


def asked_method(ctx: Context, function: str, owner: Abstract) -> Closure | None:
    """The method that a built-in function asks an instance for."""
    name = _ASKED.get(function)
    return None if name is None else special(ctx, owner, name)


_ASKED = {f"builtins.{name}": f"__{name}__" for name in ("abs", "len", "float", "int", "bool")}


def _generated(ctx: Context, cls: type, name: str) -> Closure | None:
    """A comparison that a data class has made for itself: that of its fields in order."""
    symbol = _SYMBOLS.get(name)
    if symbol is None:
        return None
    fields = [f.name for f in fields_of(cls) if f.compare]
    first, second = (f"({''.join(f'{side}.{n}, ' for n in fields)})" for side in ("a", "b"))
    text = f"lambda a, b: {first} {symbol} {second} if type(a) is type(b) else NotImplemented"
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Lambda)
    place = ctx.node if ctx.node is not None and hasattr(ctx.node, "lineno") else node
    for part in ast.walk(node):
        ast.copy_location(part, place)
    return Closure(ctx.frame.source.nested(node))


_SYMBOLS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def _of_living(ctx: Context, cls: type, name: str) -> Closure | None:
    """That of an object that the program did not make."""
    if not is_followed(cls):
        return None
    note_order(cls)
    found = find(cls, name)
    if found is None or not isinstance(found[1], FunctionType):
        return None
    if found[1].__code__.co_filename == "<string>" and is_dataclass(found[0]):
        return _generated(ctx, found[0], name)
    return closure_of(ctx, *found)
