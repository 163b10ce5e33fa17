"""Adjoints with checkpoints give what those give that keep every state."""

import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjointgen
from adjointgen import (
    adjoint,
    forward,
    generate,
    grad,
    hessian,
    hvp,
    jvp,
    reverse,
    tangent,
    vjp,
)
from adjointgen.errors import AdjointgenError, Misuse
from tests.checkpoints.programs import NAMES, SCHEDULES, programs

U0 = np.array([0.9, 0.3, -0.2, 0.7])
COMPILED = ("log", "binomial, snapshots=2", "periodic, period=4")
STEPS = (0, 1, 2, 3, 7, 12)


def same(found: Any, wanted: Any) -> None:
    """To the last bits: sums may be taken in another order."""
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.fixture(scope="module")
def without_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """What a program gives, and its value and gradient where all states are kept; made once."""
    module = programs(tmp_path_factory.mktemp("plain"))

    @cache
    def found(name: str, steps: int) -> tuple[Any, ...]:
        plain, args = getattr(module, name), (U0, 0.7, steps)
        return (plain(*args), *adjointgen.value_and_grad(plain, wrt=(0, 1))(*args))

    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", NAMES)
def test_gradients(
    name: str, schedule: str, tmp_path: Path, without_checkpoints: Callable[..., Any]
) -> None:
    kept = getattr(programs(tmp_path, schedule), name)
    for steps in STEPS:
        args = (U0, 0.7, steps)
        before = U0.copy()
        value, found = adjointgen.value_and_grad(kept, wrt=(0, 1))(*args)
        plain, wanted, bars = without_checkpoints(name, steps)
        assert value == wanted == plain
        same(found, bars)
        np.testing.assert_array_equal(U0, before)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("name", "schedule"),
    [*zip(("solver", "leaving", "nested", "twice", "calling"), 2 * COMPILED, strict=False)],
)
def test_compiled(name: str, schedule: str, tmp_path: Path) -> None:
    kept, plain = getattr(programs(tmp_path, schedule), name), getattr(programs(tmp_path), name)
    for steps in (0, 1, 6):
        args = (U0, 0.7, steps)
        same(grad(kept, wrt=(0, 1), compile="numba")(*args), grad(plain, wrt=(0, 1))(*args))


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", NAMES)
def test_second_order(name: str, tmp_path: Path) -> None:
    kept = getattr(programs(tmp_path, "binomial, snapshots=2"), name)
    plain = getattr(programs(tmp_path), name)
    args, v = (U0, 0.7, 5), np.array([1.0, -1.0, 0.5, 0.25])
    wanted = hvp(plain, args, (v,))
    same([hvp(kept, args, (v,))], [wanted])
    same(hvp(kept, args, (v, 0.5)), hvp(plain, args, (v, 0.5)))
    same([hessian(kept)(*args)], [hessian(plain)(*args)])
    product = tangent(grad(kept), compile="numba" if name == "heat" else "python")
    same(product(*args, v), tangent(grad(plain))(*args, v))

    def slope(u0: Any, k: float, steps: int) -> Any:
        return jvp(kept, (u0, k, steps), (v, None, None))[1]

    gradient = grad(slope)
    same([gradient(*args)], [wanted])
    # The states of an affine loop are not needed.
    for made in (gradient, product):
        assert (name != "affine") == ("_keeps(at" in made.source)


def test_a_hessian_vector_product_keeps_few_states(tmp_path: Path) -> None:
    def peak(f: Any) -> int:
        args, v = (np.linspace(0.0, 1.0, 1000), 0.7, 400), np.ones(1000)
        hvp(f, args, (v,))
        tracemalloc.start()
        hvp(f, args, (v,))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert 8 * peak(programs(tmp_path, "log").heat) < peak(programs(tmp_path).heat)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", ["log", "binomial, snapshots=2", 'disk="FOLDER"'])
def test_split_sweeps_read_a_tape_again(schedule: str, tmp_path: Path) -> None:
    kept, plain = programs(tmp_path, schedule), programs(tmp_path)
    for name in NAMES:
        one, other = getattr(kept, name), getattr(plain, name)
        _, tape = forward(one)(U0, 0.7, 6)
        wanted = vjp(other, U0, 0.7, 6)[1](2.0)
        for _ in range(3):
            same(reverse(one)(tape, 2.0)[:2], wanted[:2])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_by_keyword(name: str, tmp_path: Path) -> None:
    plain = getattr(programs(tmp_path), name)
    args = (U0, 0.7, 6)
    same([grad(plain, wrt=1, checkpoint="log")(*args)], [grad(plain, wrt=1)(*args)])
    same(adjoint(plain, checkpoint="log")(*args, 1.0)[1:3], adjoint(plain)(*args, 1.0)[1:3])


def test_only_the_live_state_is_kept(tmp_path: Path) -> None:
    kept = programs(tmp_path, "log")
    for name, state in (("heat", "u.copy()"), ("trajectory", "(a, b)"), ("orbit", "z.copy()")):
        gradient = grad(getattr(kept, name))
        gradient(U0, 0.7, 3)
        assert f"snapshots.append({state})" in gradient.source
    gradient = grad(kept.affine)
    gradient(U0, 0.7, 3)
    assert "snapshots" not in gradient.source


def test_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plain = programs(tmp_path)
    made = generate(plain.heat, modes="adjoint", example=(U0, 0.7, 3), checkpoint="log")
    assert "--checkpoint log" in made.source and "_log_keeps" in made.source
    module: dict[str, Any] = {}
    exec(made.source, module)
    found = module["heat_adjoint"](U0, 0.7, 9, 1.0)
    same(found[1:], adjoint(plain.heat)(U0, 0.7, 9, 1.0)[1:3])


@pytest.mark.parametrize("schedule", ["lo", "log, snapshots=3", "binomial", 'memory="x"', "disk=3"])
def test_what_is_no_schedule(schedule: str, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="AG415"):
        grad(programs(tmp_path).heat, checkpoint=schedule)
    with pytest.raises(AdjointgenError, match="AG012"):
        grad(programs(tmp_path, schedule).heat)(U0, 0.7, 3)


def test_what_cannot_run_twice() -> None:
    def drawing(x: float, n: int) -> float:
        for _ in range(n):
            x = x * x + np.random.rand()
        return x

    def objects(x: float, things: list[Any]) -> float:
        for k in range(len(things)):
            x = x * k
            things.append(x)
        return x

    def straight(x: float) -> float:
        return x * x

    for f, args in ((drawing, (2.0, 3)), (objects, (2.0, ["a"])), (straight, (2.0,))):
        with pytest.raises(AdjointgenError, match="AG122"):
            grad(f, checkpoint="log")(*args)


def test_a_directive_stands_above_a_loop() -> None:
    def f(x: float) -> float:
        # adjointgen: checkpoint(log)
        y = x * x
        for _ in range(3):
            y = y * x
        return y

    with pytest.raises(AdjointgenError, match="AG012"):
        grad(f)(2.0)
