"""Which exceptions an operation may end in, and which of them an `except` is for.

Operations on numbers and arrays fail in few ways, so in most bodies of `try` it is one or two
statements that have to be watched. What is not known may fail in any way.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

import numpy as np

from adjointgen.frontend.domain.abstract_values import Abstract, Named
from adjointgen.frontend.domain.trial_calls import always_fails, failures_of, may_fail
from adjointgen.ir.nodes import Apply, Block, Const, Operand, walk
from adjointgen.ir.types import COMPLEX, INTEGER, REAL, Dim, Shape, Type
from adjointgen.records import replace
from adjointgen.rules.arrays.index_bounds import has_too_many
from adjointgen.rules.arrays.indexing import Slice, Slot, parse_index
from adjointgen.rules.framework.table import TABLE, Row

Failure = type[BaseException]
ANY: tuple[Failure, ...] = (BaseException,)
_ARITHMETIC: dict[str, tuple[Failure, ...]] = {
    "div": (ZeroDivisionError, OverflowError),
    "floordiv": (ZeroDivisionError, OverflowError),
    "mod": (ZeroDivisionError, OverflowError),
    "pow": (ZeroDivisionError, OverflowError),
}
# What text, None and whatever else an object may be is no number: `int(a)`, `float(a)`, `abs(a)`.
_OF_OBJECTS: tuple[Failure, ...] = (TypeError, ValueError, *_ARITHMETIC["div"])
# Code of the user's, which is known by what it says.
_CODE = ("verbatim", "statement")
_INDEXED = ("load", "store", "accumulate")
# Operations on objects that do not fail whatever they are.
_OF_ANYTHING = ("is", "is_not", "isinstance", "copy", "select", "frozen")
_UNFAILING = ("pure", "sure", "sets")
"""Options of code that reads what is certain to be there, or sets an attribute."""
_NAMING = (
    *(ast.Module, ast.Expr, ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Load),
    *(ast.IfExp, ast.BoolOp, ast.boolop, ast.Lambda, ast.arguments, ast.arg),
)
"""Code that only names things."""
_COUNTING = (
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Compare, ast.cmpop),
    *(ast.UnaryOp, ast.UAdd, ast.USub, ast.Not),
)
"""Code that does not fail for numbers."""
# An entry of a table, or of one that is in it.
_ENTRY = re.compile(r"\w+(\[[^()\[\]]*\])+")
_TALK = ("print(", "warnings.warn(")
_LOGGED = (".debug(", ".info(", ".warning(")


def failures(block: Block, strict: bool) -> set[Failure]:
    """The exceptions of a piece of a program; `strict` where NumPy raises what it would warn of."""
    found: set[Failure] = set()
    for stmt in walk(block):
        if isinstance(stmt, Apply):
            found.update(_of(stmt))
            if _asks_objects(stmt):
                found.update(_OF_OBJECTS)
            if strict and any(r.type.is_differentiable for r in stmt.results):
                found.add(FloatingPointError)
    return found


def may_raise(stmt: Apply, inside: Collection[str] = ()) -> bool:
    """Whether a statement may end in an exception, as far as it is known.

    Nothing is known of what objects do. Parts of arrays need no check, nor do shapes that are
    certain to be equal, nor elements that are certain to be there: `inside` has their names.
    """
    if stmt.op == "comment":
        return False
    if stmt.op in _CODE:
        return not any(map(stmt.option, _UNFAILING)) and may_raise_of(stmt)
    if stmt.op in _INDEXED:
        return _may_miss(stmt, stmt.result.name in inside)
    if stmt.op in ("div", "floordiv", "mod") and _is_number(stmt.args[-1]):
        return False
    if any(a.type.kind == "object" for a in stmt.args):
        return _asks_objects(stmt)
    return bool(_of(stmt)) or _may_fail(stmt)


def _asks_objects(stmt: Apply) -> bool:
    """Whether an operation may fail for what an object is; code of the user's is known apart."""
    ours = stmt.op not in (*_CODE, "comment", *_OF_ANYTHING)
    return ours and any(a.type.kind == "object" for a in stmt.args)


def certain_to_fail(stmt: Apply) -> bool:
    """Whether a statement ends in an exception for all operands of these types."""
    constant = all(isinstance(a, Const) for a in stmt.args)
    tried = constant or not _is_entrywise(TABLE.get(stmt.op))
    return tried and always_fails(stmt.op, stmt.args, stmt.options)


def _may_fail(stmt: Apply) -> bool:
    """Whether an operation other than one that is done entry by entry, of any numbers, may fail."""
    row = TABLE.get(stmt.op)
    if row.measures:
        return stmt.args[0].type.is_scalar
    return not _is_entrywise(row) and may_fail(stmt.op, stmt.args, stmt.options)


def _is_entrywise(row: Row) -> bool:
    """Whether an operation is done entry by entry, and fails for no number."""
    ordered = row.kind == "constant" and bool(row.symbol)
    return not ordered and (row.kind == "elementwise" or row.loop == "entries")


def may_raise_of(stmt: Apply) -> bool:
    """Whether code of the user's may raise: any that does more than name and count numbers."""
    numbers = all(a.type.is_scalar for a in stmt.args)
    try:
        tree = ast.parse(str(stmt.option("code")))
    except SyntaxError:
        return True
    simple = (*_NAMING, *(_COUNTING if numbers else ()))
    return not all(isinstance(node, simple) for node in ast.walk(tree))


def as_kept(stmt: Apply) -> Apply:
    """The statement with a mark that it stays, whether it is read or not."""
    kept = {"kept": True} if stmt.op == "verbatim" else {}
    options = {**dict(stmt.options), **kept, "effect": True}
    return replace(stmt, options=tuple(sorted(options.items())))


def _is_number(operand: Operand) -> bool:
    return isinstance(operand, Const) and bool(operand.value)


def _may_miss(stmt: Apply, inside: bool) -> bool:
    """Whether an element may not be there, of one index that is not certain to be `inside`."""
    array, *index = stmt.args
    if array.type.is_scalar or has_too_many(array.type, dict(stmt.options)):
        return True
    pattern, reads = str(stmt.option("index")), stmt.op == "load"
    if not reads:
        value = index.pop(0)
        if not value.type.is_scalar:
            return not (pattern == "..." and _is_filled(array.type, value.type))
    if _may_stand_still(pattern) or _is_no_index(index):
        return True
    if reads and stmt.result.type.is_array:
        # What is written through a row is not read from it, so a row that may be there is no read.
        unknown = any(i.type.kind in ("array", "object") for i in index)
        return unknown or False in _are_there(array.type, pattern)
    if inside or any(i.type.is_array for i in index):
        return False
    if "_" in pattern:
        return ":" not in pattern
    return not all(_are_there(array.type, pattern))


def _is_no_index(index: Sequence[Operand]) -> bool:
    """Whether a number among them is none of a place: NumPy refuses floats."""
    return any(i.type.dtype in (*REAL, *COMPLEX) for i in index)


def _are_there(array: Type, pattern: str) -> tuple[bool | None, ...]:
    """Whether places that are numbers are in an array; None for each of unknown length."""
    places = pattern.replace(" ", "").split(",")
    if not all(place.lstrip("-").isdigit() for place in places):
        return ()
    axes = zip(array.shape or (None,) * len(places), map(int, places), strict=False)
    lengths = ((None if dim is None else dim.known, at) for dim, at in axes)
    return tuple(None if length is None else -length <= at < length for length, at in lengths)


def _may_stand_still(pattern: str) -> bool:
    """Whether a slice may have the step 0."""
    slices = (item for item in parse_index(pattern) if isinstance(item, Slice))
    return any(item.step == 0 or isinstance(item.step, Slot) for item in slices)


def _is_filled(whole: Type, value: Type) -> bool:
    """Whether a value is certain to fit into an array."""
    if whole.shape is None or value.shape is None or len(whole.shape) < len(value.shape):
        return False
    ends = whole.shape[len(whole.shape) - len(value.shape) :]
    one = Dim("", 1)
    return all(a is not None and b in (a, one) for a, b in zip(ends, value.shape, strict=True))


def _of(stmt: Apply) -> tuple[Failure, ...]:
    if stmt.op in _CODE:
        code = str(stmt.option("code"))
        if stmt.option("sure") or stmt.option("sets"):
            return ()
        if raises := stmt.option("raises"):
            return (getattr(builtins, str(raises)),)
        if _ENTRY.fullmatch(code):
            return (IndexError, KeyError, TypeError)
        return () if stmt.option("pure") or _only_talks(code) else ANY
    types = [a.type for a in stmt.args]
    arrays = [t for t in types if not t.is_scalar]
    if stmt.op in _ARITHMETIC and not arrays:
        return _ARITHMETIC[stmt.op]
    if stmt.op in _INDEXED:
        several = len(arrays) > 1 or _may_stand_still(str(stmt.option("index")))
        return (IndexError, ValueError) if several else (IndexError,)
    if stmt.op == "cast":
        whole = stmt.option("dtype") in INTEGER and types[0].dtype not in INTEGER
        return (ValueError, OverflowError) if whole and not arrays else ()
    row = TABLE.rows.get(stmt.op)
    return ANY if row is None else _of_row(stmt, row, types, arrays)


def _of_row(
    stmt: Apply, row: Row, types: Sequence[Type], arrays: list[Type]
) -> tuple[Failure, ...]:
    if row.measures and types and types[0].is_array and types[0].rank is None:
        # What may be an array may be a number, which has no length.
        return (TypeError,)
    spelling = str(stmt.option("spelling") or next(iter(row.spellings), ""))
    if any(s.startswith("numpy.linalg.") for s in row.spellings):
        return (np.linalg.LinAlgError,)
    if spelling.startswith("math."):
        return (ValueError, OverflowError)
    tried = not row.measures and not _is_entrywise(row)
    found = failures_of(stmt.op, stmt.args, stmt.options) if tried else ()
    return (ValueError, *found) if _may_not_fit(row, arrays) else found


def _only_talks(code: str) -> bool:
    return code.startswith(_TALK) or any(part in code.partition(" ")[0] for part in _LOGGED)


def _may_not_fit(row: Row, arrays: list[Type]) -> bool:
    """Whether shapes may be unlike; a single array fits itself, entry by entry."""
    if row.kind in ("elementwise", "constant") or (row.symbol and row.name != "matmul"):
        return len(arrays) > 1 and not _are_broadcast([t.shape for t in arrays])
    return row.kind not in ("structural",) and len(arrays) > 1


def _are_broadcast(shapes: Sequence[Shape | None]) -> bool:
    """Whether shapes are certain to be broadcast, axis by axis from the last."""
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return False
    columns = zip_longest(*(reversed(shape) for shape in known), fillvalue=Dim("", 1))
    lengths = ({*column} - {Dim("", 1)} for column in columns)
    return all(len(column) <= 1 and None not in column for column in lengths)


def class_of(value: Abstract) -> Failure | None:
    """The class that an expression names, where that is known; no module is imported."""
    found: object = getattr(value, "type", None)
    if isinstance(value, Named):
        module, _, name = value.spelling.rpartition(".")
        found = getattr(builtins if module == "builtins" else sys.modules.get(module), name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def catches(kind: Abstract, raised: Abstract) -> bool | None:
    """Whether an `except` is for an exception of a class, where that is known."""
    if kind == raised:
        return True
    one, other = class_of(kind), class_of(raised)
    return None if one is None or other is None else issubclass(other, one)


def watched_for(kinds: Iterable[Abstract], found: set[Failure]) -> bool:
    """Whether an exception that may come is one of these kinds."""
    for kind in kinds:
        known = class_of(kind)
        if BaseException in found or known is None:
            return bool(found)
        if any(issubclass(one, known) for one in found):
            return True
    return False
