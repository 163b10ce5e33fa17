"""What a call that is copied as it stands may change of the objects that the program did not make.

CONFIG.setup()        code of which nothing is known: whatever was folded may be another now
MODEL.log.append(v)   a container that is at hand: what is in that
np.histogram(a)       a function of a library changes no object of the user's
"""

from __future__ import annotations

import ast
import re
import sys
from collections import deque

from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named, Outside
from adjointgen.frontend.domain.module_tables import Layout, Living, container
from adjointgen.frontend.domain.structures import is_followed
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.foreign_views import maker
from adjointgen.frontend.state.live_facts import ADDERS, MUTATORS, OPERATORS, REMOVERS
from adjointgen.frontend.state.module_objects import kind_of, layout, note_entry, note_removal
from adjointgen.frontend.state.storage_cells import content, shown_type
from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.rules.framework.opaque_writes import READERS


def note_call(ctx: Context, node: ast.Call, function: Abstract | None) -> None:
    """Note what a call may have changed."""
    match _callee(ctx, node, function):
        case Method(owner=owner, name=name):
            _note_method(ctx, node, content(ctx, owner), name)
        case Named(spelling=spelling):
            if not is_library(spelling):
                ctx.outlines.facts.stir()
            home, _, name = spelling.rpartition(".")
            if name in MUTATORS or (name in OPERATORS and home in ("operator", "_operator")):
                # A method of a class, called with its object.
                ctx.outlines.facts.write_into_any()
                if name in ("__setattr__", "__delattr__"):
                    ctx.outlines.facts.write_all()
        case None:
            return
        case _:
            ctx.outlines.facts.stir()


def _callee(ctx: Context, node: ast.Call, function: Abstract | None) -> Abstract | None:
    """What a call calls, which may have been evaluated already."""
    begun = ctx.begun.get(node)
    return function if begun is None else begun.function or function


def _note_method(ctx: Context, node: ast.Call, owner: Abstract, name: str) -> None:
    table = layout(ctx, owner)
    if name in REMOVERS:
        note_removal(ctx, owner)
    elif name in MUTATORS:
        note_entry(ctx, owner, _added(ctx, node) if name in ADDERS else None)
    users = isinstance(table, Living) and is_followed(type(table.value))
    known = table is not None or isinstance(owner, Outside) or _is_of_library(ctx, owner)
    if users or not (known or shown_type(ctx, ctx.state, owner).kind != "object"):
        ctx.outlines.facts.stir()


def is_addition(ctx: Context, node: ast.Call, function: Abstract | None) -> bool:
    """Whether a call only puts what it is given into a list or dict of the module."""
    function = _callee(ctx, node, function)
    if not isinstance(function, Method) or function.name not in ADDERS:
        return False
    held = container(layout(ctx, content(ctx, function.owner)))
    return type(held) in (list, dict, deque)


def _added(ctx: Context, node: ast.Call) -> Layout | None:
    """Of what kind that is which a call puts into a container.

    It is asked where the value is: its storage is not known outside of the trial.
    """
    if not node.args or isinstance(node.args[-1], ast.Starred):
        return None
    with ctx.block(ctx.state.fork()):
        return or_none(ctx, lambda: kind_of(ctx, ctx.expression(node.args[-1])))


def is_library(spelling: str) -> bool:
    """Whether a function of this qualified name is one of Python's, NumPy's or SciPy's."""
    home, _, name = spelling.partition(".")
    runs = name.rpartition(".")[2] in ("exec", "eval", "setattr", "delattr")
    return (home in READERS or home in sys.stdlib_module_names) and not runs


def _is_of_library(ctx: Context, owner: Abstract) -> bool:
    """Whether a function of a library made an object, or it is a text, or what a text gives."""
    if isinstance(owner, Const):
        return True
    made = _maker(ctx, owner) if isinstance(owner, Value) else None
    return made is not None and (is_library(str(made.option("callee", ""))) or _is_text(ctx, made))


def _maker(ctx: Context, value: Value) -> Apply | None:
    """The operation that made a value; it is searched for once."""
    key = "maker", value.name
    if key not in ctx.memo:
        ctx.memo[key] = maker(ctx, value)
    found: Apply | None = ctx.memo[key]
    return found


def _is_text(ctx: Context, stmt: Apply) -> bool:
    """Whether what is copied is an f-string, or a method of a text or of what a text has given:
    `name.encode("ascii").translate(TABLE)`."""
    code = str(stmt.option("code", ""))
    if stmt.op != "verbatim" or not (code[:1] == "f" or _CALLS_METHOD.search(code)):
        return False
    match ast.parse(f"({code})", mode="eval").body:
        case ast.JoinedStr():
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() | bytes()))):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
            place = HOLE.fullmatch(name)
            held = stmt.args[int(place.group(1))] if place else None
            return hasattr(bytes, attr) and held is not None and _is_made_of_text(ctx, held)
    return False


def _is_made_of_text(ctx: Context, operand: Operand) -> bool:
    """Whether an operand is a text, or what methods of one have given."""
    if isinstance(operand, Const):
        return isinstance(operand.value, str)
    made = _maker(ctx, operand)
    return made is not None and _is_text(ctx, made)


HOLE = re.compile(r"_(\d+)_")
_CALLS_METHOD = re.compile(r"^(_\d+_|['\"]).*\)$")
