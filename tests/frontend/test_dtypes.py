"""Every spelling that NumPy has for a dtype means that dtype, wherever one may stand."""

import linecache
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad, tangent
from adjointgen.errors import AdjointgenError
from adjointgen.frontend.lower import lower, source_from_file, type_of
from adjointgen.ir.text import read, show
from adjointgen.ir.types import DTYPES, dtype_of
from tests.frontend.agree import agrees

X = np.array([0.7, -1.3, 2.1])
FORMS = {
    "ones": "np.ones(3, {0}) * x",
    "zeros": "np.zeros(3, dtype={0}) + x",
    "full": "np.full(3, x[0], {0})",
    "like": "np.full_like(x, x[0], dtype={0})",
    "astype": "x.astype({0})",
    "asarray": "np.asarray(x, {0}) * x",
    "array": "np.array([x[0], x[1]], dtype={0})",
    "sum": "np.sum(x, dtype={0})",
    "cumsum": "x.cumsum(dtype={0})",
    "arange": "np.arange(3, dtype={0}) * x",
    "identity": "np.identity(3, {0}) @ x",
}


def texts() -> Iterator[str]:
    """What NumPy takes for a dtype, as it is written."""
    numbers = np.typecodes["All"].translate(str.maketrans("", "", "SUVMm"))
    codes = [np.dtype(code).str[1:] for code in numbers]
    yield from map(repr, (*numbers, *(order + code for order in "<>=|" for code in codes)))
    for name, cls in np.sctypeDict.items():
        if issubclass(cls, np.number | np.bool_ | np.object_):
            yield repr(name)
            yield from [f"np.{name}"] if vars(np).get(name) is cls else []
    yield from ("float", "int", "bool", "complex", "object", "type(2.0)")
    of_dtype = ("np.dtype('d')", "np.dtype(float)", "x.dtype", "np.result_type(x, 1.0)")
    yield from (*of_dtype, "np.promote_types('f', 'd')", "np.dtype('>f8')")
    yield from (f"{one}.{name}" for one in of_dtype for name in ("type", "char", "name", "str"))


SPELLINGS = tuple(dict.fromkeys(texts()))


def lowered(expression: str) -> str:
    text = f"import numpy as np\ndef f(x):\n    y = {expression}\n    return y\n"
    return show(lower(source_from_file("m.py", "f", text), {"x": type_of("x", X)}))


def meant(text: str) -> np.dtype[Any]:
    return np.dtype(eval(text, {"np": np, "x": X}))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_spelling_gives_one_program(form: str) -> None:
    for text in SPELLINGS:
        dtype = meant(text)
        if dtype.isnative and dtype.name in DTYPES:
            name = "bool_" if dtype.name == "bool" else dtype.name
            assert lowered(form.format(text)) == lowered(form.format(f"np.{name}")), text
        else:
            assert "object" in lowered(form.format(text)), text


def test_numbers_of_every_kind_have_a_spelling() -> None:
    assert {meant(text).name for text in SPELLINGS} >= DTYPES
    assert {dtype_of(name) for name in DTYPES} == DTYPES
    assert {dtype_of(name) for name in ("O", "g", ">f8", "U3", "f8,i4", "(2,)f8", "nothing")} == {
        None
    }


def made(body: str) -> Any:
    text = f"import numpy as np\ndef f(x):\n    {body}\n"
    linecache.cache[f"<{body}>"] = (len(text), None, text.splitlines(keepends=True), f"<{body}>")
    module = types.ModuleType("m")
    exec(compile(text, f"<{body}>", "exec"), module.__dict__)
    return module.f


STORED = "y = np.zeros(3, dtype={0}); y[0] = x[0]; y[1:] = x[1:] * x[0]; return np.sum(y * x).real"


@pytest.mark.parametrize("text", ["'d'", "'<f8'", "'complex'", "np.double().dtype"])
def test_stored(text: str) -> None:
    agrees(made(STORED.format(text)), X)


@pytest.mark.parametrize("text", ["'>f8'", "np.longdouble", "object", "'g'"])
@pytest.mark.parametrize("form", [STORED, "return np.sum(x.astype({0})).astype(float)"])
def test_other_dtypes_are_refused(text: str, form: str) -> None:
    f = made(form.format(text))
    for derive in (lambda: grad(f)(X), lambda: tangent(f)(X, X)):
        with pytest.raises(AdjointgenError) as caught:
            derive()
        assert caught.value.code == "AG201"


@pytest.mark.parametrize("dtype", [">f8", np.longdouble], ids=str)
def test_arguments_of_other_dtypes(dtype: Any) -> None:
    """They can be read; what is active does not go into them."""

    def read_only(x: Any, w: Any) -> Any:
        return np.sum(x * x) * float(w[1])

    def written(x: Any, w: Any) -> Any:
        y = w.copy()
        y[0] = x[0]
        return float(y[0] * y[0])

    w = np.array([2.0, 3.0, 5.0]).astype(dtype)
    assert np.allclose(grad(read_only)(X, w), 6.0 * X)
    for f, wrt in ((written, 0), (read_only, 1)):
        with pytest.raises(AdjointgenError):
            grad(f, wrt=wrt)(X, w)


def compared(x: Any) -> Any:
    asked = [
        x.dtype == "f8",
        x.dtype == np.double,
        x.dtype != "<f4",
        x.dtype in (np.float64, np.float32),
        x.dtype in ("f", "d"),
        x.dtype is np.dtype(float),
        x.dtype.type is np.float64,
        x.dtype.type == np.double,
        np.dtype("f4") == np.single,
        np.promote_types("f", "d") == x.dtype,
        x.dtype.isnative and x.dtype.itemsize == 8 and x.dtype.char in "fd",
        f"{x.dtype}" == "float64" and str(x.dtype) == x.dtype.name,
        x.dtype == np.asarray(x, dtype=x.dtype).dtype,
        x.dtype == "float32",
        np.common_type(x, x) is np.float64,
    ]
    total = x * 0.0
    for k, one in enumerate(asked):
        if one:
            total = total + (k + 1.0) * x
    return total * x.dtype.type(2.0)


def passed_on(x: Any) -> Any:
    return filled(3, x.dtype, x) + filled(3, dtype_named(x), x)


def filled(n: int, dtype: Any, x: Any) -> Any:
    made = np.zeros(n, dtype=dtype)
    for k in range(n):
        made[k] = x[k] * x[0]
    return made


def dtype_named(x: Any) -> Any:
    chosen = x.dtype
    if chosen == np.float32:
        return np.float32
    return chosen


def told(x: Any) -> Any:
    notes = [x.dtype, str(x.dtype)]
    assert notes[0] == notes[1], notes
    known = {x.dtype: 3.0}
    return x * known[x.dtype] * float(repr(x.dtype) == "dtype('float64')")


@pytest.mark.parametrize("f", [compared, passed_on, told], ids=lambda f: f.__name__)
def test_dtypes_as_values(f: Any) -> None:
    agrees(f, X)


def test_a_dtype_is_text_of_the_listing() -> None:
    text = lowered("[print(one) for one in (x.dtype,)]")
    assert 'dtype("float64")' in text
    assert show(read(text)) == text


def held(x: Any, dtype: Any) -> Any:
    y = np.zeros(3, dtype)
    y[0] = x
    return y[0] * y[0]


def of_entry(x: Any, given: Any) -> Any:
    return held(x, given["dtype"])


@pytest.mark.parametrize("f", [held, of_entry], ids=lambda f: f.__name__)
def test_a_dtype_as_an_argument_is_part_of_the_specialisation(f: Any) -> None:
    derived = grad(f)
    for dtype in (
        np.float64,
        np.float32,
        np.int32,
        np.dtype("f8"),
        np.dtype("i4"),
        float,
        int,
        "d",
    ):
        given = {"dtype": dtype} if f is of_entry else dtype
        slope = 0.0 if np.dtype(dtype).kind == "i" else 6.2
        assert np.isclose(derived(3.1, given), slope, rtol=1e-6), dtype
    for dtype in (np.longdouble, np.dtype(">f8")):
        with pytest.raises(AdjointgenError):
            derived(3.1, {"dtype": dtype} if f is of_entry else dtype)


def test_a_dtype_by_default_in_a_module(tmp_path: Path) -> None:
    text = (
        "import numpy as np\nDTYPE = np.double\n"
        "def f(x, dtype=np.float32, n=3):\n"
        "    y = np.zeros(n, DTYPE)\n    y[0] = x.astype(dtype)[1]\n    return np.sum(y * y)\n"
    )
    (tmp_path / "m.py").write_text(text)
    made = generate(f"{tmp_path}/m.py::f", wrt="x", types={"x": "float64[:]"})
    module: dict[str, Any] = {}
    exec(compile(made.source, "m_ad.py", "exec"), module)
    assert np.allclose(module["f_adjoint"](X)[1], [0.0, -2.6, 0.0], rtol=1e-6)
    with pytest.raises(ValueError, match="float32"):
        module["f_adjoint"](X, np.float64)
