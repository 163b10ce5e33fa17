"""Of which classes functions, classes, modules, ranges and sets are, and what is above them.

isinstance(m, str)          m: a function           False
isinstance(m, Callable)     m: a function           True
isinstance(m, Kernel)       Kernel has `__call__`   not known: `m` may be seen through a decorator
"""

from __future__ import annotations

from functools import lru_cache, partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Final

import numpy as np

from adjointgen.frontend.domain.abstract_values import (
    VIEWS,
    Abstract,
    Bound,
    Class,
    Closure,
    Functions,
    Module,
    Named,
    Partial,
    Range,
    Seq,
    SliceOf,
    Zipped,
)
from adjointgen.frontend.domain.instance_attributes import instances_have
from adjointgen.frontend.domain.named_types import type_named
from adjointgen.frontend.domain.qualified_names import live

FUNCTIONS: Final = (FunctionType, MethodType, BuiltinFunctionType, partial, type(lru_cache(len)))
"""What a function that is read may be: decorators that change no number are seen through."""


def classes_of_thing(value: Abstract) -> tuple[type, ...]:
    """The classes that a value may be of; () where nothing is known of them."""
    match value:
        case Closure() | Bound():
            return FUNCTIONS
        case Partial():
            return (*FUNCTIONS, np.vectorize)
        case Class(type=kind):
            return (type(kind),)
        case Named(spelling=spelling):
            found = live(spelling)[1]
            return () if found is None else (type(found),)
        case Module():
            return (ModuleType,)
        case Range():
            return (range,)
        case SliceOf():
            return (slice,)
        case Seq(kind="set"):
            return (set,)
        case Seq(kind="frozenset"):
            return (frozenset,)
        case Functions():
            return (dict,)
        case Zipped(how=how) if how in VIEWS:
            return (type(getattr({}, how)()),)
    return ()


def function_has(value: Abstract, name: str) -> bool | None:
    """Whether a function has an attribute; None of those that may have been set on it."""
    of_function = isinstance(value, Closure | Bound | Partial)
    return True if of_function and all(instances_have(cls, name) for cls in FUNCTIONS) else None


def told_apart(value: Abstract, kinds: list[Abstract]) -> bool | None:
    """Whether a value is of one of these classes; None where that is not known."""
    classes = classes_of_thing(value)
    answers = {any(is_above(kind, cls) for kind in kinds) for cls in classes}
    if len(answers) != 1:
        return None
    if classes[0] is FunctionType and answers == {False} and any(map(_may_be_called, kinds)):
        return None
    return answers.pop()


def is_above(kind: Abstract, cls: type) -> bool:
    """Whether a class is one of another kind; a class that is not loaded has no instances here."""
    above = type_named(kind)
    if above is None:
        return isinstance(kind, Named) and kind.spelling == f"{cls.__module__}.{cls.__qualname__}"
    return issubclass(cls, above)


def _may_be_called(kind: Abstract) -> bool:
    """Whether an object of a class may be called: one may stand where a function is read."""
    known = type_named(kind)
    return known is None or any("__call__" in vars(base) for base in known.__mro__)
