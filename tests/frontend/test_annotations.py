"""Annotations and declarations, read from text: every form that people use.

The table states what each form is; `typing.get_type_hints` and `inspect` are not asked, since no
package that an annotation names need be installed.
"""

import ast

import pytest

from adjointgen.config.types import argument_type
from adjointgen.errors import AdjointgenError
from adjointgen.frontend.annotations.names import Names
from adjointgen.frontend.annotations.type_expressions import states_communicator
from adjointgen.frontend.domain.abstract_values import Fixed, Parts
from adjointgen.frontend.domain.structures import Argument
from adjointgen.frontend.lower import source_from_file
from adjointgen.frontend.textual_types import Inferred, inferred
from adjointgen.ir.types import Dim, parse_type

HEAD = """
from __future__ import annotations
import dataclasses
import enum
import typing as t
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NewType, Optional, TypedDict
from typing import TypeVar, Union
import numpy as np
import numpy.typing as npt
from numpy import float32 as single
from numpy.typing import ArrayLike, NDArray
if TYPE_CHECKING:
    from jaxtyping import Float, Float32, Int
    import jaxtyping as jt

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Profile: t.TypeAlias = "Vector"
Meters = NewType("Meters", float)
T = TypeVar("T")
Bounded = TypeVar("Bounded", bound=float)
Loop = "Loop"


@dataclass(frozen=True)
class Params:
    rate: float
    weights: Vector
    count: t.ClassVar[int] = 3


@dataclasses.dataclass
class Deep(Params):
    inner: Pair = field(default_factory=lambda: Pair(1.0, 2))


class Pair(NamedTuple):
    first: float
    second: int = 3


class Layer(TypedDict):
    W: "float64[:, :]"
    b: Vector


class Partly(TypedDict, total=False):
    W: float


class Plain:
    rate: float


class Colour(enum.Enum):
    RED = 1


Functional = TypedDict("Functional", {"a": float})
Tupled = NamedTuple("Tupled", [("a", float), ("b", int)])
"""


def read(annotation: str, default: str = "", wanted: tuple[str, ...] = ()) -> Inferred:
    equals = f" = {default}" if default else ""
    text = f"{HEAD}\ndef f(a: {annotation}{equals}):\n    return 1.0\n"
    return inferred(source_from_file("m.py", "f", text), {}, wanted)["a"]


FORMS = [
    ("float", "float64"),
    ("'float'", "float64"),
    ("int", "int64"),
    ("complex", "complex128"),
    ("np.float32", "float32"),
    ("single", "float32"),
    ("Meters", "float64"),
    ("Bounded", "float64"),
    ("int | float", "float64"),
    ("Union[float, int]", "float64"),
    ("Optional[float]", "float64"),
    ("float | None", "float64"),
    ("t.Optional[np.ndarray]", "float64[...]"),
    ("t.Final[float]", "float64"),
    ("'float64[:, :]'", "float64[a.0, a.1]"),
    ("float64[:, 3]", "float64[a.0, 3]"),
    ("'float64[n, m]'", "float64[n, m]"),
    ("float[:]", "float64[a.0]"),
    ("int32[:]", "int32[a.0]"),
    ("np.float64[:]", "float64[a.0]"),
    ("'float64[...]'", "float64[...]"),
    ("np.ndarray", "float64[...]"),
    ("NDArray", "float64[...]"),
    ("NDArray[np.float32]", "float32[...]"),
    ("npt.NDArray[np.floating[t.Any]]", "float64[...]"),
    ("np.ndarray[Any, np.dtype[np.complex128]]", "complex128[...]"),
    ("np.ndarray[tuple[int, int], np.dtype[np.float64]]", "float64[a.0, a.1]"),
    ("np.ndarray[tuple[int, Literal[3]], np.dtype[np.float64]]", "float64[a.0, 3]"),
    ("np.ndarray[tuple[int, ...], np.dtype[np.float64]]", "float64[...]"),
    ("Vector", "float64[a.0]"),
    ("Profile", "float64[a.0]"),
    ("Vector | None", "float64[a.0]"),
    ("Float[np.ndarray, 'n m']", "float64[n, m]"),
    ("jt.Float[np.ndarray, '3 _ #n n-1']", "float64[3, a.1, ?, ?]"),
    ("Float32[np.ndarray, 'rows=4 n']", "float32[4, n]"),
    ("Float[np.ndarray, '*batch n']", "float64[...]"),
    ("Float[np.ndarray, 'a n']", "float64[?, n]"),
    ("Int[np.ndarray, 'n']", "int64[n]"),
    ("Annotated[np.ndarray, 'float64[:, :]']", "float64[a.0, a.1]"),
    ("Annotated[NDArray[np.float32], Literal['N', 3]]", "float32[a.0, 3]"),
    ("Annotated[float, 'in metres']", "float64"),
    ("list[float]", "list float64[a.0]"),
    ("t.List[Vector]", "list float64[a.0, ?]"),
    ("object", "object"),
    ("str", "object"),
    ("Callable[[float], float]", "object"),
    ("np.random.Generator", "object"),
    ("Literal['a', 'b']", "object"),
]


@pytest.mark.parametrize(("annotation", "type"), FORMS, ids=[form for form, _ in FORMS])
def test_forms(annotation: str, type: str) -> None:
    found = read(annotation)
    assert found.type == parse_type(type)
    assert found.basis == "stated"


@pytest.mark.parametrize(("text", "type"), [f for f in FORMS if "a n" not in f[0]])
def test_declarations_have_the_same_grammar(text: str, type: str) -> None:
    assert argument_type("a", text, Names("m.py", HEAD)) == parse_type(type)


def shown(argument: Argument) -> object:
    match argument:
        case Parts(kind=kind, keys=keys, parts=parts):
            name = kind if isinstance(kind, str) else kind.__name__
            return {name: {key: shown(part) for key, part in zip(keys, parts, strict=True)}}
    return str(argument)


@pytest.mark.parametrize(
    ("annotation", "structure"),
    [
        ("tuple[float, int]", {"tuple": {0: "float64", 1: "int64"}}),
        ("Params", {"Params": {"rate": "float64", "weights": "float64[a_weights.0]"}}),
        (
            "Deep",
            {
                "Deep": {
                    "rate": "float64",
                    "weights": "float64[a_weights.0]",
                    "inner": {"Pair": {"first": "float64", "second": "int64"}},
                }
            },
        ),
        ("Layer", {"dict": {"W": "float64[a_W.0, a_W.1]", "b": "float64[a_b.0]"}}),
        ("Functional", {"dict": {"a": "float64"}}),
        ("Tupled", {"Tupled": {"a": "float64", "b": "int64"}}),
        (
            "tuple[Pair, Vector]",
            {"tuple": {0: {"Pair": {"first": "float64", "second": "int64"}}, 1: "float64[a_1.0]"}},
        ),
    ],
)
def test_structures(annotation: str, structure: object) -> None:
    assert shown(read(annotation).type) == structure


@pytest.mark.parametrize(
    "annotation",
    [
        *("float | np.ndarray", "Any", "ArrayLike", "T", "Sequence[float]", "dict[str, float]"),
        *("list[tuple[float, float]]", "tuple[float, ...]", "list", "Partly", "Colour", "t.Dict"),
        *("Union[float, complex]", "t.Mapping[str, Vector]"),
    ],
)
def test_what_leaves_the_type_open_is_a_guess(annotation: str) -> None:
    found = read(annotation)
    assert found.basis == "guessed" and "`" in found.why


@pytest.mark.parametrize(
    "annotation",
    [
        *("'flaot'", "'float64['", "float64[-1]", "np.flaot64", "Plain", "NDArray[np.nosuch]"),
        *("3", "Loop", "torch.Tensor", "Float[np.ndarray, 3]", "float64[1:2]", "pd.DataFrame"),
    ],
)
def test_what_states_no_type_is_refused(annotation: str) -> None:
    with pytest.raises(AdjointgenError) as caught:
        read(annotation)
    assert caught.value.code == "AG413" and caught.value.span is not None
    with pytest.raises(ValueError):
        argument_type("a", annotation, Names("m.py", HEAD))


def test_none_by_default_is_none_unless_it_is_differentiated() -> None:
    assert read("float | None", "None").type == Fixed(None)
    found = read("float | None", "None", wanted=("a",))
    assert found.type == parse_type("float64") and found.given
    assert read("float | None").given and not read("float").given


def test_an_array_without_a_dtype_is_to_be_real() -> None:
    assert read("np.ndarray").real and read("NDArray").real
    assert not read("NDArray[np.float64]").real and not read("'float64[:]'").real


def test_names_of_other_modules_are_followed(tmp_path) -> None:  # type: ignore[no-untyped-def]
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kinds.py").write_text("from .deeper import Grid\n")
    (package / "deeper.py").write_text("import numpy as np\nGrid = 'np.float64[:, :]'\n")
    text = (
        "from .kinds import Grid\nfrom . import kinds\ndef f(a: Grid, b: kinds.Grid): return 1.0\n"
    )
    (package / "model.py").write_text(text)
    found = inferred(source_from_file(str(package / "model.py"), "f"), {})
    assert {str(one.type) for one in found.values()} == {"float64[a.0, a.1]", "float64[b.0, b.1]"}


def test_lengths_are_symbols() -> None:
    assert read("'float64[n]'").type.shape == (Dim("n"),)  # type: ignore[union-attr]


def test_a_name_with_two_definitions_is_no_communicator() -> None:
    text = "import abc\nArray: object = abc.ABC\nArray = dict\nfrom mpi4py.MPI import Intracomm\n"
    names = Names("m.py", text)
    assert names.outside(ast.Name("Array")) == ""
    assert not states_communicator(ast.Name("Array"), names)
    assert states_communicator(ast.Name("Intracomm"), names)
