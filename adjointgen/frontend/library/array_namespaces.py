"""The module that a function computes with, asked from its arguments: `xp = array_namespace(x)`.

    xp = array_namespace(x)             for arrays of NumPy, lists and numbers: NumPy's functions
    if is_numpy(xp): ...                decided when the program is generated
    xp.sum(x); xp.concat((x, y))        functions of NumPy
    xp.clip(x, 0, 1)                    a function of the wrapper's own is followed by its source

SciPy wraps NumPy in a module of its own, which has most functions of NumPy as they are.
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Module, Ref, Seq
from adjointgen.frontend.domain.numpy_namespace import COMPAT, NAMESPACE, WRAPPED
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const

_KNOWN: Final = ("numpy", WRAPPED)


def namespace(call: Call) -> Abstract | None:
    """`array_namespace(*arrays)` of what are certainly arrays of NumPy, numbers, or lists."""
    if call.keywords or not all(_is_numpys(call.ctx, value) for value in call.args):
        return None
    return NAMESPACE


def _is_numpys(ctx: Context, value: Abstract) -> bool:
    """Whether a value is certainly no array of another library."""
    match content(ctx, value):
        case Seq(items=items):
            return all(_is_numpys(ctx, item) for item in items)
        case Const(value=known):
            return known is None or isinstance(known, bool | int | float | complex)
        case Value() | Ref() as held:
            type = read(ctx, held).type
            return type.kind != "object" and type.dtype != "object"
    return False


def is_numpy(call: Call) -> Abstract | None:
    match call.args:
        case [Module(name=name)] if name in _KNOWN:
            return const(True)
    return None


def is_another(call: Call) -> Abstract | None:
    match call.args:
        case [Module(name=name)] if name in _KNOWN:
            return const(False)
    return None


def is_of_another(call: Call) -> Abstract | None:
    """Whether a value is an array of a library that is not NumPy."""
    match call.args:
        case [value] if _is_numpys(call.ctx, value):
            return const(False)
    return None


def device(call: Call) -> Abstract | None:
    """Where an array is: those of NumPy are all in one place."""
    match call.args:
        case [Value() | Ref() as value] if _is_numpys(call.ctx, value):
            return const("cpu") if read(call.ctx, value).type.is_array else None
    return None


def size(call: Call) -> Abstract | None:
    match call.args:
        case [Value() | Ref() as value] if _is_numpys(call.ctx, value):
            found: Abstract | None = call.ctx.actions.array_attribute(call.ctx, value, "size")
            return found
    return None


_OTHERS: Final = ("cupy", "torch", "ndonnx", "dask", "jax", "pydata_sparse", "array_api_strict")
_HELPERS: Final = f"{COMPAT}.common._helpers"

SPECIAL: dict[str, Special] = {
    "scipy._lib._array_api_override.array_namespace": namespace,
    f"{_HELPERS}.is_numpy_namespace": is_numpy,
    f"{_HELPERS}.is_lazy_array": is_of_another,
    f"{_HELPERS}.device": device,
    f"{_HELPERS}.size": size,
    **{f"{_HELPERS}.is_{name}_namespace": is_another for name in _OTHERS},
    **{f"{_HELPERS}.is_{name}_array": is_of_another for name in _OTHERS},
}
