"""What a header says of an example, and structures in modules that are made by one."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad
from adjointgen.api.modules.drift import drift
from adjointgen.api.modules.written_values import read_value, written_value
from adjointgen.frontend.lower import type_of
from tests.api.by_example import LAYERS, POINT, R, imported, made, same

__all__ = ["imported", "made"]

# What a header says of an example


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        3,
        "cubic",
        "two words",
        True,
        None,
        float("nan"),
        float("-inf"),
        1 + 2j,
        np.float32(0.5),
        (1, 2.0),
        (),
        [1.0, 2.0],
        [],
        [(LAYERS[0], LAYERS[1]), (LAYERS[2], POINT[3])],
        {"W1": LAYERS[0], "how": "sum", 3: None},
        np.array([0.1, np.nan, np.inf]),
        np.array([[1, 2], [3, 4]], "int32"),
        np.zeros((0, 3)),
        np.ones((200, 3), "complex64"),
        np.array([True, False]),
    ],
)
def test_a_value_is_written_as_text_that_reads_as_such_a_value(value: Any) -> None:
    def none(name: str) -> Any:
        raise LookupError(name)

    text = written_value(value, none)
    again = read_value(text, none)
    assert written_value(again, none) == text
    assert type_of("x", again) == type_of("x", value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("cubic", "cubic"),
        ("two words", "two words"),
        ("[1, 2, 3]", np.array([1.0, 2.0, 3.0])),
        ("[[1, 2], [3, 4.5]]", np.array([[1.0, 2.0], [3.0, 4.5]])),
        ("[[1, 2], [3]]", [np.array([1.0, 2.0]), np.array([3.0])]),
        ("-inf", -np.inf),
        ("int64([1, 2])", np.array([1, 2])),
    ],
)
def test_what_people_write(text: str, value: Any) -> None:
    found = read_value(text, lambda name: int)
    assert type_of("x", found) == type_of("x", value)
    same(found, value) if not isinstance(value, str) else None


@pytest.mark.parametrize("text", ["x + 1", "open('f')", "float64[n]", "f(1)", "{**a}", "[x]"])
def test_text_that_writes_no_value(text: str) -> None:
    def none(name: str) -> Any:
        raise LookupError(name)

    with pytest.raises((ValueError, LookupError)):
        read_value(text, none)


CLASS = """
import dataclasses
import typing

import numpy as np


@dataclasses.dataclass
class Params:
    rate: float
    weights: np.ndarray


class Pair(typing.NamedTuple):
    a: float
    b: float


def energy(p, q, x):
    return p.rate * np.sum(p.weights * x * x) + q.a * q.b
"""


def test_the_header_makes_the_module_again(made: Any) -> None:
    def example(primal: ModuleType) -> Any:
        pair = primal.Pair(2.0, 3.0)
        return (primal.Params(0.5, np.ones(20)), pair, np.ones(20))

    _, module = made(CLASS, "energy", wrt="p,q", modes="adjoint", example=example)
    path = Path(module.__file__ or "")
    header = path.read_text().split("\n\n")[0]
    assert "--at 'p=Params(rate=0.5, weights=float64[20])'" in header
    assert "--at 'q=Pair(a=2.0, b=3.0)'" in header
    found = drift(path)
    assert found.ok, found.detail
    for name in [n for n in sys.modules if n.startswith("model_")]:
        del sys.modules[name]
    assert drift(path).ok


def test_the_example_decides_what_is_drift(made: Any, tmp_path: Path) -> None:
    data = "import numpy as np\n\nargs = (np.ones({shape}),)\n"
    for shape, kind in (("4", "none"), ("5", "none"), ("(4, 3)", "example changed")):
        (tmp_path / "data_drift.py").write_text(data.format(shape="4"))
        text = "import numpy as np\n\ndef f(x):\n    return np.sum(x * x)\n"
        _, module = made(text, "f", example="data_drift.py::args")
        (tmp_path / "data_drift.py").write_text(data.format(shape=shape))
        sys.modules.pop("data_drift", None)
        assert drift(module.__file__ or "").kind == kind


# Structures


STRUCTURES = CLASS + """

class Layer(typing.NamedTuple):
    W: np.ndarray
    b: np.ndarray


@dataclasses.dataclass(frozen=True)
class Net:
    layers: list[Layer]
    gain: float


@dataclasses.dataclass
class Checked:
    rate: float

    def __post_init__(self):
        assert self.rate > 0


def net(p, x):
    for layer in p.layers:
        x = np.tanh(layer.W @ x + layer.b)
    return p.gain * np.sum(x)


def table(p, x):
    return np.sum(np.tanh(p["inner"]["W"] @ x + p["b"]))


def checked(p, x):
    return p.rate * x
"""


def nets(primal: ModuleType) -> Any:
    first = primal.Layer(R.standard_normal((4, 3)), R.standard_normal(4))
    second = primal.Layer(R.standard_normal((2, 4)), R.standard_normal(2))
    return primal.Net([first, second], 1.5), R.standard_normal(3)


def energies(primal: ModuleType) -> Any:
    pair = primal.Pair(2.0, 3.0)
    return primal.Params(0.5, R.standard_normal(5)), pair, R.standard_normal(5)


def tables(primal: ModuleType) -> Any:
    return {"inner": {"W": R.standard_normal((4, 3))}, "b": R.standard_normal(4)}, np.ones(3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "example", "wrt"),
    [
        ("energy", energies, "p"),
        ("energy", energies, "p,q"),
        ("energy", energies, "p.weights"),
        ("net", nets, "p,x"),
        ("net", nets, "p.layers"),
        ("net", nets, "p.layers[1]"),
        ("net", nets, "p.layers[0].W"),
        ("table", tables, "p"),
        ("table", tables, "p.inner"),
        ("table", tables, "p.inner.W"),
        ("table", tables, "p['inner']['W']"),
    ],
)
def test_gradients_have_the_structure_of_the_argument(
    made: Any, name: str, example: Any, wrt: str
) -> None:
    kept: list[Any] = []

    def once(primal: ModuleType) -> Any:
        kept.append(example(primal))
        return kept[0]

    primal, module = made(STRUCTURES, name, wrt=wrt, example=once)
    found = getattr(module, f"{name}_adjoint")(*kept[0])
    assert found[0] == pytest.approx(getattr(primal, name)(*kept[0]), rel=1e-14)
    same(tuple(found[1:]), grad(getattr(primal, name), tuple(wrt.split(",")))(*kept[0]))


def test_parts_are_differences(made: Any) -> None:
    primal, module = made(STRUCTURES, "net", wrt="p", modes="adjoint", example=nets)
    net, x = nets(primal)
    _, p_bar = module.net_adjoint(net, x)
    assert type(p_bar) is primal.Net and type(p_bar.layers[0]) is primal.Layer
    W = net.layers[0].W
    for place in np.ndindex(W.shape):
        values = []
        for sign in (1, -1):
            W[place] += sign * 1e-6
            values.append(primal.net(net, x))
            W[place] -= sign * 1e-6
        slope = (values[0] - values[1]) / 2e-6
        assert p_bar.layers[0].W[place] == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_a_class_that_does_more_than_set_its_fields_is_a_dict(made: Any) -> None:
    _, module = made(STRUCTURES, "checked", wrt="p", example=lambda m: (m.Checked(2.0), 3.0))
    assert module.checked_adjoint(sys.modules[module.__name__[:-3]].Checked(2.0), 3.0)[1] == {
        "rate": 3.0
    }


def test_the_docstring_says_that_an_instance_is_returned(tmp_path: Path) -> None:
    (tmp_path / "rates.py").write_text(_RATES, "utf-8")
    place = f"{tmp_path.as_posix()}/rates.py"
    module = generate(f"{place}::f", "p", modes="adjoint", example=f"{place}::example")
    assert "(result, p_bar)." in module.body
    assert "p_bar.up: float, returned" in module.body


_RATES = """
import dataclasses


@dataclasses.dataclass
class Rates:
    up: float
    down: float


def f(p, x):
    return p.up * x - p.down * x * x


def example():
    return Rates(1.0, 2.0), 0.5
"""


# Lengths of what is in structures

FILTER = """
import numpy as np

def likelihood(params, x, P, observations):
    loss = 0.0
    for z in observations:
        x = params["F"] @ x
        P = params["F"] @ P @ params["F"].T + params["Q"]
        y = z - params["H"] @ x
        S = params["H"] @ P @ params["H"].T + params["R"]
        K = P @ params["H"].T @ np.linalg.inv(S)
        x = x + K @ y
        P = P - K @ params["H"] @ P
        loss += np.linalg.slogdet(S)[1] + y @ np.linalg.solve(S, y)
    return loss
"""


def filter_arguments(n: int, m: int, steps: int) -> tuple[Any, ...]:
    params = {
        "F": 0.5 * np.eye(n) + 0.1 * R.standard_normal((n, n)),
        "H": R.standard_normal((m, n)),
        "Q": np.eye(n),
        "R": np.eye(m),
    }
    return params, R.standard_normal(n), np.eye(n), R.standard_normal((steps, m))


def test_lengths_of_leaves_are_those_of_other_arguments(made: Any) -> None:
    """A state that is as long before a loop as in it leaves no sum of broadcast axes to take."""
    example = filter_arguments(3, 2, 4)
    primal, module = made(FILTER, "likelihood", wrt="params", example=example)
    text = Path(module.__file__).read_text()
    assert "unbroadcast" not in text
    # In each program keys, two lengths, the ranks of vectors and of matrices, floats.
    assert text.count("differentiated for") == 12
    for args in (example, filter_arguments(4, 1, 3), filter_arguments(2, 2, 1)):
        live = grad(primal.likelihood, "params")(*args)
        same(tuple(module.likelihood_adjoint(*args)[1].values()), tuple(live.values()))
    params, *rest = example
    with pytest.raises(ValueError, match=r"params\['F'\]\.shape\[0\] == "):
        module.likelihood_adjoint({**params, "Q": np.eye(4)}, *rest)


def test_the_length_of_a_list_that_is_checked(made: Any) -> None:
    text = (
        "def f(xs, ws):\n    total = 0.0\n    for i in range(len(xs)):\n"
        "        total += xs[i] * ws[i]\n    return total * total\n"
    )
    primal, module = made(text, "f", example=([1.0, 2.0], [3.0, 4.0]))
    assert ".shape" not in "".join(
        line
        for line in Path(module.__file__).read_text().splitlines()
        if "float64 list" not in line
    )
    args = [1.0, 2.0, 3.0], [0.5, 0.25, -1.0]
    same(module.f_adjoint(*args)[1:], grad(primal.f, ...)(*args))
