"""What rows and `rules/framework/opaque_writes.py` say of storage is what NumPy does.

Every function is called on arrays that lie in memory in all ways, of all ranks and of lengths 0 and
1, and NumPy is asked what its result shares with the arguments, and whether these have changed.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen.frontend.calls.opaque_calls import positions
from adjointgen.ir.types import INT, array
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.opaque_writes import WRITERS, gives_new
from adjointgen.rules.framework.table import Row
from tests.rules.test_table import EXAMPLES, Example, of_each_operation, perform

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "in C order": lambda a: np.array(a, order="C"),
    "in Fortran's order": lambda a: np.array(a, order="F"),
    "every second": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a.copy(),
    "backwards": lambda a: np.flip(np.flip(a).copy()),
    "turned": lambda a: np.array(a.T, order="C").T,
}


def arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from arrays_in(entry)


def shares(result: Any, arg: Any) -> bool:
    found = (a for a in arrays_in(result) if a.size and arg.size)
    return any(a is arg or np.shares_memory(a, arg) for a in found)


def declared(row: Row, args: list[Any], options: dict[str, Any]) -> bool:
    types = [array(str(getattr(a, "dtype", "int64")), *map(str, np.shape(a))) for a in args]
    types = [t if isinstance(a, np.ndarray) else INT for t, a in zip(types, args, strict=True)]
    return bool(row.looks_into(types, options))


def agree(row: Row, args: list[Any], options: dict[str, Any], result: Any) -> None:
    """Whether a row says of one call what NumPy says."""
    stored = [a for a in args if isinstance(a, np.ndarray)]
    first = args[0] if args and isinstance(args[0], np.ndarray) else None
    if row.view != "each":
        assert not any(shares(result, a) for a in stored if a is not first), "of a later argument"
    made = list(arrays_in(result))
    if first is None or not first.size or not made or not all(a.size for a in made):
        return
    view = declared(row, args, options)
    if not view or row.view in ("whole", "part", "same", "locked"):
        assert shares(result, first) == view
    if view and row.view == "locked":
        assert not any(a.flags.writeable for a in arrays_in(result))
    if view and row.view in ("whole", "part"):
        assert all(a.flags.writeable for a in arrays_in(result))
    if view and row.view == "whole":
        assert result.size == first.size


@pytest.mark.sampled(4)
@of_each_operation(EXAMPLES)
def test_rows(example: Example) -> None:
    row, options = TABLE[example.op], dict(example.options)
    for layout in LAYOUTS.values():
        args = [layout(v) if isinstance(v, np.ndarray) else v for v in example.values]
        before = [np.array(a) for a in args]
        with np.errstate(all="ignore"):
            result = perform(example.op, args, options)
        if row.name not in ("store", "accumulate") and (row.spellings or row.view):
            for a, b in zip(args, before, strict=True):
                np.testing.assert_array_equal(a, b)
            agree(row, args, options, result)


SHAPES = [(), (0,), (1,), (4,), (1, 1), (0, 3), (3, 3), (1, 3), (2, 3), (2, 2, 2)]
MORE: dict[str, list[dict[str, Any]]] = {
    "transpose": [{}],
    "swapaxes": [{"axis1": 0, "axis2": -1}],
    "moveaxis": [{"source": 0, "destination": -1}],
    "rollaxis": [{"axis": -1}],
    "squeeze": [{}],
    "expand_dims": [{"axis": 0}, {"axis": -1}],
    "flip": [{}, {"axis": 0}],
    "fliplr": [{}],
    "flipud": [{}],
    "rot90": [{"k": k} for k in range(-1, 5)],
    "ravel": [{}, {"order": "F"}],
    "flatten": [{}],
    "diagonal": [{}, {"offset": 1}],
    "diag": [{}, {"k": 1}],
    "real": [{}],
    "imag": [{}],
    "conj": [{}],
    "atleast_1d": [{}],
    "atleast_2d": [{}],
    "atleast_3d": [{}],
    "matrix_power": [{"n": n} for n in range(-1, 4)],
    "diff": [{"n": n} for n in range(3)],
    "einsum": [{"subscripts": s} for s in ("i", "ij->ji", "ii->i", "ii", "ij->i", "...j->j...")],
}


def calls(name: str) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    for shape in SHAPES:
        for dtype in (np.float64, np.float32, np.complex128, np.int64):
            values = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
            for layout in LAYOUTS.values():
                yield from (([layout(values)], options) for options in MORE[name])


@pytest.mark.parametrize("name", MORE)
def test_all_ranks_lengths_and_dtypes(name: str) -> None:
    done = 0
    for args, options in calls(name):
        try:
            with np.errstate(all="ignore"):
                result = perform(name, args, options)
        except (ValueError, IndexError, TypeError, np.linalg.LinAlgError):
            continue
        agree(TABLE[name], args, options, result)
        done += 1
    assert done > 10


SPACES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks", "numpy.random")
LEFT_OUT = (
    "save",
    "load",
    "from",
    "set",
    "test",
    "info",
    "memmap",
    "gen",
    "show",
    "print",
    "array_r",
)


def functions() -> Iterator[tuple[str, Any]]:
    for space in SPACES:
        module = importlib.import_module(space)
        for name in dir(module):
            found = getattr(module, name)
            plain = inspect.isroutine(found) or isinstance(found, np.ufunc)
            if plain and not name.startswith(("_", *LEFT_OUT)):
                yield f"{space}.{name}", found


MATRIX = np.arange(1.0, 10.0).reshape(3, 3)
BASES = (np.arange(1.0, 7.0), MATRIX, MATRIX.T, np.arange(1, 5), np.zeros(0), np.array([2.0]))
REST: tuple[tuple[Any, ...], ...] = ((), (1,), (0,), (2,), ((0,),), (float,), (0, 9.0), ((-1,),))
REST += (("mask",), ("mask", 9.0), ("itself",))


@pytest.mark.parametrize(
    "spelling, function", [*functions()], ids=lambda v: v if isinstance(v, str) else ""
)
def test_functions_without_a_row(spelling: str, function: Any) -> None:
    """Whatever shares storage or writes is listed; of what has a row, the row says it."""
    name = spelling.rpartition(".")[2]
    row = TABLE.find(spelling)
    for base in BASES:
        for rest in REST:
            a = base.copy(order="K")
            named = {"mask": np.ones(a.shape, bool), "itself": a}
            args = [named.get(r, r) if isinstance(r, str) else r for r in rest]
            before = a.copy()
            try:
                result = function(a, *args)
            except Exception:
                continue
            if "out" in positions(spelling)[: len(args) + 1]:
                continue
            changed = a.shape != before.shape or not np.array_equal(a, before)
            assert not changed or name in WRITERS
            if shares(result, a):
                assert (row is not None and row.view) or not gives_new(spelling)
