"""Random programs over a batch, beside a loop over its samples: values, tangents, gradients.

An argument that all samples share is the same object in both, so that what a program writes into it
is seen by the next sample.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, tangent, vmap
from adjointgen.opt.program import Program, flatten, load, unload
from tests.fuzz import kernels
from tests.fuzz.generator import generate

SAMPLES = 3
SHIFTS = (0.0, 0.25, -0.5, 1.0)


@dataclass(frozen=True)
class Batch:
    """The arguments of each sample, and which of them are over the batch."""

    samples: list[list[Any]]
    many: list[bool]

    @property
    def axes(self) -> tuple[int | None, ...]:
        return tuple(0 if m else None for m in self.many)

    def stacked(self) -> list[Any]:
        columns = zip(*self.samples, strict=True)
        pairs = zip(columns, self.many, strict=True)
        return [np.stack([*map(np.asarray, c)]) if m else copy.deepcopy(c[0]) for c, m in pairs]

    def each(self) -> Iterator[list[Any]]:
        shared = copy.deepcopy(self.samples[0])
        for sample in self.samples:
            own = copy.deepcopy(sample)
            yield [own[k] if m else shared[k] for k, m in enumerate(self.many)]

    def beside(self, seeds: list[list[Any]]) -> Batch:
        rows = [[*a, *b] for a, b in zip(self.samples, seeds, strict=True)]
        return Batch(rows, [*self.many, *[True] * len(seeds[0])])


def is_real(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == np.float64)


def moved(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, float):
        return value + float(rng.choice(SHIFTS))
    return value + rng.choice(SHIFTS, size=value.shape)


def batch_of(program: Program, rng: np.random.Generator) -> Batch:
    many = [is_real(a) and bool(rng.random() < 0.7) for a in program.args]
    samples = [
        [moved(a, rng) if m else a for a, m in zip(program.fresh_args(), many, strict=True)]
        for _ in range(SAMPLES)
    ]
    return Batch(samples, many)


def seeds_of(program: Program, rng: np.random.Generator) -> list[list[Any]]:
    active = [program.args[k] for k in program.active]
    return [
        [
            rng.uniform(0.3, 1.0, np.shape(a)) if np.ndim(a) else rng.uniform(0.3, 1.0)
            for a in active
        ]
        for _ in range(SAMPLES)
    ]


def outcome(function: Callable[..., Any], args: list[Any]) -> tuple[Any, str]:
    """The result, or the kind of the exception."""
    try:
        with np.errstate(all="ignore"):
            return function(*args), ""
    except AdjointgenError as error:
        return None, error.code
    except Exception as error:
        return None, type(error).__name__


def sample_of(tree: Any, k: int) -> Any:
    """One sample of a result."""
    if isinstance(tree, tuple | list):
        return type(tree)(sample_of(part, k) for part in tree)
    return tree[k]


def agrees(f: Callable[..., Any], batch: Batch) -> bool:
    """Compare; whether one program did all samples."""
    mapped = vmap(f, batch.axes)
    found, failed = outcome(mapped, batch.stacked())
    wanted = [outcome(f, sample) for sample in batch.each()]
    errors = [error for _, error in wanted if error]
    assert bool(failed) == bool(errors), f"{failed!r} for {errors}"
    if failed:
        return False
    for k in range(SAMPLES):
        got = flatten(sample_of(found, k))
        np.testing.assert_allclose(got, flatten(wanted[k][0]), rtol=1e-9, atol=1e-11)
    return not mapped.looped


def check(program: Program) -> int:
    """How many of value, tangent and gradient were one program for all samples."""
    rng = np.random.default_rng(program.seed)
    batch = batch_of(program, rng)
    if not any(batch.many):
        return 0
    f = load(program)
    done = int(agrees(f, batch))
    if all(is_real(program.args[k]) for k in program.active):
        done += agrees(tangent(f, wrt=program.wrt), batch.beside(seeds_of(program, rng)))
        done += agrees(grad(f, wrt=program.wrt), batch)
    unload(program)
    return done


@pytest.mark.fuzz
@pytest.mark.parametrize(("draw", "first"), [(kernels.generate, 178), (generate, 500)])
def test_random_programs(draw: Callable[[int], Program], first: int, fuzz_count: int) -> None:
    count = max(1, fuzz_count // 12)
    done = sum(check(draw(seed)) for seed in range(first, first + count))
    assert done >= count // 4
