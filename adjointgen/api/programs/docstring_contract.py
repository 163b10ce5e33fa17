"""The docstring of a generated program: what it returns, and what happens to every argument."""

from __future__ import annotations

from collections.abc import Container

from adjointgen.ir.nodes import Apply, Function, Value, walk
from adjointgen.ir.types import Type

_TITLE = {
    "primal": "Value of `{name}`",
    "tangent": "Value and tangent of `{name}`",
    "adjoint": "Value and adjoint of `{name}`",
    "grad": "Gradient of `{name}`",
    "value_and_grad": "Value and gradient of `{name}`",
}


def contract(primal: Function, made: Function, mode: str, wrt: tuple[str, ...]) -> str:
    """The docstring: a title, then one line per argument and result."""
    title = _TITLE[mode].format(name=primal.name)
    shown = ", ".join(made.names)
    wrt = () if mode == "primal" else wrt
    left = {
        s.option("name") for s in walk(primal.body) if isinstance(s, Apply) and s.op == "written"
    }
    rows = [(p, _role(p, primal, wrt, left)) for p in made.body.params]
    lines = [f"{p.root}: {type_text(p.type)}, {role}" for p, role in rows]
    results = [
        f"{name}: {type_text(y.type)}, returned"
        for name, y in zip(made.names, made.body.yields, strict=True)
    ]
    return "\n".join([f"{title}: ({shown}).", "", *lines, *results])


def _role(param: Value, primal: Function, wrt: tuple[str, ...], left: Container[object]) -> str:
    if param.root in left:
        return "written"
    if param.root in wrt:
        return "differentiated, read only"
    if any(param.root == p.root for p in primal.body.params):
        return "read only"
    return "seed, read only"


def type_text(type: Type) -> str:
    """A type for people: `float`, `float64 array (n, 3)`, `list of float`."""
    if type.is_scalar:
        return {"float64": "float", "int64": "int"}.get(type.dtype, type.dtype)
    if type.kind == "object":
        return "object"
    noun = "list" if type.kind == "list" else "array"
    if type.shape is None:
        return f"{type.dtype} {noun}"
    sizes = ", ".join("?" if d is None else _length(str(d)) for d in type.shape)
    comma = "," if type.rank == 1 else ""
    return f"{type.dtype} {noun} ({sizes}{comma})"


def _length(text: str) -> str:
    """`x.0` is written as Python writes it: `x.shape[0]`."""
    symbol, dot, rest = text.partition(".")
    axis = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{symbol}.shape[{axis}]{rest[len(axis) :]}" if dot else text
