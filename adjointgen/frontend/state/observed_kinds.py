"""Values of which nothing is known, by the kind that they had in a run at the arguments.

    t = (day - START).days / 365.0       if type(days) is not int:
                                             raise NotImplementedError("bond.py:9: …")

The program says what it takes to hold where the value is made, and ends there if it does not. Only
programs that are refused otherwise are told of kinds (`adjointgen/observe/`).

Source: specialisation by observed types, Chambers and Ungar 1989.
"""

from __future__ import annotations

import ast
from ast import literal_eval
from typing import Any, Final

from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Struct
from adjointgen.frontend.domain.exception_classes import catches
from adjointgen.frontend.domain.untaken import NAMED, NUMBER, TEXT, found
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import statement, verbatim
from adjointgen.frontend.state.scope_lookup import live_resolver
from adjointgen.frontend.state.storage_cells import HELD_BY, content, read
from adjointgen.frontend.state.unchanged_values import unchanged
from adjointgen.frontend.state.untaken_paths import EXCEPTION
from adjointgen.ir.nodes import Apply, Const, Value
from adjointgen.ir.types import BOOL, FLOAT, INT, OBJECT, Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.opaque_writes import gives_new

LISTED: Final = "listed"
"""Under which it is noted in which block an object has been tested to be a list or tuple."""
_NUMBERS = {"float": FLOAT, "int": INT, "bool": BOOL}


def observed(ctx: Context, node: ast.AST, value: Abstract) -> Abstract:
    """The value of an expression, of the kind that it is taken to have."""
    taken = ctx.outlines.untaken.kind_of(ctx.frame.source.file, node)
    if taken is None or is_caught(ctx):
        return value
    kind, said = taken
    is_cell = isinstance(value, Ref) and not value.steps
    held = ctx.state.cells.get(value.cell) if is_cell else value  # type: ignore[union-attr]
    if not isinstance(held, Value):
        return value
    if kind.startswith(NUMBER):
        return _known_number(ctx, held, int(kind.removeprefix(NUMBER)), said)
    if "[" not in kind or kind.startswith((TEXT, NAMED)):
        return _plain(ctx, node, value, held, kind, said) if held.type == OBJECT else value
    dtype, _, rank = kind.rstrip("]").partition("[")
    type = Type(dtype, (None,) * int(rank), "array")
    if held is value:
        return _array(ctx, node, held, type, said)
    if isinstance(value, Ref) and not value.steps and held.type.is_array:
        ctx.state.cells[value.cell] = _array(ctx, node, held, type, said)
    return value


def _plain(
    ctx: Context, node: ast.AST, value: Abstract, held: Value, kind: str, said: str
) -> Abstract:
    """An object of which more is known now: a text, a number, something of a module, a list."""
    if kind.startswith(TEXT):
        return _text(ctx, held, literal_eval(kind.removeprefix(TEXT)), said)
    if kind.startswith(NAMED):
        return _named(ctx, held, kind.removeprefix(NAMED), said)
    if kind in _NUMBERS:
        return _number(ctx, node, held, kind, said)
    _note_listed(ctx, held, kind, said)
    return value


def _number(ctx: Context, node: ast.AST, held: Value, kind: str, said: str) -> Value:
    type = _NUMBERS[kind]
    made = _typed(ctx, node, held, type)
    _check(ctx, f"type(_0_) is not {kind}", held if made is None else made, said)
    made = ctx.apply("cast", held, dtype=type.dtype) if made is None else made
    unchanged(ctx, [made])
    return made


def _known_number(ctx: Context, held: Value, number: int, said: str) -> Value | Const:
    """An integer that is known from now on, under all its names."""
    if held.type.dtype not in ("int64", "object") or held.type.kind == "array":
        return held
    test = f"_0_ != {number}" if held.type == INT else f"type(_0_) is not int or _0_ != {number}"
    _check(ctx, test, held, said, fixed=True)
    made = const(number)
    for key, value in ctx.state.names.items():
        ctx.state.names[key] = made if value == held else value
    return made


def entries_observed(ctx: Context, node: ast.AST, value: Abstract) -> int | None:
    """How many entries an array, list or tuple is taken to have, which the program tests here."""
    found = _lengths(ctx, node, value)
    if found is None or isinstance(found[1][0], str):
        return None
    held, lengths, said = found
    _check(ctx, f"len(_0_) != {lengths[0]}", held, said)
    return int(lengths[0])


def dict_observed(ctx: Context, node: ast.AST, value: Abstract) -> Struct | None:
    """A dict with the entries of one whose keys the program tests here."""
    found = _lengths(ctx, node, value)
    if found is None or not isinstance(found[1][0], str):
        return None
    held, keys, said = found
    _check(ctx, f"type(_0_) is not dict or tuple(_0_) != {keys}", held, said)
    items = tuple(
        verbatim(ctx, f"_0_[{key!r}]", (held,), OBJECT, quiet=True, sure=True) for key in keys
    )
    return Struct("dict", keys, items)


def _lengths(
    ctx: Context, node: ast.AST, value: Abstract
) -> tuple[Value, tuple[Any, ...], str] | None:
    """The value, its lengths or keys, and what is said else."""
    taken = ctx.outlines.untaken.lengths_of(ctx.frame.source.file, node)
    if taken is None or is_caught(ctx) or not isinstance(value, Ref | Value):
        return None
    if isinstance(content(ctx, value), Struct):
        return None
    held = read(ctx, value)
    if not isinstance(held, Value) or held.type.is_scalar:
        return None
    return held, literal_eval(taken[0]), taken[1]


def _note_listed(ctx: Context, held: Value, kind: str, said: str) -> None:
    if held.type == OBJECT and not was_listed(ctx, held):
        _check(ctx, f"type(_0_) is not {kind}", held, said)
        ctx.memo[LISTED, held.name] = ctx.blocks[-1]


def was_listed(ctx: Context, value: Value) -> bool:
    """Whether it has been tested on this path that an object is a list or tuple."""
    tested = ctx.memo.get((LISTED, value.name))
    return any(block is tested for block in ctx.blocks)


def _text(ctx: Context, held: Value, text: str, said: str) -> Value | Const:
    if held.type != OBJECT:
        return held
    _check(ctx, f"_0_ != {text!r}", held, said, fixed=True)
    return const(text)


def _named(ctx: Context, held: Value, name: str, said: str) -> Abstract:
    resolver = live_resolver(ctx)
    if held.type != OBJECT or resolver is None:
        return held
    module, _, path = name.partition(":")
    line, text = f"import {module}", f"{module}.{path}"
    made = resolver.classify(found(module, path), text, line)
    ctx.imports[line] = None
    _check(ctx, f"_0_ is not {text}", held, said, fixed=True)
    return made


def _array(ctx: Context, node: ast.AST, held: Value, type: Type, said: str) -> Value:
    unknown = held.type.is_array and held.type.shape is None and held.type.dtype == type.dtype
    if unknown:
        test = f"_0_.ndim != {type.rank}"
    elif held.type == OBJECT:
        numpy = "type(_0_) is np.ndarray"
        test = f'not ({numpy} and _0_.dtype == "{type.dtype}" and _0_.ndim == {type.rank})'
        ctx.imports["import numpy as np"] = None
    else:
        return held
    made = _typed(ctx, node, held, type)
    _check(ctx, test, held if made is None else made, said)
    if made is None:
        made = verbatim(ctx, "_0_", (held,), type, pure=True)
    if held.type == OBJECT and not _is_new(ctx, made):
        ctx.memo[HELD_BY, made.name] = ctx.text(node)
    return made


def _is_new(ctx: Context, made: Value) -> bool:
    """Whether the statement before the test has made an array that nothing else holds."""
    maker = ctx.blocks[-1][-2]
    if not isinstance(maker, Apply) or maker.results != (made,):
        return False
    callee, code = str(maker.option("callee", "")), str(maker.option("code"))
    return gives_new(callee) or (callee == "numpy.array" and "copy" not in code)


def _typed(ctx: Context, node: ast.AST, value: Value, type: Type) -> Value | None:
    """The value with a type, if the last statement has made it for this expression."""
    last = ctx.blocks[-1][-1] if ctx.blocks[-1] else None
    if not isinstance(last, Apply) or last.results != (value,) or last.option("outside"):
        return None
    if last.span != ctx.span(node):
        return None
    made = replace(value, type=type)
    ctx.blocks[-1][-1] = replace(last, results=(made,))
    return made


def _check(ctx: Context, test: str, value: Value, said: str, fixed: bool = False) -> None:
    code = f'if {test}: raise NotImplementedError("{said}")'
    statement(ctx, code, (value,), raises="NotImplementedError", fixed=fixed)


def is_caught(ctx: Context) -> bool:
    """Whether a handler around would go on from the exception."""
    handlers = (one for handlers in ctx.catching for one in handlers if not one.leaves)
    return any(catches(kind, EXCEPTION) is not False for one in handlers for kind in one.kinds)
