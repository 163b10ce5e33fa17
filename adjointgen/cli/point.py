"""The point at which a derivative is tested: as given, and where it is not, made up from the types.

    float       a number between 0.1 and 0.4, which most functions accept
    int         3
    array       5 such numbers along each axis (any rank that is not known is 1)
    bool        True

A parameter that has a default keeps it. A list of numbers is an array, unless the parameter is
declared or annotated as a list; a whole number is a float where a float is expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import click
import numpy as np

from adjointgen.config.options import parse_constant
from adjointgen.frontend.domain.abstract_values import Fixed, Parts
from adjointgen.frontend.functions.inlining import defaults, parameters
from adjointgen.frontend.source.source import Source
from adjointgen.ir.types import Type

LOW: Final = 0.1
HIGH: Final = 0.4
LENGTH: Final = 5
INTEGER: Final = 3

Argument = Type | Fixed | Parts


def point(
    source: Source, types: Mapping[str, Argument], given: Mapping[str, Any], seed: int
) -> dict[str, Any]:
    """The arguments by name. Raises BadParameter."""
    names = [parameter.arg for parameter in parameters(source.arguments)]
    for name in given:
        if name not in names:
            raise click.BadParameter(f"{source.name} has no parameter {name}", param_hint="--at")
    optional = defaults(source.arguments)
    rng = np.random.default_rng(seed)
    values = {}
    for name in names:
        if name in given:
            values[name] = _given(name, given[name], types[name])
        elif name not in optional:
            values[name] = _made_up(name, types[name], rng)
    return values


def parsed(given: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values of words such as `x=1.5`."""
    return {name: parse_constant(text) for name, text in given}


def _given(name: str, value: Any, type: Argument) -> Any:
    kind, dtype = (type.kind, type.dtype) if isinstance(type, Type) else ("object", "float64")
    try:
        if isinstance(value, list) and kind != "list":
            return np.array(value, dtype if kind == "array" else "float64")
        if isinstance(value, list):
            return np.array(value, dtype).tolist()
    except (ValueError, TypeError) as error:
        what = f"{name}={value} is no array of {dtype}: {error}"
        raise click.BadParameter(what, param_hint="--at") from error
    whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if whole and kind == "scalar" and dtype == "float64" else value


def _made_up(name: str, type: Argument, rng: np.random.Generator) -> Any:
    if isinstance(type, Fixed):
        return type.value
    if not isinstance(type, Type) or type.kind == "object":
        what = (
            f"the type of {name} is not known; give it, or an example call, --example FILE.py::NAME"
        )
        raise click.BadParameter(what, param_hint="--at")
    shape = (None,) if type.shape is None else type.shape
    lengths = [LENGTH if d is None or d.known is None else d.known for d in shape]
    if type.dtype == "bool":
        drawn: Any = np.ones(lengths, "bool")
    elif type.dtype.startswith(("int", "uint")):
        drawn = np.full(lengths, INTEGER, type.dtype)
    else:
        drawn = rng.uniform(LOW, HIGH, lengths).astype(type.dtype)
    if type.kind == "array":
        return drawn
    plain = drawn.tolist()
    return plain if type.dtype in ("float64", "int64", "bool", "complex128") else drawn[()]
