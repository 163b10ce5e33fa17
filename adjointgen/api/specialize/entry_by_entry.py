"""What would let a program be made that is refused since it is not known entry by entry.

    def f(x, n):                    refused for any n;  for n = 3 the lists have known lengths,
        rows = [[x]]                and a call with another n has a program of its own
        for _ in range(n): ...

The lengths of short arrays and small integers are fixed, as few of them as will do. So are
functions and classes that are given as arguments: `solve(f, x)` is refused as long as `f` may be
any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

import numpy as np

from adjointgen.api.specialize.length_guards import Axis
from adjointgen.frontend.domain.abstract_values import Fixed, Function, Parts
from adjointgen.frontend.domain.numpy_namespace import asks_namespace
from adjointgen.frontend.domain.structures import Argument, name_in_module
from adjointgen.frontend.source.collection_classes import MODELS
from adjointgen.ir.types import Type
from adjointgen.watch import Look

MOST: Final = 32
"""The longest axes, and greatest integers, of which a program may be made for each."""

Ways = tuple[dict[Axis, int], dict[str, Argument]]


def ways(types: Mapping[str, Argument], arguments: Mapping[str, Any]) -> Iterator[Ways]:
    """Lengths and integers to be fixed: of either kind alone, then of both."""
    lengths = dict(_lengths(types, arguments))
    numbers: dict[str, Argument] = {
        name: Fixed(value)
        for name, value in arguments.items()
        if type(value) is int and abs(value) <= MOST and isinstance(types.get(name), Type)
    }
    if numbers:
        yield {}, numbers
    if lengths:
        yield lengths, {}
    if numbers and lengths:
        yield lengths, numbers


_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, np.ufunc)


def folded(types: Mapping[str, Argument], arguments: Mapping[str, Any]) -> dict[str, Argument]:
    """Arguments that are functions, or hold nothing else: a program is made for just these."""
    found: dict[str, Argument] = {}
    for name in types.keys() & arguments.keys():
        value = arguments[name]
        if _is_function(value):
            found[name] = Fixed(Function(value))
        elif type(value) in (list, tuple) and value and all(map(_is_function, value)):
            # Guards of arguments tell lists of other functions apart.
            parts = tuple(Fixed(one) for one in value)
            found[name] = Parts(type(value).__name__, tuple(range(len(value))), parts, value)
    return found


def _is_function(value: Any) -> bool:
    """Whether this is known by itself: a function, also a partial one of constants, or a class."""
    if isinstance(value, partial):
        given = (value.func, *value.args, *value.keywords.values())
        return all(_is_function(v) or type(v) in (int, float, str, bool) for v in given)
    return isinstance(value, _FUNCTIONS) or name_in_module(value) is not None


def is_folded(type: Argument) -> bool:
    """Whether an argument is a function that the program is made for."""
    return isinstance(type, Fixed) and isinstance(type.value, Function)


def has_models(looks: Mapping[Any, Look]) -> bool:
    """Whether a program reads classes of `collections`, of which the frontend has its own, or
    functions of SciPy whose source it may follow."""
    values = [look.value for look in looks.values()]
    own = any(value is cls for value in values for cls in MODELS.values())
    return own or any(map(asks_namespace, values))


def has_arrays(looks: Mapping[Any, Look]) -> bool:
    """Whether a program reads arrays that the module or its objects hold."""
    forms = (look.value for look in looks.values() if look.name.startswith("<form>"))
    return any(type(form) is tuple and isinstance(form[1], np.dtype) for form in forms)


def _lengths(
    types: Mapping[str, Argument], arguments: Mapping[str, Any]
) -> Iterator[tuple[Axis, int]]:
    for name, type_ in types.items():
        if not isinstance(type_, Type) or not type_.is_array or type_.shape is None:
            continue
        sizes = np.shape(arguments[name]) if name in arguments else ()
        for axis, (size, known) in enumerate(zip(sizes, type_.shape, strict=False)):
            if size <= MOST and (known is None or known.symbol):
                yield (name, axis), size
