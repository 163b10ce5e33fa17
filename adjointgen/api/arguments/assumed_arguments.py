"""Arguments whose types a module assumes: tests of them where the program begins.

    if not isinstance(x, Real):
        raise TypeError("f was differentiated for a number x: generate it for another type")

A text says of few parameters that they are numbers. A module for numbers that is called with an
array would compute another derivative, and say nothing. Numba knows the types when it compiles, so
the tests cost nothing there; it has other words for them.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.frontend.textual_types import Inferred
from adjointgen.ir.nodes import Apply, Function, Value
from adjointgen.ir.types import INTEGER, Type
from adjointgen.records import replace

Test = tuple[str, str, str]
"""A condition that must not hold, what the argument has to be, and the import it needs."""
_OPEN = ("assumed", "guessed")
"""What types rest on that are tested as a whole, the rank included."""


def tested(function: Function, types: Mapping[str, Inferred], target: Target) -> Function:
    """The function with a test of every argument whose type is assumed."""
    checks, lines = [], []
    for param in function.body.params:
        found = _test(types[param.root], target) if param.root in types else None
        if found is not None:
            ranks = types[param.root].basis in _OPEN
            checks.append(_check(param, found, function, ranks))
            lines.append(found[2])
    if not checks:
        return function
    more = [line for line in dict.fromkeys(lines) if line and line not in function.imports]
    return replace(
        function,
        imports=(*function.imports, *more),
        body=replace(function.body, stmts=(*checks, *function.body.stmts)),
    )


def _test(found: Inferred, target: Target) -> Test | None:
    """What the type of an argument rests on, where it can be tested."""
    type, numpy = found.type, "import numpy as np"
    if not isinstance(type, Type):
        return None
    if found.basis in _OPEN:
        return _array(type, numpy) if type.is_array else _number(type, target)
    if found.real and type.dtype != "complex128":
        return "np.iscomplexobj(_0_)", "a real array", numpy
    if found.given and target == PYTHON:
        return "_0_ is None", "a value of", ""
    return None


def _array(type: Type, numpy: str) -> Test:
    real = "" if type.dtype == "complex128" else "np.iscomplexobj(_0_) or "
    axes = "1 axis" if type.rank == 1 else f"{type.rank} axes"
    return f"{real}len(np.shape(_0_)) != {type.rank}", f"an array of {axes} as", numpy


def _number(type: Type, target: Target) -> Test:
    if type.dtype in INTEGER:
        words = ("int", "Integral", "an integer")
    elif type.dtype == "complex128":
        words = ("(int, float, complex)", "Complex", "a number")
    else:
        words = ("(int, float)", "Real", "a number")
    compiled, abstract, what = words
    if target != PYTHON:
        return f"not isinstance(_0_, {compiled})", what, ""
    return f"not isinstance(_0_, {abstract})", what, f"from numbers import {abstract}"


def _check(param: Value, test: Test, function: Function, ranks: bool) -> Apply:
    name = param.root
    what = f"{function.name} was differentiated for {test[1]} {name}"
    message = f"{what}; generate it for another type"
    return check_statement((param,), test[0], "TypeError", message, ranks=ranks)
