"""How calls are matched with a function's parameters, and what of the arguments is a type.

A *guard* is what a specialisation depends on: the dtype, rank and length-1 axes of arrays, whether
a number is a float or an int, and the value of what is folded: strings, booleans, and tuples of
constants. Any other object is read when the program runs, and its class is its guard. It is
computed on every call, so the common cases come first.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from itertools import product
from types import FunctionType, ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.exceptions import TooHardError

from adjointgen.errors import SourceError, TypeMismatch, Unsupported
from adjointgen.watch import State
from adjointgen.wrapping import held_under, plain

_READ: Final[WeakKeyDictionary[FunctionType, tuple[State, inspect.Signature]]] = WeakKeyDictionary()
"""The signatures of functions, as these were when they were read."""


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a function, which are read again where it has changed."""
    if not isinstance(function, FunctionType) or "__signature__" in vars(function):
        return _read_signature(function)
    known = _READ.get(function)
    if known is None or not known[0].holds(function):
        known = _READ[function] = State(function), _read_signature(function)
    return known[1]


def _read_signature(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a function; a function without source may have none that can be known."""
    try:
        return inspect.signature(function, follow_wrapped=False)
    except ValueError as error:
        raise SourceError(
            f"{getattr(function, '__name__', repr(function))} has no Python source",
            code="AG004",
            help="wrap it in a function and give it a rule",
        ) from error


class Binder:
    """The signature of a function, read once."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.owner = (function.__self__,) if inspect.ismethod(function) else ()
        """The instance of a bound method, which is its first argument."""
        self.signature = _signature(plain(function))
        kinds = [p.kind for p in self.signature.parameters.values()]
        self.names = tuple(self.signature.parameters)
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.count = sum(kind in positional for kind in kinds)
        """How many parameters take arguments by position; the others come last."""
        self.plain = self.count == len(kinds)
        self.star = inspect.Parameter.VAR_POSITIONAL in kinds
        self.stars = inspect.Parameter.VAR_KEYWORD in kinds
        self.own = self.names[len(self.owner) :]
        """The parameters that a call gives arguments to."""
        self.positional = self.own[: self.count - len(self.owner)]
        """Those of them that take arguments by position."""
        self.inner = tuple(inspect.signature(function).parameters) if self.star else ()
        """Of a wrapper that takes anything, the parameters of what it wraps."""

    def wrt(self, wrt: Any, owners: int = 0) -> tuple[tuple[str, ...] | None, bool]:
        """The names that `wrt` means here (`wrt_names`), after `owners` or the instance."""
        star = self.count if self.star else None
        return wrt_names(self.names, self._placed(wrt), len(self.owner) or owners, star)

    def _placed(self, wrt: Any) -> Any:
        """Names of what a wrapper wraps are positions of its own; those of no parameter are
        entries of `**kwargs`."""
        entries = [wrt] if isinstance(wrt, str) else wrt
        if not (self.star or self.stars) or not isinstance(entries, tuple | list):
            return wrt
        split = [part for e in entries for part in (e.split(",") if isinstance(e, str) else [e])]
        placed = [self._place(part) for part in split]
        return placed[0] if isinstance(wrt, str) and "," not in wrt else tuple(placed)

    def _place(self, entry: Any) -> Any:
        name = entry.strip() if isinstance(entry, str) else entry
        if not isinstance(name, str) or name in self.names:
            return entry
        if name in self.inner:
            return self.inner.index(name)
        return f"{self.names[-1]}.{name}" if self.stars and name.isidentifier() else entry

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The argument of every parameter, in order, defaults filled in."""
        args = self.owner + args
        if not kwargs and self.plain and len(args) == len(self.names):
            return args
        return self.values(args, kwargs)

    def values(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The same, where the instance of a bound method is the first of the arguments."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments[name] for name in self.names)

    def call(self, function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        """What a function or bound method of this signature returns for the argument of each
        parameter."""
        own = self.by_position(values)[len(self.owner) :]
        return function(*own, **self.by_name(values))

    def split(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], last: int = 0
    ) -> tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any]]:
        """The primal's arguments, then seeds by position and by name.

        Where the function takes any number of arguments, `last` of those by position are seeds,
        unless there are seeds by name.
        """
        count = self.count - len(self.owner)
        mine = {k: v for k, v in kwargs.items() if self.stars or k in self.names}
        seeds = {k: v for k, v in kwargs.items() if k not in mine}
        if self.star:
            count = len(args) if seeds else max(len(args) - last, 0)
        return self.bind(args[:count], mine), args[count:], seeds

    def fills_defaults(self, count: int) -> bool:
        """Whether the last of so many arguments by position stands for one with a default."""
        place = count + len(self.owner) - 1
        if not 0 <= place < self.count:
            return False
        return self.signature.parameters[self.names[place]].default is not inspect.Parameter.empty

    def by_name(self, values: tuple[Any, ...]) -> dict[str, Any]:
        """The arguments that can only be passed by name."""
        first, last = self.count + self.star, len(self.names) - self.stars
        named = dict(zip(self.names[first:last], values[first:last], strict=True))
        return named | values[-1] if self.stars else named

    def by_position(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments that are passed by position."""
        rest = values[self.count] if self.star else ()
        return (*values[: self.count], *rest)


def guard(value: Any) -> Any:
    """What a specialisation depends on of one argument: no less than the frontend looks at."""
    kind = type(value)
    if kind is float or kind is int or kind is complex:
        return kind
    if kind is np.ndarray:
        return value.dtype, tuple(n == 1 for n in value.shape)
    if kind is np.float64:
        return float
    if isinstance(value, np.generic):
        return value.dtype
    if kind is list:
        return _guard_of_list(value)
    if kind is tuple:
        return kind, tuple(map(_exact, value))
    if kind is dict:
        return kind, tuple((type(k), k, guard_of_entry(v)) for k, v in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind, tuple(map(guard_of_entry, value))
    if value is None or isinstance(value, bool | str):
        return kind, value
    if kind is np.dtype or isinstance(value, np.dtype):
        return np.dtype, value
    if kind is type and (value in _CLASSES or issubclass(value, np.generic)):
        return type, value
    shape = held_under(value, "shape")
    if isinstance(shape, tuple):
        return kind, str(held_under(value, "dtype")), tuple(n == 1 for n in shape)
    return _of_library(value) if kind.__module__.startswith("scipy.") else kind


def _of_library(value: Any) -> Any:
    """The guard of an object of SciPy; what looks at these draws in what generates."""
    form = import_module("adjointgen.frontend.domain.library_objects").told(value)
    return type(value) if form is None else (type(value), repr(form))


def _guard_of_list(value: list[Any]) -> Any:
    """Numbers, and arrays of one shape, are one value; other entries are one by one."""
    shapes = {_shape(v) for v in value}
    if len(shapes) == 1 and shapes != {False}:
        return list, frozenset(map(guard, value)), len(value) == 1
    return list, tuple(map(guard_of_entry, value))


def _shape(value: Any) -> Any:
    """The shape of an array; of other entries, whether they are numbers."""
    shape = getattr(value, "shape", None) if hasattr(value, "dtype") else None
    return shape if isinstance(shape, tuple) else type(value) in _NUMBERS


_NUMBERS = (float, int, complex)
_CLASSES = (bool, *_NUMBERS)


class Same:
    """The guard of a function, which is lowered: itself."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def exactly(value: Any) -> Any:
    """What a program depends on that is made for an integer, a function, or the length of a list;
    of other values, which may stand in the place of these, the guard says all."""
    if isinstance(value, list):
        return len(value)
    return value if type(value) is int else Same(value) if callable(value) else None


def guard_of_entry(value: Any) -> Any:
    """The guard of an entry of a structure, in which functions and modules are folded."""
    calls: object = getattr(type(value), "__call__", None)  # noqa: B004
    folded = isinstance(value, ModuleType) or callable(value)
    if folded and not isinstance(calls, FunctionType):
        return Same(value)
    return guard(value)


def _exact(value: Any) -> Any:
    """The guard of an entry of a tuple, in which integers are folded."""
    return (int, repr(value)) if type(value) is int else guard_of_entry(value)


def spelled(guard: Any) -> str:
    """A guard in words, which are the same for two guards only if their programs are."""
    match guard:
        case type():
            known = guard in (float, int, complex)
            return guard.__name__ if known else f"{guard.__module__}.{guard.__qualname__}"
        case np.dtype():
            return str(guard)
        case (np.dtype() as dtype, tuple(ones)):
            return f"{dtype}[{_axes(ones)}]"
        case (type() as kind, str(dtype), tuple(ones)):
            return f"{spelled(kind)} {dtype}[{_axes(ones)}]"
        case (_, frozenset() as entries, single):
            length = " of length 1" if single else ""
            return f"list{length} {{{', '.join(sorted(map(spelled, entries)))}}}"
        case Same():
            return f"{guard.value!r}"
        case (kind, tuple(entries)) if kind is dict:
            return f"{{{', '.join(f'{k!r}: {spelled(g)}' for _, k, g in entries)}}}"
        case (kind, tuple(entries)):
            name = "" if kind is tuple else spelled(kind)
            return f"{name}({', '.join(map(spelled, entries))})"
        case (kind, value):
            return f"{kind.__qualname__} {value!r}"
    raise AssertionError(guard)


def _axes(ones: tuple[bool, ...]) -> str:
    return ", ".join("1" if one else "?" for one in ones)


def wrt_names(
    names: tuple[str, ...], wrt: Any, owners: int = 0, star: int | None = None
) -> tuple[tuple[str, ...] | None, bool]:
    """The names that `wrt` means (None for `...`), and whether it is a tuple of them.

    Positions are those of a call, which leaves out the instance of a bound method (`owners`);
    `self.k` is an attribute of that. From the parameter numbered `star` on, positions are those of
    the arguments that it collects.

    Raises TypeMismatch (AG402) for what is no parameter.
    """
    if wrt is ...:
        return None, True
    single = isinstance(wrt, str | int | np.integer) and not (isinstance(wrt, str) and "," in wrt)
    if isinstance(wrt, str):
        wrt = [part.strip() for part in wrt.split(",") if part.strip()]
    chosen = [wrt] if isinstance(wrt, int | np.integer) else wrt
    if not isinstance(chosen, tuple | list) or not chosen:
        raise TypeMismatch(
            f"wrt={wrt!r} names nothing to differentiate",
            code="AG402",
            help="name a parameter or its position, a tuple of these, or ... for all floats",
        )
    chosen = [int(entry) if isinstance(entry, np.integer) else entry for entry in chosen]
    if star is not None:
        before, held = star - owners, names[star]
        late = [isinstance(entry, int) and entry >= before for entry in chosen]
        chosen = [f"{held}[{e - before}]" if k else e for e, k in zip(chosen, late, strict=True)]
    found = tuple(_name(names, names[owners:], entry) for entry in chosen)
    if twice := [name for name in found if found.count(name) > 1]:
        raise TypeMismatch(
            f"{twice[0]} is named twice in wrt", code="AG402", help="name every parameter once"
        )
    return found, not single


def _name(names: tuple[str, ...], own: tuple[str, ...], entry: Any) -> str:
    if type(entry) is int and -len(own) <= entry < len(own):
        return own[entry]
    if isinstance(entry, str) and entry.partition(".")[0].partition("[")[0] in names:
        return str(entry)
    raise TypeMismatch(
        f"no parameter {entry!r} to differentiate",
        code="AG402",
        help=f"choose from {', '.join(own)}" if own else "the function has no parameters",
    )


def has_functions(guard: Any) -> bool:
    """Whether a guard is of functions, which other processes do not know."""
    return isinstance(guard, Same) or (isinstance(guard, tuple) and any(map(has_functions, guard)))


def check_apart(
    names: tuple[str, ...],
    values: tuple[Any, ...],
    written: tuple[int, ...],
    beside: Iterable[tuple[str, Any]] = (),
) -> None:
    """Check the arrays that the function writes to.

    Raises Unsupported where one is read-only (AG114), since the function itself fails there, and
    where another array shares its memory (AG113).

    The generated program copies what is written, so that the caller's array is left alone; a second
    argument that looks into the same memory would not see the write as it does in the function, nor
    would what the function reads `beside` its arguments, in the module.
    """
    others = [*zip(names, values, strict=True), *beside]
    for k in written:
        if any(isinstance(e, np.ndarray) and not e.flags.writeable for e in _entries(values[k])):
            raise Unsupported(
                f"{names[k]} is read-only, and is written to",
                code="AG114",
                help=f"pass a copy: {names[k]}.copy()",
            )
        for j, (name, other) in enumerate(others):
            if j != k and overlap(values[k], other):
                raise Unsupported(
                    f"{names[k]} and {name} share memory, and {names[k]} is written to",
                    code="AG113",
                    help=f"pass a copy: {names[k] if j >= len(names) else name}.copy()",
                )


def overlap(a: Any, b: Any) -> bool:
    """Whether a write to the one may be seen in the other: of arrays, and lists of these."""
    if type(a) is list or type(b) is list:
        return a is b or any(overlap(x, y) for x, y in product(_entries(a), _entries(b)))
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        return False
    if a is b or not np.may_share_memory(a, b):
        return a is b
    try:
        return np.shares_memory(a, b, max_work=SEARCHED)  # type: ignore[arg-type]
    except TooHardError:
        return True


SEARCHED = 1000
"""How long an entry that two arrays share is looked for; then there is taken to be one."""


def _entries(value: Any) -> Iterable[Any]:
    """What can be written to in a list; of an array itself."""
    if type(value) is not list:
        return (value,)
    return (entry for entry in value if isinstance(entry, np.ndarray | list))
