"""Lists and tuples given to NumPy's functions: what comes of them is what NumPy makes of them.

For every function of NumPy that has a rule or a definition, and every way in which it takes such an
argument at all, the tangent program gives the value of the function, of the same class and dtype,
or is refused with a code. The result is doubled, since a list doubled is a longer list.
"""

from __future__ import annotations

import ast
import copy
import itertools
import linecache
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, tangent
from adjointgen.frontend.functions.numpy_definitions import ELSEWHERE, NUMPY
from adjointgen.rules.all import TABLE

ROW = [1.2, 0.4, 2.3]
ARGUMENTS: dict[str, Any] = {
    "list": ROW,
    "tuple": tuple(ROW),
    "rows": [[1.2, 2.3], [0.3, 0.9]],
}
CALLS = ("{}(x)", "{}(x, x)", "{}(x, 2)")
LEFT = {
    "numpy.empty_like": "has no values",
    "numpy.linalg.eigvals": "is complex here also where all eigenvalues are real",
    "numpy.bincount": "of floats in a tuple, which NumPy casts",
    "numpy.repeat": "of floats in a tuple, which NumPy casts",
    "numpy.take": "of floats in a tuple, which NumPy casts",
}
COMPLEX = ("numpy.emath.", "numpy.lib.")
"""Complex in programs also where all results are real."""


def spellings() -> list[str]:
    rows = (s for row in TABLE.rows.values() for s in row.spellings)
    tree = ast.parse(Path(NUMPY).read_text("utf-8"))
    defined = (f"numpy.{f.name}" for f in tree.body if isinstance(f, ast.FunctionDef))
    found = {s for s in (*rows, *ELSEWHERE, *defined) if s.startswith("numpy.")}
    left = (*COMPLEX, "numpy.random.")
    return sorted(s for s in found if _live(s) and s not in LEFT and not s.startswith(left))


def _live(spelling: str) -> bool:
    value: Any = np
    for name in spelling.split(".")[1:]:
        value = getattr(value, name, None)
    return value is not None


def _function(text: str) -> Callable[..., Any]:
    """A function whose source can be found."""
    code = f"import numpy\ndef f(x):\n    y = {text}\n    return y * 2\n"
    name = f"<{text}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    scope: dict[str, Any] = {"__name__": "sequences"}
    exec(compile(code, name, "exec"), scope)
    found: Callable[..., Any] = scope["f"]
    return found


def cases(spelling: str) -> Iterator[tuple[Callable[..., Any], Any, Any]]:
    """The calls that NumPy takes and that give floats, with what comes of them."""
    for call, argument in itertools.product(CALLS, ARGUMENTS.values()):
        function = _function(call.format(spelling))
        try:
            value = function(copy.deepcopy(argument))
        except Exception:
            continue
        leaf = value[0] if isinstance(value, tuple) and value else value
        if isinstance(leaf, float | list) or getattr(leaf, "dtype", None) == np.float64:
            yield function, argument, value


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        same = isinstance(b, np.ndarray) and (a.shape, a.dtype) == (b.shape, b.dtype)
        return same and np.allclose(a, b, equal_nan=True)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(_is_same, a, b))
    return isinstance(b, float) == isinstance(a, float) and bool(np.isclose(a, b, equal_nan=True))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("spelling", spellings())
def test_numpy_makes_arrays_of_lists_and_tuples(spelling: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for function, argument, value in cases(spelling):
            try:
                made = tangent(function)(copy.deepcopy(argument), copy.deepcopy(argument))[0]
            except (AdjointgenError, NotImplementedError):
                continue
            assert _is_same(value, made), f"{value!r}, not {made!r}, of {argument!r}"
