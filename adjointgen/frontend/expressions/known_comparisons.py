"""Comparisons of what is known entirely when the program is generated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Functions, Named, Seq
from adjointgen.frontend.domain.qualified_names import meant
from adjointgen.ir.nodes import Const, Dtype


def known_outcome(function: Callable[[Any, Any], Any], a: Abstract, b: Abstract) -> bool | None:
    """A comparison of what is known entirely; NumPy compares dtypes with classes and names."""
    leaves = [*_leaves(a), *_leaves(b)]
    dtypes = any(isinstance(leaf, Const) and isinstance(leaf.value, Dtype) for leaf in leaves)
    known = plain_value(a), plain_value(b)
    if any(k is None for k in known) or (_mixed(a, b) and not dtypes):
        return None
    try:
        return bool(function(known[0][0], known[1][0]))  # type: ignore[index]
    except TypeError:
        return None


_KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}


def plain_value(value: Abstract) -> tuple[Any] | None:
    """The Python value of what is known entirely, in a box."""
    match value:
        case Const(value=Dtype(name=name)):
            return (np.dtype(name),)
        case Const(value=known):
            return (known,)
        case Seq(items=items, kind=kind):
            parts = [plain_value(item) for item in items]
            if all(p is not None for p in parts):
                values = [p[0] for p in parts if p is not None]
                return (_KINDS[kind](values),)
        case Named(spelling=spelling):
            return (meant(spelling),)
        case Functions(keys=keys):
            return (keys,)
        case Closure(source=source, frame=-1):
            place = source.node.lineno, source.node.col_offset
            return (("function", source.file, *place, source.resolver.identity),)
    return None


def _mixed(*values: Abstract) -> bool:
    """Whether there are names among other things: what a name stands for, may be one of these."""
    named = {isinstance(leaf, Named) for value in values for leaf in _leaves(value)}
    return len(named) > 1


def _leaves(value: Abstract) -> Iterator[Abstract]:
    if isinstance(value, Seq):
        for item in value.items:
            yield from _leaves(item)
    else:
        yield value
