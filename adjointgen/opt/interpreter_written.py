"""The meaning of rows that no Python function spells: their code, or what they are written as."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from adjointgen.ir.nodes import Apply, Const, Value
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.rules.framework.table import Row
from adjointgen.runtime import series
from adjointgen.runtime.cofactor import cofactor, cofactor_along
from adjointgen.runtime.gaps import divided, gaps, quotients, turned

Perform = Callable[[str, Sequence[Any], Mapping[str, Any]], Any]


def written(perform: Perform, row: Row, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """What a row gives that has a form in terms of others."""
    assert row.written is not None
    builder = Builder(Names())
    given = [Value(f"x{k}", _type(a)) for k, a in enumerate(args)]
    made = builder.lower(row.written(*map(builder.handle, given), **options))
    values = {v.name: a for v, a in zip(given, args, strict=True)}
    for stmt in builder.stmts:
        assert isinstance(stmt, Apply)
        read = [a.value if isinstance(a, Const) else values[a.name] for a in stmt.args]
        values[stmt.result.name] = perform(stmt.op, read, dict(stmt.options))
    return values[made.name] if isinstance(made, Value) else made.value


def _type(a: Any) -> Type:
    array = isinstance(a, np.ndarray)
    return Type(str(a.dtype), (None,) * a.ndim, "array") if array else const(a).type


def recurrence(a: Any, u: Any, axis: int) -> Any:
    """By its definition, one step after the other."""
    a, u = np.moveaxis(a, axis, 0), np.moveaxis(u, axis, 0)
    z = [u[0]]
    for k in range(1, len(a)):
        z.append(a[k] * z[-1] + u[k])
    return np.moveaxis(np.array(z), 0, axis)


def placeholders(row: Row, args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """What `_0_`, `_1_` … and `_axis_` … stand for in the code of a row."""
    known = {"np": np, "math": math, "scipy": scipy} | {f"_{k}_": a for k, a in enumerate(args)}
    return known | {f"_{name}_": value for name, value in (row.defaults | dict(options)).items()}


def polar(q: Any, a: Any) -> Any:
    u, _, vt = np.linalg.svd(a)
    return u @ vt


def squared(a: Any, *known: Any, lower: bool = True) -> Any:
    """A function of a matrix, of which a triangle is read."""
    whole = np.tril(a) + np.swapaxes(np.tril(a, -1), -1, -2)
    return (whole @ whole).astype(np.result_type(a, *known))


_OF_SERIES = ("series_", "same_degrees")
HELPERS: dict[str, Callable[..., Any]] = {
    "recurrence": recurrence,
    "cofactor": cofactor,
    "cofactor_along": cofactor_along,
    "gaps": gaps,
    "divided": divided,
    "quotients": quotients,
    "turned": turned,
    "polar": polar,
    "spectral": squared,
}
HELPERS |= {name: getattr(series, name) for name in dir(series) if name.startswith(_OF_SERIES)}
