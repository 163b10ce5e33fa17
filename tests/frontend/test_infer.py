"""The types of arguments from source alone: declared, annotated, by default, by use."""

import pytest

from adjointgen.frontend.domain.abstract_values import Fixed
from adjointgen.frontend.lower import infer_arguments, source_from_file
from adjointgen.ir.types import FLOAT, INT, Type, parse_type


def inferred(text: str, **declared: Type) -> object:
    return infer_arguments(source_from_file("m.py", "f", text), declared)["a"]


@pytest.mark.parametrize(
    ("parameter", "type"),
    [
        ("a: float", "float64"),
        ("a: int", "int64"),
        ("a: complex", "complex128"),
        ("a: 'float'", "float64"),
        ("a: float | None", "float64"),
        ("a: np.float32", "float32"),
        ("a: np.ndarray", "float64[...]"),
        ("a: NDArray[np.float32]", "float32[...]"),
        ("a: npt.NDArray[np.float64]", "float64[...]"),
        ("a: list[float]", "list float64[a.0]"),
        ("a=2.0", "float64"),
        ("a=-3", "int64"),
        ("a", "float64"),
    ],
)
def test_annotations_and_defaults(parameter: str, type: str) -> None:
    assert inferred(f"def f({parameter}):\n    return 1.0\n") == parse_type(type)


@pytest.mark.parametrize("default", ["None", "True", "'cubic'"])
def test_defaults_that_are_no_numbers_are_fixed(default: str) -> None:
    assert inferred(f"def f(a={default}):\n    return 1.0\n") == Fixed(eval(default))


@pytest.mark.parametrize(
    ("use", "type"),
    [
        ("a[0]", "float64[a.0]"),
        ("a[1:, 2]", "float64[a.0, a.1]"),
        ("len(a)", "float64[a.0]"),
        ("a.shape[0]", "float64[a.0]"),
        ("np.sum(a)", "float64[a.0]"),
        ("sum(v for v in zip(a, b))", "float64[a.0]"),
        ("a @ b", "float64[a.0]"),
        ("b[a]", "int64"),
        ("b[a + 1]", "int64"),
        ("[0.0 for _ in range(a)]", "int64"),
        ("2 * a", "float64"),
    ],
)
def test_uses(use: str, type: str) -> None:
    assert inferred(f"def f(a, b):\n    return {use}\n") == parse_type(type)


def test_what_is_declared_counts() -> None:
    assert inferred("def f(a: float):\n    return a[0]\n", a=INT) == INT
    assert inferred("def f(a: float):\n    return a[0]\n") == FLOAT


ROWS = "    for row in a:\n        row[0] = 1.0\n"
HELPER = "def h(m, k):\n    return m[k, 0]\n"


@pytest.mark.parametrize(
    ("body", "types"),
    [
        ("    c = a.copy()\n    c[0, 1] = b\n", "float64[a.0, a.1]; float64"),
        ("    c = 2.0 * a[1:] - a[:-1]\n    c[0, 1] = b\n", "float64[a.0, a.1]; float64"),
        ("    c = a + b\n    c[0, 1] = a[0, 0]\n", "float64[a.0, a.1]; float64"),
        ("    c = a[0]\n    c[0] = b[0]\n", "float64[a.0, a.1]; float64[b.0]"),
        (ROWS, "float64[a.0, a.1]; float64"),
        ("    n, m = a.shape\n", "float64[a.0, a.1]; float64"),
        ("    n = a.shape[2]\n", "float64[a.0, a.1, a.2]; float64"),
        ("    c = [row[0] for row in a]\n", "float64[a.0, a.1]; float64"),
        ("    c = [p * q for p, q in zip(a, b)]\n", "float64[a.0]; float64[b.0]"),
        ("    for k, row in enumerate(a):\n        row[k]\n", "float64[a.0, a.1]; float64"),
        ("    c = h(a, b)\n", "float64[a.0, a.1]; int64"),
        ("    c = h(k=b, m=a + 1.0)\n", "float64[a.0, a.1]; int64"),
        ("    c = np.linalg.solve(a, b)\n", "float64[a.0, a.1]; float64[b.0]"),
        ("    a = a[0]\n", "float64[a.0]; float64"),
        ("    s = a[0]\n    s = s + a\n", "float64[a.0]; float64"),
    ],
)
def test_ranks_flow_from_name_to_name(body: str, types: str) -> None:
    source = source_from_file("m.py", "f", f"{HELPER}def f(a, b):\n{body}    return b\n")
    assert "; ".join(map(str, infer_arguments(source, {}).values())) == types


@pytest.mark.parametrize(
    ("use", "type"),
    [
        ("a[0, 1]", "float32[a.0, a.1]"),
        ("a[0]", "float32[a.0]"),
        ("np.sum(a)", "float32[...]"),
        ("len(a)", "float32[...]"),
    ],
)
def test_an_annotation_without_a_rank_gets_that_of_its_use(use: str, type: str) -> None:
    text = f"def f(a: NDArray[np.float32]):\n    return {use}\n"
    assert inferred(text) == parse_type(type)
