"""Data classes as in the standard library, which are defined in a fraction of the time.

`dataclasses.dataclass` compiles up to six functions for each class. A first derivative needs a
hundred classes, and defining them took as long as all that is done with them. Here an `__init__` is
made once a class has several records, from code that is compiled once for each number of fields;
the other methods are shared, and read all fields at once through a getter. A type checker sees the
standard library's functions. What the standard library wants to know of a data class is made when
it asks, so `dataclasses.fields` and the like work too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final


class _Field:
    """What stands where a default would: how it is made for each object, if it is compared."""

    def __init__(
        self, *, default_factory: Callable[[], Any] | None = None, compare: bool = True
    ) -> None:
        self.factory = default_factory
        self.compare = compare


_REQUIRED: Final = _Field()
FEW = 8
"""An `__init__` is compiled for a class that has more records than this."""


class _Fields:
    """What the standard library keeps of a data class, from one that it makes of these fields."""

    def __init__(self) -> None:
        self.made: Any = None

    def __get__(self, _: object, cls: Any) -> Any:
        if self.made is None:
            import dataclasses

            def field(name: str) -> Any:
                given = cls._defaults.get(name, _REQUIRED)
                if not isinstance(given, _Field):
                    return dataclasses.field(default=given)
                factory: Any = given.factory or dataclasses.MISSING
                return dataclasses.field(default_factory=factory, compare=given.compare)

            notes = cls.__annotations__
            fields = [(name, notes[name], field(name)) for name in cls.__slots__]
            made: Any = dataclasses.make_dataclass(cls.__name__, fields)
            self.made = made.__dataclass_fields__
        return self.made


def _dataclass(*, frozen: bool = False, slots: bool, eq: bool = True) -> Callable[[type], type]:
    """The class with slots for its fields and the methods of a record."""
    assert slots, "a record has slots"

    def made(cls: type) -> type:
        assert cls.__bases__ == (object,), "a record has no base"
        names = tuple(cls.__annotations__)
        own = dict(vars(cls))
        defaults = {name: own.pop(name) for name in names if name in own}
        for name in ("__dict__", "__weakref__"):
            own.pop(name, None)
        shared: dict[str, Any] = {
            "__slots__": names,
            "__match_args__": names,
            "_defaults": defaults,
        }
        shared |= {"__repr__": _repr, "__reduce__": _reduce, "__dataclass_fields__": _Fields()}
        if eq:
            shared |= {"_compared": staticmethod(_getter(names, defaults)), "__eq__": _eq}
            shared["__hash__"] = _hash if frozen else None
        if frozen:
            shared |= {"__setattr__": _refuse, "__delattr__": _refuse}
        new = type(cls)(cls.__name__, (), shared | own)
        new.__init__ = _first(new, names, defaults)  # type: ignore[misc]
        return new

    return made


def _first(cls: type, names: tuple[str, ...], defaults: Mapping[str, Any]) -> Any:
    """What stands for `__init__` until there are a few records: most classes never have more."""
    made = 0

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        nonlocal made
        made += 1
        given = dict(zip(names, args, strict=False)) | kwargs
        fits = len(given) == len(args) + len(kwargs)
        if made <= FEW and fits and _given(self, names, defaults, given):
            return
        compiled = cls.__init__ = _initialiser(cls, names, defaults)  # type: ignore[misc]
        compiled(self, *args, **kwargs)

    return __init__


def _given(
    self: Any, names: tuple[str, ...], defaults: Mapping[str, Any], given: dict[str, Any]
) -> bool:
    """Set the slots one by one; false where what is given does not fit."""
    for name in names:
        value = given.pop(name, _REQUIRED)
        if value is _REQUIRED:
            value = defaults.get(name, _REQUIRED)
            if isinstance(value, _Field):
                if value.factory is None:
                    return False
                value = value.factory()
        object.__setattr__(self, name, value)
    return not given


def _initialiser(cls: type, names: tuple[str, ...], defaults: Mapping[str, Any]) -> Any:
    """`__init__`, which sets each slot by its own descriptor, as a frozen class has to."""
    scope: dict[str, Any] = {"REQUIRED": _REQUIRED}
    given: list[Any] = []
    factories: list[bool] = []
    for k, name in enumerate(names):
        default = defaults.get(name, _REQUIRED)
        factory = default.factory if isinstance(default, _Field) else None
        scope |= {f"set_{k}": vars(cls)[name].__set__, f"make_{k}": factory}
        factories.append(factory is not None)
        if factory is not None or not isinstance(default, _Field):
            given.append(default if factory is None else _REQUIRED)
        elif given:
            raise TypeError(f"{name} has no default, but a field before it has one")
    code = _setting(tuple(factories)).replace(co_varnames=("self", *names))
    return FunctionType(code, scope, "__init__", tuple(given))


@cache
def _setting(factories: tuple[bool, ...]) -> CodeType:
    """The code of an `__init__`, under numbers for names, so that few are compiled."""
    parameters = "".join(f", p{k}" for k in range(len(factories)))
    lines = ["pass"]
    for k, made in enumerate(factories):
        value = f"make_{k}() if p{k} is REQUIRED else p{k}" if made else f"p{k}"
        lines.append(f"set_{k}(self, {value})")
    scope: dict[str, Any] = {}
    exec(f"def __init__(self{parameters}): {'; '.join(lines)}", scope)
    code = scope["__init__"].__code__
    assert isinstance(code, CodeType)
    return code


def _getter(names: tuple[str, ...], defaults: Mapping[str, Any]) -> Callable[[Any], Any]:
    """What reads the fields that are compared."""
    compared = [n for n in names if getattr(defaults.get(n, _REQUIRED), "compare", True)]
    match compared:
        case []:
            return lambda _: ()
        case [only]:
            return lambda record: (getattr(record, only),)
    return attrgetter(*compared)


def _eq(self: Any, other: Any) -> Any:
    if self is other:
        return True
    if type(other) is not type(self):
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _repr(self: Any) -> str:
    parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
    return f"{type(self).__qualname__}({parts})"


def _reduce(self: Any) -> Any:
    return type(self), tuple(getattr(self, name) for name in self.__slots__)


def _refuse(self: Any, name: str, *_: object) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen: {name}")


def _replace(record: Any, /, **changes: Any) -> Any:
    """A copy with other values for some fields."""
    values = [changes.pop(n) if n in changes else getattr(record, n) for n in record.__slots__]
    if changes:
        raise TypeError(f"{type(record).__name__} has no field {min(changes)}")
    return type(record)(*values)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    dataclass, field, replace = _dataclass, _Field, _replace
