"""Functions and ufuncs of NumPy that are called with stand-ins.

A function has a rule, or moves entries only, or is written in Python: then its own text runs on the
stand-ins. What is left is code in C; where nothing in its result is a float it just runs, and is
refused otherwise (AG202).
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

import numpy as np

from adjointgen.tracing import elementary, linear_algebra, rearrange, reductions
from adjointgen.tracing.apply import Rule, apply
from adjointgen.tracing.array import write
from adjointgen.tracing.number import LATER
from adjointgen.tracing.standins import (
    is_active,
    is_array,
    is_standin,
    lowered,
    no_rule,
    raw,
    standins,
    unseen,
)

SEQUENCES: Final = frozenset(
    [
        "concatenate",
        "concat",
        "stack",
        "hstack",
        "vstack",
        "dstack",
        "column_stack",
        "block",
        "einsum",
        "einsum_path",
        "select",
        "choose",
        "broadcast_arrays",
        "meshgrid",
        "piecewise",
        "array",
        "asarray",
        "asanyarray",
        "ix_",
        "copyto",
        "linalg.multi_dot",
        "unstack",
        "shape",
        "ndim",
        "size",
        "result_type",
    ]
)
"""Functions whose arguments are lists of arrays, where those of others are arrays."""

ENTRYWISE: Final = ("real", "imag", "angle", "nan_to_num", "sinc", "round", "around", "fix", "clip")
NO_VALUE: Final = getattr(np, "_NoValue", ...)
DIFF: Final[Any] = np.diff
"""The function itself, which has another in its place while a trace runs."""
REDUCED: Final = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
ACCUMULATED: Final = {"add": "cumsum", "multiply": "cumprod"}


def _modf(g: Any, y: Any, x: Any) -> Any:
    return {"x": g[0]}


def _frexp(g: Any, y: Any, x: Any) -> Any:
    return {"x": np.ldexp(g[0], -np.asarray(y[1]))}


def _divmod(g: Any, y: Any, a: Any, b: Any) -> Any:
    return {"a": g[1], "b": -np.asarray(g[1]) * y[0]}


RULES: Final[dict[str, Rule]] = {
    **elementary.RULES,
    **reductions.RULES,
    **linear_algebra.RULES,
    "modf": _modf,
    "frexp": _frexp,
    "divmod": _divmod,
}


def name_of(function: Any) -> str:
    """The name of a function of NumPy, below `numpy`."""
    module = str(getattr(function, "__module__", "") or "").removeprefix("numpy")
    inner = module.removeprefix(".") if module in (".linalg", ".fft") else ""
    return f"{inner}.{function.__name__}" if inner else str(function.__name__)


def call(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """A function of NumPy, of stand-ins."""
    name = name_of(function)
    kwargs = {key: one for key, one in kwargs.items() if one is not NO_VALUE}
    out = kwargs.pop("out", None) if name not in SPECIAL else None
    if name not in SEQUENCES:
        args = tuple(_listed(one) for one in args)
        kwargs = {key: _listed(one) for key, one in kwargs.items()}
    result = _called(name, function, args, kwargs)
    return result if out is None else assigned(out, result)


def _listed(value: Any) -> Any:
    """A list of stand-ins as an array."""
    return LATER["array"](value) if type(value) in (list, tuple) and standins(value) else value


def _called(name: str, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    form = f"np.{name}"
    if name in SPECIAL:
        return SPECIAL[name](*args, **kwargs)
    if not standins((args, kwargs)):
        return function(*args, **kwargs)
    if name in rearrange.NAMES:
        return apply(form, function, args, kwargs, rearrange.rearrangement(function), form)
    if name in elementary.ZERO:
        return apply(form, function, args, kwargs, zero=True, form=form)
    if name == "linalg.norm" and not _euclidean(*args, **kwargs):
        return function._implementation(*args, **kwargs)
    if name in RULES and (name in ENTRYWISE or name not in elementary.RULES):
        return apply(form, function, args, kwargs, RULES[name], form)
    written = getattr(function, "_implementation", None)
    if isinstance(written, FunctionType):
        return written(*args, **kwargs)
    return apply(form, function, args, kwargs, form=form)


def _euclidean(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> bool:
    single = np.ndim(raw(x)) == 1 or isinstance(axis, int)
    return ord is None or (ord == 2 and single) or (ord == "fro" and not single)


def assigned(out: Any, value: Any, where: Any = True) -> Any:
    """What `out=` asks for."""
    if out is ... or (isinstance(out, tuple) and out[0] is ...):
        return LATER["array"](value) if is_standin(value) else np.asarray(value)
    if isinstance(out, tuple):
        if len(out) == 1:
            return assigned(out[0], value, where)
        return tuple(assigned(o, v, where) for o, v in zip(out, value, strict=True))
    if out is None:
        return value
    where = lowered(where)
    if is_array(out):
        if where is True:
            write(out, ..., value)
        else:
            mask = np.broadcast_to(np.asarray(where, bool), out.shape)
            whole = LATER["function"](np.broadcast_to, (value, out.shape), {})
            write(out, mask, whole[mask])
        return out
    if is_standin(out):
        # A number stands for the array without axes that NumPy makes for `out=...`.
        new = value if where is True else LATER["where"](where, value, out)
        if not is_standin(new):
            raise no_rule("out=", "the result depends on nothing that is differentiated")
        out._raw, out._index = new._raw, new._index
        return out
    if is_active(value):
        raise unseen("an array that the trace does not follow")
    np.copyto(out, raw(value), where=where)
    return out


# ufuncs


def ufunc(function: Any, method: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """A ufunc, or one of its methods, of stand-ins."""
    out, where = kwargs.pop("out", None), kwargs.pop("where", True)
    inputs = tuple(_listed(one) for one in inputs)
    if method == "__call__":
        if where is not True and out is None:
            raise no_rule(f"np.{function.__name__}", "entries outside of `where` have no value")
        result = _elementwise(function, inputs, kwargs)
        return result if out is None else assigned(out, result, where)
    handler = METHODS.get(method)
    if handler is None or where is not True:
        return apply(f"np.{function.__name__}.{method}", getattr(function, method), inputs, kwargs)
    result = handler(function, inputs, kwargs)
    return result if out is None else assigned(out, result)


def _elementwise(function: Any, inputs: Any, kwargs: dict[str, Any]) -> Any:
    name = str(function.__name__)
    if not standins((inputs, kwargs)):
        return function(*inputs, **kwargs)
    home = "np" if getattr(np, name, None) is function else "scipy.special"
    form = f"{'np.linalg' if hasattr(np.linalg, name) else home}.{name}"
    zero = name in elementary.ZERO
    return apply(form, function, inputs, kwargs, RULES.get(name), form, zero)


def _reduce(function: Any, inputs: Any, kwargs: dict[str, Any]) -> Any:
    given = {"axis": 0, **kwargs}
    name = REDUCED.get(function.__name__)
    if name is None:
        return apply(f"np.{function.__name__}.reduce", function.reduce, inputs, given)
    if len(inputs) > 1:
        given["axis"] = inputs[1]
    given = {k: v for k, v in given.items() if v is not None or k == "axis"}
    return call(getattr(np, name), inputs[:1], given)


def _accumulate(function: Any, inputs: Any, kwargs: dict[str, Any]) -> Any:
    given = {"axis": 0, **kwargs}
    name = ACCUMULATED.get(function.__name__)
    if name is not None:
        return call(getattr(np, name), inputs, given)
    form = f"{function.__name__}.accumulate"
    return apply(
        f"np.{form}", function.accumulate, inputs, given, RULES.get(form), form=f"np.{form}"
    )


def _outer(function: Any, inputs: Any, kwargs: dict[str, Any]) -> Any:
    a, b = inputs
    shape = (*np.shape(raw(a)), *(1,) * np.ndim(raw(b)))
    left = call(np.reshape, (a, shape), {}) if is_standin(a) else np.reshape(a, shape)
    return _elementwise(function, (left, b), kwargs)


def _at(function: Any, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """`np.add.at` one entry after the other, since an index may come twice."""
    array, key, *rest = inputs
    if not is_array(array):
        if any(map(is_active, rest)):
            raise unseen("an array that the trace does not follow")
        return function.at(array, key, *map(raw, rest))
    places = np.ravel(np.arange(array.size).reshape(array.shape)[lowered(key)])
    shape = np.shape(np.empty(array.shape)[lowered(key)])
    values = [call(np.ravel, (call(np.broadcast_to, (v, shape), {}),), {}) for v in _arrays(rest)]
    for k, place in enumerate(places):
        at = np.unravel_index(int(place), array.shape)
        array[at] = function(array[at], *(v[k] for v in values))
    return None


def _arrays(values: Any) -> list[Any]:
    return [LATER["array"](v) for v in values]


METHODS: Final[dict[str, Callable[..., Any]]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}


# Functions that write to an argument, and some others


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    assigned(dst, src if is_standin(src) else LATER["array"](src), where)


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    numbers = np.zeros(a.shape, bool)
    np.fill_diagonal(numbers, True, wrap)
    write(a, numbers, val)


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    places = np.take_along_axis(np.arange(arr.size).reshape(arr.shape), indices, axis)
    write(arr, np.unravel_index(places, arr.shape), values)


def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    write(a, np.unravel_index(np.asarray(ind), a.shape), v)


def _putmask(a: Any, mask: Any, values: Any) -> None:
    mask = np.asarray(lowered(mask), bool)
    if np.ndim(raw(values)) and np.shape(raw(values)) != mask.shape:
        raise no_rule("np.putmask", "the values have another shape")
    write(a, mask, values[mask] if np.ndim(raw(values)) else values)


def _diff(a: Any, n: int = 1, axis: int = -1, **edges: Any) -> Any:
    """With `prepend` or `append` NumPy's own text runs, which puts the ends to the array first."""
    if edges or n == 0:
        return DIFF._implementation(a, n, axis, **edges)
    return apply("np.diff", DIFF, (a, n, axis), {}, RULES["diff"], "np.diff")


def _partition(a: Any, kth: Any, axis: Any = -1, **_: Any) -> Any:
    return call(np.sort, (a, axis), {})


def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    a, v = _arrays([a, v])
    return call(np.convolve, (a, call(np.flip, (v.conj(),), {}), mode), {})


def _interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    if period is not None or is_active(xp):
        raise no_rule("np.interp", "the period and the points are constants here")
    x, xp, fp = LATER["array"](x), np.asarray(raw(xp)), LATER["array"](fp)
    k = np.clip(np.searchsorted(xp, raw(x), side="right") - 1, 0, len(xp) - 2)
    low, step = fp[k], (x - xp[k]) / (xp[k + 1] - xp[k])
    inside = low + (fp[k + 1] - low) * step
    below = fp[0] if left is None else left
    above = fp[-1] if right is None else right
    value = LATER["where"](raw(x) < xp[0], below, LATER["where"](raw(x) > xp[-1], above, inside))
    return value if value.ndim else value[()]


def _broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    shape = np.broadcast_shapes(*(np.shape(raw(one)) for one in args))
    return tuple(call(np.broadcast_to, (one, shape), {}) for one in args)


def _shape(value: Any) -> Any:
    return np.shape(raw(value))


SPECIAL: Final[dict[str, Callable[..., Any]]] = {
    "copyto": _copyto,
    "fill_diagonal": _fill_diagonal,
    "put_along_axis": _put_along_axis,
    "put": _put,
    "putmask": _putmask,
    "place": _putmask,
    "partition": _partition,
    "diff": _diff,
    "correlate": _correlate,
    "interp": _interp,
    "broadcast_arrays": _broadcast_arrays,
    "count_nonzero": lambda a, **kwargs: np.count_nonzero(raw(a), **kwargs),
    "shape": _shape,
    "ndim": lambda a: np.ndim(raw(a)) if is_standin(a) else np.ndim(lowered(a)),
    "iscomplexobj": lambda x: np.iscomplexobj(raw(x)),
    "isrealobj": lambda x: np.isrealobj(raw(x)),
    "array2string": lambda a, *args, **kwargs: np.array2string(raw(a), *args, **kwargs),
    "array_repr": lambda arr, *args, **kwargs: np.array_repr(raw(arr), *args, **kwargs),
    "array_str": lambda a, *args, **kwargs: np.array_str(raw(a), *args, **kwargs),
    "may_share_memory": lambda *args: np.may_share_memory(*map(raw, args)),
    "shares_memory": lambda *args: np.shares_memory(*map(raw, args)),
    "result_type": lambda *args: np.result_type(*map(raw, args)),
    "can_cast": lambda *args, **kwargs: np.can_cast(*map(raw, args), **kwargs),
}

LATER["ufunc"] = ufunc
LATER["function"] = call
LATER["rules"] = RULES.get
LATER["where"] = lambda c, a, b: call(np.where, (c, a, b), {})
