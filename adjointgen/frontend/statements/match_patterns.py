"""The patterns of `match`: whether a value fits, and the parts that are bound.

What is known of a value decides most of it when the program is generated: the length of a tuple,
the class of a number, a string. What is left are comparisons.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Seq, Struct
from adjointgen.frontend.expressions.comparisons import all_of, any_of, comparison
from adjointgen.frontend.library.array_attributes import fact
from adjointgen.frontend.library.dicts import without
from adjointgen.frontend.library.type_tests import is_instance
from adjointgen.frontend.source.desugar import (
    Attribute,
    Entry,
    Fits,
    Keyed,
    Others,
    Part,
    Rest,
    Step,
    parts,
)
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.dict_keys import known_key
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const

# These hand the whole value to their one positional pattern.
WHOLE = frozenset(
    f"builtins.{name}"
    for name in (
        "bool",
        "bytes",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "set",
        "str",
        "tuple",
    )
)


def fits(ctx: Context, node: Fits) -> Abstract:
    """The test of a case."""
    return _fits(ctx, ctx.expression(node.subject), node.pattern)


def _fits(ctx: Context, value: Abstract, pattern: ast.pattern) -> Abstract:
    match pattern:
        case ast.MatchAs(pattern=None) | ast.MatchStar():
            return const(True)
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _fits(ctx, value, inner)
        case ast.MatchValue(value=wanted):
            return comparison(ctx, ast.Eq, value, ctx.expression(wanted))
        case ast.MatchSingleton(value=single):
            return comparison(ctx, ast.Is, value, const(single))
        case ast.MatchOr(patterns=patterns):
            return any_of(ctx, [partial(_fits, ctx, value, p) for p in patterns])
    inside = [partial(_part_fits, ctx, value, *one) for one in parts(pattern)]
    return all_of(ctx, [partial(_kind, ctx, value, pattern), *inside])


def _part_fits(ctx: Context, value: Abstract, step: Step, pattern: ast.pattern) -> Abstract:
    return _fits(ctx, _part(ctx, value, step), pattern)


def _kind(ctx: Context, value: Abstract, pattern: ast.pattern) -> Abstract:
    """Whether a value is a sequence of the right length, or of the right class."""
    match pattern:
        case ast.MatchSequence(patterns=inner):
            known = content(ctx, value)
            starred = any(isinstance(p, ast.MatchStar) for p in inner)
            least = len(inner) - starred
            if (items := _entries(known)) is not None:
                number = len(items)
                return const(number >= least if starred else number == least)
            if isinstance(known, Struct) or not _is_opaque(ctx, known):
                return const(False)
        case ast.MatchMapping(keys=keys):
            known = content(ctx, value)
            if isinstance(known, Struct) and known.kind == "dict":
                return const(all(known.get(_key(ctx, key)) is not None for key in keys))
            if isinstance(known, Seq | Struct) or not _is_opaque(ctx, known):
                return const(False)
        case ast.MatchClass(cls=cls):
            return _of_class(ctx, value, cls)
    return _unknown(ctx, pattern)


def _entries(known: Abstract) -> tuple[Abstract, ...] | None:
    """The entries of what is a sequence to a pattern: a tuple, list or named tuple."""
    if isinstance(known, Struct):
        named = isinstance(known.kind, Class) and issubclass(known.kind.type, tuple)
        return known.items if named else None
    return known.items if isinstance(known, Seq) else None


def _is_opaque(ctx: Context, value: Abstract) -> bool:
    """Whether a value may be anything: numbers and arrays are no sequences to a pattern."""
    if isinstance(value, Const):
        return False
    return read(ctx, value).type.kind not in ("scalar", "array")


def _of_class(ctx: Context, value: Abstract, cls: ast.expr) -> Abstract:
    found = is_instance(ctx, value, ctx.expression(cls))
    return _unknown(ctx, cls) if found is None else found


def _part(ctx: Context, value: Abstract, step: Step) -> Abstract:
    known = content(ctx, value)
    match step:
        case Entry(index=index) if (items := _entries(known)) is not None:
            return items[index]
        case Rest(before=before, after=after) if (items := _entries(known)) is not None:
            return Seq(items[before : len(items) - after], "list")
        case Keyed(key=key) if isinstance(known, Struct):
            entry = known.get(_key(ctx, key))
            assert entry is not None
            return entry
        case Others(keys=keys) if isinstance(known, Struct):
            for key in keys:
                known = without(known, _key(ctx, key))
            return known
        case Attribute(name=name) if isinstance(known, Struct) and isinstance(known.kind, Class):
            names = getattr(known.kind.type, "__match_args__", ())
            if isinstance(name, str) or name < len(names):
                named = name if isinstance(name, str) else names[name]
                return ctx.actions.attribute(ctx, value, named, named)
        case Attribute(name=0, owner=owner):
            found = ctx.expression(owner)
            if isinstance(found, Named) and found.spelling in WHOLE:
                return value
        case Attribute(name=str(name)):
            found_fact = fact(ctx, value, name)
            if found_fact is not None:
                return found_fact
    return _unknown(ctx, ctx.node)


def _key(ctx: Context, key: ast.expr) -> Any:
    """The key that a pattern names: a literal, or a constant of a module."""
    found = known_key(ctx, ctx.expression(key))
    return _unknown(ctx, key) if found is None else found[0]


def _unknown(ctx: Context, node: ast.AST | None) -> NoReturn:
    ctx.refuse(
        "AG101",
        "whether this pattern fits is not known when the program is generated",
        "use `if` with a test of the value",
        node=node,
    )


def part(ctx: Context, node: Part) -> Abstract:
    """What a name in a pattern is bound to."""
    value = ctx.expression(node.subject)
    ctx.node = node
    for step in node.path:
        value = _part(ctx, value, step)
    return value


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {Fits: fits, Part: part}
