"""Stand-ins for the numbers of Python and of NumPy, and the operators of all stand-ins."""

from __future__ import annotations

import dis
import operator
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final
from weakref import ref

import numpy as np

from adjointgen.tracing.apply import MAKERS, apply
from adjointgen.tracing.elementary import RULES
from adjointgen.tracing.standins import Standin, is_standin, node, raw, standins, unseen
from adjointgen.tracing.tape import Tape

BINARY: Final = {
    "add": ("add", "+"),
    "sub": ("subtract", "-"),
    "mul": ("multiply", "*"),
    "truediv": ("divide", "/"),
    "floordiv": ("floor_divide", "//"),
    "mod": ("remainder", "%"),
    "pow": ("power", "**"),
    "matmul": ("matmul", "@"),
}
UNARY: Final = {
    "neg": ("negative", "-{}"),
    "pos": ("positive", "+{}"),
    "abs": ("absolute", "abs({})"),
}
COMPARED: Final = ("lt", "le", "eq", "ne", "gt", "ge")
_NUMBERS: Final = (int, float, complex, np.generic, np.ndarray)
LATER: dict[str, Callable[..., Any]] = {}
"""What stands in files that need this one: `array` makes an array of a list, `function` calls."""


def operand(value: Any, of: Any) -> Any:
    """An operand of an operator, or NotImplemented for an object that has its own."""
    if is_standin(value) or isinstance(value, _NUMBERS):
        return value
    if type(value) in (list, tuple) and np.ndarray in (type(raw(of)), type(of)):
        return LATER["array"](value) if standins(value) else value
    return NotImplemented


def binary(name: str, left: Any, right: Any) -> Any:
    """An operator of two, recorded."""
    rule, sign = BINARY[name]
    return apply(
        rule,
        getattr(operator, name),
        (left, right),
        rule=RULES.get(rule) or LATER["rules"](rule),
        form=f"{{}} {sign} {{}}",
        zero=name == "floordiv",
    )


def _forward(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        other = operand(other, self)
        return NotImplemented if other is NotImplemented else binary(name, self, other)

    return method


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        other = operand(other, self)
        return NotImplemented if other is NotImplemented else binary(name, other, self)

    return method


def _unary(name: str) -> Callable[[Any], Any]:
    rule, form = UNARY[name]

    def method(self: Any) -> Any:
        return apply(rule, getattr(operator, name), (self,), rule=RULES[rule], form=form)

    return method


def _compared(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        other = operand(other, self)
        if other is NotImplemented:
            return NotImplemented
        return getattr(operator, name)(raw(self), raw(other))

    return method


class Operators(Standin):
    """What `+` and its like do."""

    __slots__ = ()
    __hash__: Any

    def __divmod__(self, other: Any) -> Any:
        return binary("floordiv", self, other), binary("mod", self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return binary("floordiv", other, self), binary("mod", other, self)

    def __bool__(self) -> bool:
        return bool(self._raw)

    def __int__(self) -> int:
        return int(self._raw)

    __trunc__ = __int__

    def __floor__(self) -> int:
        return int(np.floor(self._raw))

    def __ceil__(self) -> int:
        return int(np.ceil(self._raw))

    def __str__(self) -> str:
        return str(self._raw)

    def __repr__(self) -> str:
        return repr(self._raw)

    def __format__(self, spec: str) -> str:
        return format(self._raw, spec)

    def __float__(self) -> float:
        if node(self).active and not _formats(sys._getframe(1)):
            raise unseen("code in C")
        return float(self._raw)

    def __complex__(self) -> complex:
        if node(self).active:
            raise unseen("code in C")
        return complex(self._raw)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return LATER["ufunc"](ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, _: Any, args: Any, kwargs: Any) -> Any:
        return LATER["function"](function, args, kwargs)


def _formats(frame: FrameType) -> bool:
    """Whether the number is asked for by `"%f" % x`, which leads to no derivative."""
    for one in dis.get_instructions(frame.f_code):
        if one.offset == frame.f_lasti:
            return one.opname == "BINARY_OP" and one.argrepr.startswith("%")
    return False


for _name in BINARY:
    setattr(Operators, f"__{_name}__", _forward(_name))
    setattr(Operators, f"__r{_name}__", _reflected(_name))
for _name in UNARY:
    setattr(Operators, f"__{_name}__", _unary(_name))
for _name in COMPARED:
    setattr(Operators, f"__{_name}__", _compared(_name))


class Number(Operators):
    """A float or a complex number of Python's."""

    __slots__ = ()

    def __init__(self, tape: Tape, value: Any, index: int) -> None:
        self._tape, self._raw, self._index = ref(tape), value, index

    def __hash__(self) -> int:
        if node(self).active:
            raise unseen("hash, for a dict, a set or a cache,")
        return hash(self._raw)

    def __copy__(self) -> Number:
        return self

    def __deepcopy__(self, _: Any) -> Number:
        return self

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._raw, digits) if digits is not None else round(self._raw)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self._raw).__name__!r} object has no attribute {name!r}")

    @property
    def real(self) -> Any:
        return self if type(self._raw) is not complex else _part(self, "real")

    @property
    def imag(self) -> Any:
        return 0.0 if type(self._raw) is not complex else _part(self, "imag")

    def conjugate(self) -> Any:
        return apply(
            "conjugate",
            lambda v: v.conjugate(),
            (self,),
            rule=RULES["conjugate"],
            form="{}.conjugate()",
        )

    def is_integer(self) -> bool:
        return bool(self._raw.is_integer())

    def as_integer_ratio(self) -> Any:
        if node(self).active:
            raise unseen("as_integer_ratio")
        return self._raw.as_integer_ratio()

    def hex(self) -> str:
        return str(self._raw.hex())


def _part(value: Any, name: str) -> Any:
    return apply(name, operator.attrgetter(name), (value,), rule=RULES[name], form=f"{{}}.{name}")


class Scalar(Number):
    """A number of NumPy's, which has what arrays have."""

    __slots__ = ()
    real = property(lambda self: self if not np.iscomplexobj(self._raw) else _part(self, "real"))
    imag = property(lambda self: _part(self, "imag"))

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "device", "flags"):
            return getattr(self._raw, name)
        if name == "T":
            return self
        if name.startswith("_") or not hasattr(self._raw, name):
            raise AttributeError(f"{type(self._raw).__name__!r} object has no attribute {name!r}")
        return LATER["method"](self, name)

    def __getitem__(self, key: Any) -> Any:
        return LATER["array"](self)[key]


MAKERS["number"] = Number
MAKERS["scalar"] = Scalar
