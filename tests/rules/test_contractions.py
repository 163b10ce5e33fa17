"""Sums of products whose operands have axes of one entry, or that sum nothing."""

from typing import Any

import numpy as np
import pytest

import adjointgen
from tests.lowering.loops import Loops, judged

A = np.linspace(0.3, 1.4, 12).reshape(3, 4)
V = np.linspace(-0.5, 0.9, 3)
T = np.cos(np.arange(24.0)).reshape(2, 3, 4)


def one_row(a: Any, b: Any) -> Any:
    return np.einsum("ij,ij->", a, b)


def one_column(a: Any, b: Any) -> Any:
    return np.einsum("ij,j->i", a, b)


def one_of_each(a: Any, b: Any) -> Any:
    return np.einsum("ij,jk->ik", a, b)


def outer(a: Any, b: Any) -> Any:
    return np.einsum("i,j->ij", a, b) * np.tensordot(a, b, axes=0)


def not_one(a: Any, b: Any) -> Any:
    return np.einsum("ijk,jk->kij", a, b)


def reordered(a: Any) -> Any:
    return np.einsum("ij->ji", a) @ a


def added_up(a: Any) -> Any:
    return np.einsum("ijk->i", a) + np.einsum("ijk->", a)


CASES = [
    (one_row, (A, A[:1])),
    (one_row, (A, A[:, :1])),
    (one_row, (A[:1], A[:, :1])),
    (one_column, (A, V[:1])),
    (one_column, (A[:, :1], V)),
    (one_of_each, (A[:, :1], A)),
    (one_of_each, (A, A[:1])),
    (outer, (V, V[:2])),
    (not_one, (T, A)),
    (reordered, (A,)),
    (added_up, (T,)),
]


@pytest.mark.parametrize("engine", [adjointgen, Loops], ids=["arrays", "loops"])
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_every_entry_is_counted(f: Any, args: Any, engine: Any) -> None:
    found = judged(f, *args, engine=engine)
    assert found.sort == "right", found.detail
