"""What mypy knows of derivatives: `--strict` accepts their calls, and finds wrong ones."""

import re
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
from numpy.typing import NDArray

from adjointgen import grad, hessian, jacobian, jvp, ravel, stop_gradient, value_and_grad, vjp

Array = NDArray[np.float64]


@grad(wrt="x")
def energy(x: float, k: float = 2.0) -> float:
    return k * x**2


@grad
def slope(x: float, k: float = 2.0) -> float:
    return k * x**2


@grad()
def again(x: float) -> float:
    return x


@grad(wrt=("x", "k"))
def both(x: float, k: float) -> float:
    return k * x


@grad(has_aux=True)
def aided(x: float) -> tuple[float, str]:
    return x, "a"


class Bar:
    k = 2.0

    @grad
    def force(self, x: float) -> float:
        return self.k * x


def f(x: Array, n: int = 2) -> float:
    return float(np.sum(x**n))


def use(x: Array) -> Array:
    return grad(f)(x, n=3)


def value(x: Array) -> float:
    return value_and_grad(f)(x)[0]


x = np.ones(2)
"""

KNOWN = {
    "grad(f)(x)": "ndarray",
    "grad(f)(x=x)": "ndarray",
    "value_and_grad(f)(x, 3)": "tuple[float, Any]",
    "energy(1.0, k=3.0)": "Any",
    "slope(1.0)": "float",
    "again(1.0)": "float",
    "both(1.0, 2.0)": "tuple[Any, ...]",
    "aided(1.0)": "tuple[Any, str]",
    "Bar().force(2.0)": "Any",
    "jvp(f, (x,), (x,))": "tuple[float, Any]",
    "vjp(f, x)[0]": "float",
    "vjp(lambda x: (x, 'a'), 1.0, has_aux=True)[2]": "str",
    "jacobian(f)(x, n=3)": "Any",
    "hessian(f)(x)": "Any",
    "ravel({'a': 2.0})[1](x)": "dict[str, float]",
    "stop_gradient(2.0)": "float",
    "slope.source": "str",
    "slope.primal": "def (*Any, **Any)",
}

WRONG = ("slope('a')", "energy(1.0, 2.0, 3.0)", "both(1.0)", "jacobian(f)()", "slope.nosuch")


def test_strict(tmp_path: Path, mypy_cache: Path) -> None:
    shown = [f"reveal_type({call})" for call in KNOWN]
    text = PROGRAM + "\n".join([*shown, *WRONG]) + "\n"
    first = text.splitlines().index(shown[0]) + 1
    (tmp_path / "typed.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(mypy_cache)]
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [*command, str(tmp_path / "typed.py")], capture_output=True, text=True, cwd=root
    ).stdout
    told = dict(re.findall(r'typed\.py:(\d+): note: Revealed type is "(.*)"', found))
    for line, (call, kind) in enumerate(KNOWN.items(), first):
        assert kind in told[str(line)], (call, told[str(line)])
    wrong = {int(line) for line in re.findall(r"typed\.py:(\d+): error", found)}
    assert wrong == {*range(first + len(KNOWN), first + len(KNOWN) + len(WRONG))}, found
