"""Arrays whose shape is all that the reverse sweep reads are not kept: their lengths are."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import adjointgen
from adjointgen.ad.taping.shape_only_needs import Sizing
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Operand,
    Replay,
    Value,
    blocks_of,
    operands_of,
    walk,
)
from adjointgen.passes.run import Ran, watching
from tests.benchmarks.kernels.all import KERNELS
from tests.benchmarks.kernels.kernel import is_float
from tests.lowering.loops import Loops, judged

X = np.linspace(-0.9, 1.3, 8)
READ_FOR_THEIR_SHAPE = {
    "dim": 0,
    "zeros_like": 0,
    "ones_like": 0,
    "full_like": 0,
    "reshape_like": 1,
    "unbroadcast": 1,
    "expand": 1,
}
VIEWS = ("load", "reshape", "transpose")
PLAIN = ["jacobi_1d", "fdtd_2d", "adi", "cavity_flow", "channel_flow", "nbody"]
SIZED = [*PLAIN, "stockham_fft", "contour_integral", "self_energies", "heat_3d"]


def butterflies(x: Any) -> Any:
    y, half, stride = x + 0.0, len(x) // 2, 1
    for _ in range(3):
        parts = np.reshape(y, (2, half, stride))
        new = np.zeros((half, 2, stride))
        new[:, 0, :] = parts[0] + parts[1]
        new[:, 1, :] = (parts[0] - parts[1]) * np.reshape(np.cos(np.arange(half)), (half, 1))
        y = np.reshape(new, 2 * half * stride)
        half, stride = half // 2, stride * 2
    return np.sum(y * y * y)


def whatever_is_left(x: Any) -> Any:
    """The length is -1 for `reshape`, and no length of `zeros`."""
    y, rows, total = x * 1.0, int(np.floor(x[0])), 0.0
    for k in range(2):
        pairs = np.reshape(y, (rows, 2))
        y = pairs[:, 0] - 0.5 * pairs[:, 1]
        total += (k + 1.0) * np.sum(np.cumsum(y)[1:])
    return total


def made_on_one_path(x: Any) -> Any:
    """Only one path makes an array with the number that the other has for -1."""
    y, rows = x * 1.0, int(np.floor(x[0]))
    for k in range(4):
        if k == 3:
            rows = len(y)
            y = y + np.zeros(rows)
        else:
            pairs = np.reshape(y[: 2 * (len(y) // 2)], (rows, 2))
            y = np.concatenate((pairs[:, 0], 0.5 * pairs[:, 1]))
    return np.sum(np.sin(y))


def of_other_lengths(x: Any) -> Any:
    """Two axes, neither of which is the other."""
    total = 0.0
    for k in range(1, 4):
        table = np.outer(x[k:], x[: 2 * k])
        rows = np.zeros((table.shape[1], len(x) - k))
        rows[:] = 3.0 * table.T - 1.0
        total += np.sum(np.flip(rows, 0)[1:, k - 1])
    return total


def repeated(x: Any) -> Any:
    """Rows that are added to all rows, of arrays of one row at last."""
    total = 0.0
    for k in range(3, 0, -1):
        row = x[:2] * 2.0
        table = np.reshape(x[: 2 * k], (k, 2)) + row
        total += np.sum(table * k) + np.sum(row + table[0])
    return total


def narrow(x: Any) -> Any:
    """Slices of fewer entries than they leave out."""
    y = x[:1].copy()
    total = np.sum(x)
    for _ in range(2):
        inner = y[1:-1] + 1.0
        y[1:-1] = 2.0 * inner
        total += np.sum(inner) + y[0]
    return total


def a_number_at_first(x: Any) -> Any:
    total: Any = 0.0
    for k in range(3):
        t = total + 0.5
        total = t + np.cumsum(np.reshape(x, (2, 4)), axis=0) * k
    return np.sum(np.flip(total, 0)[0])


def until(x: Any) -> Any:
    y = x * 1.0
    while len(y) > 1:
        pairs = np.reshape(y, (len(y) // 2, 2))
        y = 2.0 * pairs[:, 0] + pairs[:, 1]
        if len(y) == 2:
            y = y - np.mean(y)
    return y[0] + x[0]


FUNCTIONS: list[Callable[..., Any]] = [
    butterflies,
    whatever_is_left,
    made_on_one_path,
    of_other_lengths,
    repeated,
    narrow,
    a_number_at_first,
    until,
]


@pytest.mark.parametrize("engine", [adjointgen, Loops], ids=["arrays", "loops"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_are_those_of_differences(f: Callable[..., Any], engine: Any) -> None:
    found = judged(f, X, engine=engine)
    assert found.sort == "right", found.detail


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_what_is_made_in_a_shape_has_the_dtype_of_the_array(dtype: str) -> None:
    def f(x: Any) -> Any:
        y, half = x.astype(dtype), len(x) // 2
        for _ in range(2):
            pairs = np.reshape(y, (half, 2))
            y = 2.0 * pairs[:, 0] - pairs[:, 1]
            half = half // 2
        return np.sum(y).real

    x = np.arange(8.0).astype("float32" if dtype == "float32" else "float64")
    made = adjointgen.value_and_grad(f)
    assert made(x)[1].dtype == x.dtype
    np.testing.assert_allclose(made(x)[1], [4, -2, -2, 1] * 2, atol=1e-6)


@pytest.mark.parametrize("name", SIZED)
def test_no_array_is_on_a_tape_for_its_shape(name: str) -> None:
    assert not tapes(name)


@pytest.mark.parametrize("name", ["stockham_fft", "cavity_flow", "channel_flow"])
def test_such_arrays_would_be_found(name: str) -> None:
    with mock.patch.object(Sizing, "close", lambda self, forward, reverse, *_: (forward, reverse)):
        assert tapes(name)


def tapes(name: str) -> list[str]:
    """The tapes of arrays that a kernel's adjoints keep for their shape."""
    kernel, found = KERNELS[name], list[str]()

    def judge(ran: Ran) -> None:
        if ran.row.name == "close-adjoint":
            found.extend(kept_for_their_shape(ran.after.function.body))

    args = kernel.inputs("tiny")
    names = inspect.signature(kernel.primal).parameters
    wrt = tuple(n for n, a in zip(names, args, strict=True) if is_float(a))
    with watching(judge):
        adjointgen.value_and_grad(kernel.primal, wrt=wrt)(*args)
    return found


def kept_for_their_shape(body: Block) -> Iterator[str]:
    """The tapes of arrays of which the program reads no numbers."""
    numbers = {end.name for end in ends(body) if isinstance(end, Value)}
    for stmt in reversed(list(walk(body))):
        at = READ_FOR_THEIR_SHAPE.get(stmt.op) if isinstance(stmt, Apply) else None
        if not (isinstance(stmt, Apply) and stmt.op in VIEWS and stmt.result.name not in numbers):
            read = enumerate(operands_of(stmt))
            numbers |= {o.name for k, o in read if isinstance(o, Value) and k != at}
    for stmt in walk(body):
        is_array = isinstance(stmt, Replay) and stmt.result.type.is_array
        if isinstance(stmt, Replay) and is_array and stmt.result.name not in numbers:
            yield stmt.slot


def ends(block: Block) -> Iterator[Operand]:
    yield from block.yields
    for stmt in block.stmts:
        for inner in blocks_of(stmt):
            yield from ends(inner)
