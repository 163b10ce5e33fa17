"""What is recorded, and what is computed again from it: the least of both together."""

import random
import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, check, generate, grad, hvp
from adjointgen.ad.taping.least_recorded import least_recorded


def cost(
    kept: frozenset[str],
    needed: list[str],
    sources: dict[str, list[str]],
    record: dict[str, float],
    again: dict[str, float],
) -> float:
    """What it costs to record these values and to compute the others again."""
    stack, made = [n for n in needed if n not in kept], set[str]()
    while stack:
        name = stack.pop()
        if name in made:
            continue
        if name not in again:
            return float("inf")
        made.add(name)
        stack += [s for s in sources[name] if s not in kept]
    return sum(record[n] for n in kept) + sum(again[n] for n in made)


@pytest.mark.parametrize("seed", range(60))
def test_no_other_set_costs_less(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"v{k}" for k in range(draw.randint(1, 9))]
    sources = {n: draw.sample(names[:k], min(k, draw.randint(0, 3))) for k, n in enumerate(names)}
    again = {n: draw.choice([0.25, 1.0, 4.0, 20.0]) for n in names if draw.random() < 0.7}
    record = {n: draw.choice([0.0, 4.0, 6.0]) for n in names}
    needed = draw.sample(names, draw.randint(1, len(names)))
    found = least_recorded(needed, sources, record, again)
    sets = [frozenset(c) for k in range(len(names) + 1) for c in combinations(names, k)]
    least = min(cost(s, needed, sources, record, again) for s in sets)
    assert cost(found, needed, sources, record, again) == pytest.approx(least)


def rk4(y0: Any, k: Any, dt: float, steps: int) -> Any:
    def rhs(y: Any) -> Any:
        return np.array([k[0] * y[0] - k[1] * y[0] * y[1], k[2] * y[0] * y[1] - k[3] * y[1]])

    y = y0
    for _ in range(steps):
        k1 = rhs(y)
        k2 = rhs(y + 0.5 * dt * k1)
        k3 = rhs(y + 0.5 * dt * k2)
        k4 = rhs(y + dt * k3)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def covariance(A: Any, B: Any, P: Any, steps: int) -> Any:
    """Products of matrices that are there are computed again, those of products are kept."""
    for _ in range(steps):
        P = A @ P @ A.T + B
        K = P @ np.linalg.inv(P @ P.T + np.eye(len(P)))
        P = P - K @ P
    return np.sum(P * P)


R = np.random.default_rng(8)
CASES = {
    "rk4": (rk4, "y0,k", (np.array([1.0, 1.0]), np.array([0.5, 0.0, 0.5, 1.0]), 0.1, 4), 4),
    "covariance": (
        covariance,
        "A,B",
        (0.3 * R.standard_normal((3, 3)), np.eye(3), np.eye(3), 3),
        4,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_stages_are_computed_again(name: str) -> None:
    f, wrt, args, most = CASES[name]
    text = generate(f, wrt, modes="adjoint", example=args).source
    assert len(re.findall(r"^ +\w+_tape\w* = \[\]$", text, re.MULTILINE)) <= most
    assert check(f, args, wrt=wrt).ok


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_a_program_that_records_all(name: str) -> None:
    f, wrt, args, _ = CASES[name]
    seeds = (np.ones(2),) if name == "rk4" else ()
    one = adjoint(f, wrt)(*args, *seeds)
    other = adjoint(f, wrt, disable=("recompute-or-record",))(*args, *seeds)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def test_no_array_is_kept_for_its_entries() -> None:
    """An array that is changed entry by entry is not copied in each iteration."""

    def swept(u: Any) -> Any:
        u = u.copy()
        for _ in range(3):
            for i in range(1, len(u) - 1):
                u[i] = u[i - 1] * u[i] * u[i + 1] + u[i] ** 2 * u[i - 1]
        return np.sum(u)

    u = np.array([1.0, 1.0, 0.5, 0.3])
    text = generate(swept, modes="adjoint", example=(u,)).source
    assert ".append(u.copy())" not in text
    assert check(swept, (u,)).ok


def test_second_derivatives_of_computed_stages() -> None:
    def end(y: Any) -> Any:
        return np.sum(rk4(y, CASES["rk4"][2][1], 0.1, 3) ** 2)

    y, v, h = np.array([1.0, 1.0]), np.array([0.3, -1.0]), 1e-4
    slope = (grad(end)(y + h * v) - grad(end)(y - h * v)) / (2.0 * h)
    np.testing.assert_allclose(hvp(end, (y,), (v,)), slope, rtol=1e-6)
