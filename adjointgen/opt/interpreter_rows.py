"""What each operation of the table means, on values.

A row is called by its first spelling; the rows that no Python function spells have their meaning in
`STRUCTURAL`.
"""

from __future__ import annotations

import importlib
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache
from itertools import count
from typing import Any, Final

import numpy as np

from adjointgen.opt.interpreter_lists import LISTS
from adjointgen.opt.interpreter_written import HELPERS, placeholders, written
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.table import Row

LABELS: Final = ("spelling", "callee", "effect")
"""Options that say how an operation is printed."""


def perform(op: str, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """One operation on values. How the user spelled it makes no difference."""
    row = TABLE[op]
    options = {name: value for name, value in options.items() if name not in LABELS}
    if op in STRUCTURAL:
        return STRUCTURAL[op](*args, **options)
    if row.symbol:
        return OPERATORS[op](*args)
    if row.written:
        return written(perform, row, args, options)
    if row.code:
        return eval(row.code, placeholders(row, args, options))
    positional, keywords = call_arguments(row, args, options)
    return function_of(row)(*positional, **keywords)


def in_place(op: str, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """One operation of a program with storage: what is stored to is overwritten."""
    if write := _WRITES.get(op):
        return write(*args, index=str(options.get("index", "_")))
    return perform(op, args, options)


def call_arguments(
    row: Row, args: Sequence[Any], options: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """How the Python function is called: operands in order, options by keyword where possible."""
    left, keywords, positional = list(args), dict(options), []
    last = max((k for k, p in enumerate(row.parameters) if p.operand), default=-1)
    for parameter in row.parameters[: last + 1]:
        if not parameter.operand:
            positional.append(keywords.pop(parameter.name, parameter.default))
        elif parameter.variadic:
            after = sum(p.operand for p in row.parameters) - row.parameters.index(parameter) - 1
            several, left = left[: len(left) - after], left[len(left) - after :]
            # A shape that nothing is known of is one operand, and a tuple already.
            whole = parameter.separate or [type(v) for v in several] == [tuple]
            positional += several if whole else [tuple(several)]
        elif left and left[0] is None and row.spellings[0].startswith("scipy."):
            left.pop(0)
            later = [p.name for p in row.parameters[row.parameters.index(parameter) + 1 :]]
            keywords |= dict(zip(later, left, strict=False))
            break
        elif left:
            positional.append(left.pop(0))
    return positional, keywords


@cache
def _attribute(spelling: str) -> Callable[..., Any]:
    module, _, name = spelling.rpartition(".")
    package, _, own = module.rpartition(".")
    # `scipy.stats.norm` is an object, not a module.
    owner = getattr(importlib.import_module(package), own, None) if package else None
    found: Callable[..., Any] = getattr(owner or importlib.import_module(module), name)
    return found


def function_of(row: Row) -> Callable[..., Any]:
    """The Python function that a row's first spelling names; a method where it has no function."""
    for spelling in row.spellings:
        if not spelling.startswith("."):
            return _attribute(spelling)
    if row.runtime:
        module = f"adjointgen.runtime.{row.runtime.removesuffix('.py')}"
        found: Callable[..., Any] = getattr(importlib.import_module(module), row.name)
        return found
    method = row.spellings[0][1:]
    return lambda a, *args, **options: getattr(a, method)(*args, **options)


class _Key:
    def __getitem__(self, key: Any) -> Any:
        return key


def key_of(pattern: str, operands: Sequence[Any]) -> Any:
    """The index that a pattern denotes, its `_` filled from the operands in order."""
    number = count()
    text = re.sub(r"(?<!\w)_(?!\w)", lambda _: f"_{next(number)}_", pattern)
    names = {f"_{k}_": value for k, value in enumerate(operands)}
    return eval(f"_key_[{text}]", names | {"np": np, "_key_": _Key()})


def _load(a: Any, *operands: Any, index: str = "_") -> Any:
    return a[key_of(index, operands)]


def _overwrite(a: Any, v: Any, *operands: Any, index: str = "_") -> Any:
    a[key_of(index, operands)] = v
    return a


def _add_to(a: Any, v: Any, *operands: Any, index: str = "_") -> Any:
    key = key_of(index, operands)
    if isinstance(a, np.ndarray):
        np.add.at(a, key, v)
    else:
        a[key] = a[key] + v
    return a


_WRITES: Final[Mapping[str, Callable[..., Any]]] = {"store": _overwrite, "accumulate": _add_to}


def _cast(a: Any, dtype: str) -> Any:
    if isinstance(a, np.ndarray):
        return a.astype(dtype)
    builtin = {"float64": float, "int64": int, "bool": bool, "complex128": complex}
    return builtin[dtype](a) if dtype in builtin else np.dtype(dtype).type(a)


def _select(test: Any, a: Any, b: Any) -> Any:
    return (
        (a if test else b)
        if np.ndim(test) == 0 == np.ndim(a) == np.ndim(b)
        else np.where(test, a, b)
    )


def _expand(y: Any, like: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is not None and not keepdims:
        rank = np.ndim(like)
        axes = axis if isinstance(axis, tuple) else (axis,)
        y = np.expand_dims(y, tuple(a % rank for a in axes))
    return np.broadcast_to(y, np.shape(like)).copy()


def _unbroadcast(v: Any, like: Any) -> Any:
    extra = np.ndim(v) - np.ndim(like)
    if extra < 0:
        return np.broadcast_to(v, np.shape(like)).copy()
    v = np.sum(v, axis=tuple(range(extra)))
    ones = tuple(k for k, n in enumerate(np.shape(like)) if n == 1 and np.shape(v)[k] != 1)
    v = np.sum(v, axis=ones, keepdims=True)
    return np.broadcast_to(v, np.shape(like)).copy() if isinstance(like, np.ndarray) else v


STRUCTURAL: dict[str, Callable[..., Any]] = {
    **HELPERS,
    "load": _load,
    "store": lambda a, *rest, **options: _overwrite(copy(a), *rest, **options),
    "accumulate": lambda a, *rest, **options: _add_to(copy(a), *rest, **options),
    "copy": copy,
    "dim": lambda a, axis=0: np.shape(a)[axis],
    "select": _select,
    "cast": _cast,
    "expand": _expand,
    "unbroadcast": _unbroadcast,
    "stop_gradient": lambda a: a,
    "same": lambda n, m: n,
    "written": lambda a, name: [],
    "plus": operator.add,
    "vector_exp": np.exp,
    "vector_tanh": np.tanh,
    **LISTS,
}

OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "matmul": operator.matmul,
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
    "not": operator.not_,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "is": operator.is_,
    "is_not": operator.is_not,
    "in": lambda a, b: a in b,
    "not_in": lambda a, b: a not in b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
