"""Methods and attributes of arrays, in terms of functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from adjointgen.tracing import rearrange
from adjointgen.tracing.apply import apply
from adjointgen.tracing.array import write
from adjointgen.tracing.elementary import RULES as ELEMENTARY
from adjointgen.tracing.elementary import ZERO
from adjointgen.tracing.functions import RULES, call
from adjointgen.tracing.number import LATER
from adjointgen.tracing.renaming import SCALARS
from adjointgen.tracing.standins import (
    is_active,
    is_array,
    is_standin,
    lowered,
    raw,
    standins,
    unseen,
)


def method(self: Any, name: str) -> Any:
    """An attribute of an array or of a number of NumPy that is not a plain fact."""
    if name in ATTRIBUTES:
        return ATTRIBUTES[name](self)
    own = OWN.get(name)
    if own is not None:
        return lambda *args, **kwargs: own(self, *args, **kwargs)
    function = getattr(np, name, None)
    known = name in rearrange.NAMES or name in RULES or name in ZERO
    if function is not None and known:
        return lambda *args, **kwargs: call(function, (self, *args), kwargs)
    return lambda *args, **kwargs: apply(
        name,
        lambda a, *rest, **more: getattr(a, name)(*rest, **more),
        (self, *args),
        kwargs,
        form=f".{name}",
    )


def array(value: Any, copy: bool = True) -> Any:
    """An array of a stand-in, of lists of them, or of plain numbers."""
    return made(np.array if copy else np.asarray, (value,), {})


def made(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`np.array` and its like of something that has stand-ins in it."""
    form = f"np.{function.__name__}"
    kwargs.pop("like", None)
    if kwargs.get("dtype") in (object, "O") or (len(args) > 1 and args[1] in (object, "O")):
        return _objects(function, args, kwargs)
    if not standins((args, kwargs)):
        return LATER["constant"](function, args, kwargs)
    return apply(form, function, args, kwargs, rearrange.rearrangement(function), form)


def _objects(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if any(map(is_active, standins((args, kwargs)))):
        raise unseen("an array of objects")
    return function(*lowered(args), **lowered(kwargs))


def _reshape(self: Any, *shape: Any, **kwargs: Any) -> Any:
    wanted = shape[0] if len(shape) == 1 else shape
    return call(np.reshape, (self, wanted), kwargs)


def _transpose(self: Any, *axes: Any) -> Any:
    return call(np.transpose, (self, axes[0] if len(axes) == 1 else axes or None), {})


def _astype(self: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    def cast(a: Any, *rest: Any, **more: Any) -> Any:
        return a.astype(*rest, **more)

    def moved(a: Any, *_: Any, **__: Any) -> Any:
        return np.array(a)

    rule = rearrange.rearrangement(moved)
    return apply("astype", cast, (self, dtype, *args), kwargs, rule, ".astype")


def _flatten(self: Any, order: str = "C") -> Any:
    def flat(a: Any, order: Any = "C") -> Any:
        return np.array(a).flatten(order)

    return apply(
        "flatten", flat, (self,), {"order": order}, rearrange.rearrangement(flat), ".flatten"
    )


def _copy(self: Any, order: str = "C") -> Any:
    function = np.copy
    return apply(
        "np.copy", function, (self, order), {}, rearrange.rearrangement(function), "np.copy"
    )


def _item(self: Any, *key: Any) -> Any:
    def item(a: Any, *at: Any) -> Any:
        return np.asarray(a).item(*at)

    return apply("item", item, (self, *key), {}, rearrange.rearrangement(item), ".item")


def _tolist(self: Any) -> Any:
    if np.ndim(raw(self)) == 0:
        return _item(self)
    return [_tolist(part) if is_standin(part) else part.tolist() for part in self]


def _sort(self: Any, axis: int = -1, **kwargs: Any) -> None:
    write(self, ..., call(np.sort, (self, axis), kwargs))


def _partition(self: Any, kth: Any, axis: int = -1, **kwargs: Any) -> None:
    _sort(self, axis)


def _fill(self: Any, value: Any) -> None:
    write(self, ..., value)


def _part(name: str) -> Callable[[Any], Any]:
    def part(self: Any) -> Any:
        if not np.iscomplexobj(raw(self)) and name == "real":
            return self
        getter = operator.attrgetter(name)
        return apply(
            name, lambda a: getter(a).copy(), (self,), rule=ELEMENTARY[name], form=f"np.{name}"
        )

    return part


def _flat(self: Any) -> Any:
    """The entries in a row; read only where that is a copy."""
    made = call(np.ravel, (self,), {})
    if not np.may_share_memory(made._raw, self._raw):
        made._raw.flags.writeable = False
    return made


def _clip(self: Any, min: Any = None, max: Any = None, **kwargs: Any) -> Any:
    return call(np.clip, (self, min, max), kwargs)


def _take_out(self: Any, *args: Any, **kwargs: Any) -> Any:
    return call(np.take, (self, *args), kwargs)


OWN: Final[dict[str, Callable[..., Any]]] = {
    "reshape": _reshape,
    "transpose": _transpose,
    "astype": _astype,
    "flatten": _flatten,
    "copy": _copy,
    "item": _item,
    "tolist": _tolist,
    "sort": _sort,
    "partition": _partition,
    "fill": _fill,
    "put": lambda self, *args, **kwargs: call(np.put, (self, *args), kwargs),
    "conjugate": lambda self: LATER["ufunc"](np.conjugate, "__call__", (self,), {}),
    "conj": lambda self: LATER["ufunc"](np.conjugate, "__call__", (self,), {}),
    "dot": lambda self, b, **kwargs: call(np.dot, (self, b), kwargs),
    "clip": _clip,
    "round": lambda self, *args, **kwargs: call(np.round, (self, *args), kwargs),
    "take": _take_out,
}
ATTRIBUTES: Final[dict[str, Callable[[Any], Any]]] = {
    "T": lambda self: call(np.transpose, (self,), {}),
    "mT": lambda self: call(np.matrix_transpose, (self,), {}),
    "real": _part("real"),
    "imag": _part("imag"),
    "flat": _flat,
    "base": lambda self: None,
}


def _identity(g: Any, y: Any, x: Any = 0.0) -> Any:
    return {"x": np.reshape(g, np.shape(x))}


def _complex(g: Any, y: Any, real: Any = 0.0, imag: Any = 0.0) -> Any:
    return {"real": np.reshape(g, np.shape(real)), "imag": np.reshape(1j * g, np.shape(imag))}


def type_called(kind: Any, rule: Any, form: str) -> Callable[..., Any]:
    """`float`, `complex` or a type of NumPy's numbers, where it is called."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        if not standins((args, kwargs)):
            return kind(*args, **kwargs)
        return apply(form, kind, args, kwargs, rule, form)

    return convert


CALLED: Final = {
    "float": type_called(float, _identity, "float"),
    "complex": type_called(complex, _complex, "complex"),
    **{name: type_called(getattr(np, name), _identity, f"np.{name}") for name in SCALARS},
}


def stopped(value: Any) -> Any:
    """The value without what it depends on; containers are new ones."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(stopped(part) for part in value)
    if kind is dict:
        return {key: stopped(part) for key, part in value.items()}
    if is_array(value):
        return LATER["constant"](np.array, (raw(value),), {})
    return raw(value)


LATER["method"] = method
LATER["array"] = array
LATER["stopped"] = stopped
