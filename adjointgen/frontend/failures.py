"""Which exceptions an operation may end in, and which of them an `except` is for.

Operations on numbers and arrays fail in few ways, so in most bodies of `try` it is one or two
statements that have to be watched. What is not known may fail in any way.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterable

import numpy as np

from adjointgen.frontend.values import Abstract, Named
from adjointgen.ir.nodes import Apply, Block, walk
from adjointgen.ir.types import INTEGER, Type
from adjointgen.rules.table import TABLE

Failure = type[BaseException]
ANY: tuple[Failure, ...] = (BaseException,)
_ARITHMETIC: dict[str, tuple[Failure, ...]] = {
    "div": (ZeroDivisionError, OverflowError),
    "floordiv": (ZeroDivisionError, OverflowError),
    "mod": (ZeroDivisionError, OverflowError),
    "pow": (ZeroDivisionError, OverflowError),
}
_INDEXED = ("load", "store", "accumulate")
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
            if strict and any(r.type.is_differentiable for r in stmt.results):
                found.add(FloatingPointError)
    return found


def may_fail(stmt: Apply) -> bool:
    """Whether an operation may end in an exception; nothing is known of what objects do."""
    opaque = any(a.type.kind in ("object", "list") for a in stmt.args)
    return opaque or bool(_of(stmt))


def _of(stmt: Apply) -> tuple[Failure, ...]:
    if stmt.op in ("verbatim", "statement"):
        code = str(stmt.option("code"))
        if stmt.option("sure"):
            return ()
        if _ENTRY.fullmatch(code):
            return (IndexError, KeyError)
        return () if stmt.option("pure") or _only_talks(code) else ANY
    types = [a.type for a in stmt.args]
    arrays = [t for t in types if not t.is_scalar]
    if stmt.op in _ARITHMETIC and not arrays:
        return _ARITHMETIC[stmt.op]
    if stmt.op in _INDEXED:
        return (IndexError, ValueError) if len(arrays) > 1 else (IndexError,)
    if stmt.op == "cast":
        whole = stmt.option("dtype") in INTEGER and types[0].dtype not in INTEGER
        return (ValueError, OverflowError) if whole and not arrays else ()
    row = TABLE.rows.get(stmt.op)
    if row is None:
        return ANY
    spelling = str(stmt.option("spelling") or next(iter(row.spellings), ""))
    if any(s.startswith("numpy.linalg.") for s in row.spellings):
        return (np.linalg.LinAlgError,)
    if spelling.startswith("math."):
        return (ValueError, OverflowError)
    return (ValueError,) if _may_not_fit(row.kind, arrays) else ()


def _only_talks(code: str) -> bool:
    return code.startswith(_TALK) or any(part in code.partition(" ")[0] for part in _LOGGED)


def _may_not_fit(kind: str, arrays: list[Type]) -> bool:
    """Whether shapes may be unlike; a single array fits itself, entry by entry."""
    if kind in ("elementwise", "constant"):
        return len({t.shape for t in arrays}) > 1 or any(t.shape is None for t in arrays[1:])
    return kind not in ("structural",) and len(arrays) > 1


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
