"""Constants in long products: one constant in front, in time that grows with the length."""

from __future__ import annotations

import importlib.util
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from adjointgen.optimize.simplify import FIRED

STEP = 1e-30
FORMS = (
    "y = np.sin(y) * {c}",
    "y = {c} * y * z",
    "z = np.cos(z) * y * {c}",
    "z = {c} * z * a",
    "a = a * {c} * np.sin(a)",
    "y = y * a * {c}",
    "z = -z * {c} * y",
    "t = y * {c}; z = z + t * {d} * y; y = t * z",
    "t = y * z * {c} * a; y = t * {d}; w = w + t * {c}",
    "w = w + y * {c} * z",
)
CONSTANTS = ("0.5", "2.0", "-1.0", "0.3", "1.7", "-0.25", "3", "np.float64(0.5)")


def loaded(body: list[str], folder: Path) -> Callable[..., Any]:
    lines = "".join(f"    {line}\n" for line in body)
    path = folder / "products.py"
    text = f"import numpy as np\n\n\ndef f(y, z, a):\n    w = 0.0 * y\n{lines}"
    path.write_text(f"{text}    return np.sum(y + z * 0.5 + w) * a\n", "utf-8")
    spec = importlib.util.spec_from_file_location("products", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.f
    return found


@pytest.mark.parametrize("seed", range(30))
def test_products_with_constants(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    body = [
        rng.choice(FORMS).format(c=rng.choice(CONSTANTS), d=rng.choice(CONSTANTS))
        for _ in range(rng.randint(4, 14))
    ]
    function = loaded(body, tmp_path)
    y, z, a = np.array([0.7, -0.4, 1.1]), np.array([0.3, 0.9, -0.8]), 0.6
    with np.errstate(all="ignore"):
        found = grad(function, "y, z, a")(y, z, a)
        direction = np.array([0.3, -0.7, 0.45]), np.array([0.9, 0.2, -0.6]), 0.8
        moved = (p + 1j * STEP * d for p, d in zip((y, z, a), direction, strict=True))
        expected = function(*moved).imag / STEP
    assert np.isclose(sum(np.sum(g * d) for g, d in zip(found, direction, strict=True)), expected)


def rewrites(count: int, folder: Path) -> int:
    """How many rewrites the gradient of a chain of so many statements takes."""
    gradient = grad(loaded(["y = np.sin(y) * 0.5"] * count, folder))
    token = FIRED.set(Counter())
    try:
        gradient(np.ones(3), np.ones(3), 1.0)
        return sum((FIRED.get() or Counter()).values())
    finally:
        FIRED.reset(token)


def test_rewrites_grow_with_the_length(tmp_path: Path) -> None:
    assert rewrites(120, tmp_path) < 2.3 * rewrites(60, tmp_path)
