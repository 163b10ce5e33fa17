"""Modules that are made by an example: types, ranks, structures and lengths are those of a call.

The oracles are the live gradient of the same function, and differences.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad
from adjointgen.api.arguments.assumption_checks import Equal, lengths
from adjointgen.errors import AdjointgenError, SourceError, TypeMismatch
from adjointgen.ir.types import Dim, Type
from tests.api.by_example import LAYERS, POINT, R, imported, made, same

__all__ = ["imported", "made"]

MLP = """
import numpy as np

def mlp(W1, b1, W2, b2, x):
    return np.sum((W2 @ np.tanh(W1 @ x + b1) + b2) ** 2)
"""


def test_ranks_come_from_the_example(made: Any) -> None:
    primal, module = made(MLP, "mlp", wrt="W1,b1,W2,b2", modes="adjoint", example=POINT)
    value, *bars = module.mlp_adjoint(*POINT)
    assert value == pytest.approx(primal.mlp(*POINT), rel=1e-14)
    same(tuple(bars), grad(primal.mlp, "W1,b1,W2,b2")(*POINT))


def test_arguments_by_name_and_defaults(made: Any) -> None:
    text = "def f(x, *, rate=2.0, power=1.0):\n    return rate * x**power\n"
    _, module = made(text, "f", wrt="x,power", example=((3.0,), {"power": 2.5}))
    _, x_bar, power_bar = module.f_adjoint(3.0, power=2.5)
    assert x_bar == pytest.approx(2.0 * 2.5 * 3.0**1.5)
    assert power_bar == pytest.approx(2.0 * 3.0**2.5 * np.log(3.0))


def test_a_pair_of_a_tuple_and_a_dict_may_be_two_arguments(made: Any) -> None:
    text = "def f(q, table):\n    a, b = q\n    return a * b * table['k']\n"
    _, module = made(text, "f", wrt="q", example=((2.0, 3.0), {"k": 5.0}))
    same(module.f_adjoint((2.0, 3.0), {"k": 5.0})[1], (15.0, 10.0))


def test_what_chooses_the_program_is_checked(made: Any) -> None:
    text = "def f(x, how):\n    return x * x if how == 'square' else x\n"
    _, module = made(text, "f", example=(3.0, "square"))
    assert module.f_adjoint(3.0, "square") == (9.0, 6.0)
    with pytest.raises(ValueError, match="how='square'"):
        module.f_adjoint(3.0, "plain")


def test_lengths_that_arguments_share_are_found(made: Any) -> None:
    text = (
        "import numpy as np\n\ndef f(u, v, w):\n    t = u * v\n    t = t - w\n"
        "    return np.sum(t * t)\n"
    )
    args = tuple(R.standard_normal((3, 30, 20)))
    primal, module = made(text, "f", example=args)
    text = Path(module.__file__ or "").read_text()
    assert "_unbroadcast" not in text
    same(module.f_adjoint(*args)[1:], grad(primal.f, ...)(*args))


def test_a_declaration_has_precedence(made: Any) -> None:
    text = "def f(x, n):\n    return x**n\n"
    _, module = made(text, "f", wrt="x", example=(2.0, 3), constants={"n": 4})
    assert module.f_adjoint(2.0, 4)[1] == 32.0


def test_an_example_in_a_file(made: Any, tmp_path: Path) -> None:
    data = "import numpy as np\n\ndef point():\n    return np.ones((2, 3)), np.ones(3)\n\n"
    (tmp_path / "data_of_f.py").write_text(data + "args = point()\n")
    text = "def f(A, x):\n    return (A @ x) @ (A @ x)\n"
    for name in ("point", "args"):
        primal, module = made(text, "f", wrt="A", example=f"data_of_f.py::{name}")
        args = np.ones((2, 3)), np.ones(3)
        same(module.f_adjoint(*args)[1], grad(primal.f)(*args))
        header = Path(module.__file__ or "").read_text()
        assert f"--example data_of_f.py::{name} -o" in header


def test_a_function_that_is_at_hand(made: Any) -> None:
    def plain(A: Any, x: Any) -> Any:
        return x @ A @ x

    args = R.standard_normal((3, 3)), R.standard_normal(3)
    text = generate(plain, "A", "adjoint", example=args).source
    assert "--at 'A=float64[3, 3]'" in text and "A: NDArray[np.float64]" in text


def test_data_of_the_module_are_imported(made: Any) -> None:
    text = """import numpy as np
WEIGHTS = np.array([0.5, 0.25, 0.25])
TABLE = {"gain": 2.0}

def scaled(x):
    return x * WEIGHTS

def loss(x):
    return TABLE["gain"] * np.sum(scaled(x) * x)
"""
    primal, written = made(text, "loss", example=(np.ones(3),), modes="adjoint")
    assert f"from {primal.__name__} import TABLE, WEIGHTS" in Path(written.__file__).read_text()
    assert written.loss_adjoint(np.ones(3))[1] == pytest.approx([2.0, 1.0, 1.0])


@pytest.mark.parametrize("example", [[1.0, 2.0], 1.0, (1.0,), (1.0, 2.0, 3.0), {"x": 1.0}])
def test_what_is_no_example(made: Any, example: Any) -> None:
    with pytest.raises(TypeMismatch) as caught:
        made("def f(x, y):\n    return x * y\n", "f", example=example)
    assert caught.value.code == "AG408"


@pytest.mark.parametrize("name", ["nothing.py::args", "data_gone.py::args", "data_gone.py::bad"])
def test_an_example_that_cannot_be_had(made: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "data_gone.py").write_text("def bad():\n    return 1 / 0\n")
    with pytest.raises(SourceError) as caught:
        made("def f(x):\n    return x * x\n", "f", example=name)
    assert caught.value.code == "AG011"


# What a module takes for granted


def test_equal_lengths_are_checked(made: Any) -> None:
    text = "import numpy as np\n\ndef f(u, v):\n    return np.sum((u * v) ** 2)\n"
    _, module = made(text, "f", example=(np.ones((4, 3)), np.ones((4, 3))))
    for other in (np.ones((4, 1)), np.ones((1, 3)), np.ones((1, 1))):
        for pair in ((np.ones((4, 3)), other), (other, np.ones((4, 3)))):
            with pytest.raises(ValueError, match="u and v of one shape"):
                module.f_adjoint(*pair)


def test_axes_of_length_one_are_checked(made: Any) -> None:
    text = "import numpy as np\n\ndef f(u, v):\n    return np.sum((u * v) ** 2)\n"
    primal, module = made(text, "f", example=(np.ones((4, 3)), np.ones((1, 3))))
    args = R.standard_normal((4, 3)), R.standard_normal((1, 3))
    same(module.f_adjoint(*args)[1:], grad(primal.f, ...)(*args))
    with pytest.raises(ValueError, match=r"v.shape\[0\] == 1"):
        module.f_adjoint(np.ones((4, 3)), np.ones((4, 3)))


def test_lengths_of_other_arguments_are_free(made: Any) -> None:
    text = "import numpy as np\n\ndef f(u, v):\n    return np.sum(u * u) * np.sum(np.exp(v))\n"
    primal, module = made(text, "f", example=(np.ones(4), np.ones(4)))
    for n, m in ((3, 7), (1, 5), (5, 1)):
        args = R.standard_normal(n), R.standard_normal(m)
        same(module.f_adjoint(*args)[1:], grad(primal.f, ...)(*args))


def test_a_store_that_may_repeat_is_checked(made: Any) -> None:
    text = (
        "import numpy as np\n\ndef f(u, v):\n    t = np.zeros_like(u)\n    t[:] = v\n"
        "    return np.sum(t * t * u)\n"
    )
    primal, module = made(text, "f", example=(np.ones(4), np.ones(4)))
    args = tuple(R.standard_normal((2, 6)))
    same(module.f_adjoint(*args)[1:], grad(primal.f, ...)(*args))
    with pytest.raises(ValueError, match="was differentiated for"):
        module.f_adjoint(np.ones(4), np.ones(1))


@pytest.mark.parametrize(
    ("given", "other"),
    [
        ([(LAYERS[0], LAYERS[1])], [(LAYERS[0], LAYERS[1])] * 2),
        ({"W": LAYERS[0], "b": LAYERS[1]}, {"W": LAYERS[0], "b": LAYERS[1], "c": 1.0}),
        ({"how": "sum", "k": 2.0}, {"how": "mean", "k": 2.0}),
        ({"flag": True, "k": 2.0}, {"flag": False, "k": 2.0}),
        ((2, 3.0), (3, 3.0)),
        ({"a": {"b": [1.0, "x"]}}, {"a": {"b": [1.0, "y"]}}),
    ],
)
def test_structures_are_checked(made: Any, given: Any, other: Any) -> None:
    text = "def f(p, x):\n    return x * x\n"
    _, module = made(text, "f", wrt="x", example=(given, 3.0))
    assert module.f_adjoint(given, 3.0)[1] == 6.0
    with pytest.raises(ValueError, match="another structure of p"):
        module.f_adjoint(other, 3.0)


def test_a_function_without_a_name_in_a_structure_is_refused(made: Any) -> None:
    text = "def f(p, x):\n    return p['k'] * x\n"
    with pytest.raises(AdjointgenError) as caught:
        made(text, "f", wrt="x", example=({"k": 2.0, "act": lambda x: x}, 3.0))
    assert caught.value.code == "AG101" and "p['act'] is a function" in caught.value.message


class Square:
    """An object with a text, a function, a module and a method that a program is made of."""

    def __init__(self, how: str = "twice", act: Any = np.tanh, home: Any = np) -> None:
        self.how, self.act, self.home, self.k = how, act, home, 2.0

    def value(self, x: float) -> float:
        return self.k * x * x


class Cube(Square):
    def value(self, x: float) -> float:
        return self.k * x**3


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("x * x if o.how == 'twice' else x", Square("once")),
        ("o.act(x) * o.k", Square(act=np.sin)),
        ("o.home.exp(x) * o.k", Square(home=math)),
        ("o.value(x)", Cube()),
    ],
)
def test_objects_that_hold_something_else_are_refused(made: Any, body: str, other: Any) -> None:
    _, module = made(f"def f(o, x):\n    return {body}\n", "f", wrt="x", example=(Square(), 0.7))
    moved = Square()
    moved.k = 3.0
    assert module.f_adjoint(moved, 0.7, 1.0)
    with pytest.raises(ValueError, match="another structure of o"):
        module.f_adjoint(other, 0.7, 1.0)


def test_a_length_that_is_more_than_another_is_no_equal_shape() -> None:
    """`y` has rows more than `H`, and columns as `C`: its shape is not that of `C`."""
    C = Type("float64", (Dim("H.0"), Dim("C.1")), "array")
    y = Type("float64", (Dim("H.0", 3), Dim("C.1")), "array")
    H = Type("float64", (Dim("H.0"), Dim("H.1")), "array")
    rows = [*lengths({"C": C, "y": y, "H": H}, Equal())]
    assert not [row for row in rows if "one shape" in row[2]]
    assert any(row[2] == "y.shape[0] == H.shape[0] + 3" for row in rows)
