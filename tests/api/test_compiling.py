"""Programs compiled by Numba give what the same programs give under CPython."""

import math
import pickle
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, generate, grad, tangent, value_and_grad
from adjointgen.api.cache.numba_cache import file_of
from adjointgen.errors import Unsupported
from tests.kept import own_programs

X = np.linspace(0.5, 1.5, 6)


def recurrence(x: float, a: float, n: int) -> float:
    y = x
    for _ in range(n):
        y = y / 2.0 if y > 1.0 else y * y + a
    return y


def heat(u0: Any, alpha: float, n: int) -> Any:
    u = u0.copy()
    for _ in range(n):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return np.sum(u * u)


def friction(re: float, eps: float) -> float:
    f = 0.02
    for _ in range(3):
        f = 1.0 / (-2.0 * math.log10(eps / 3.7 + 2.51 / (re * math.sqrt(f)))) ** 2
    return f


def pipe(x: Any, eps: float) -> Any:
    return np.sum(x**2) * friction(1e4 * x[0], eps)


def smallest(x: Any, n: int) -> Any:
    best = None
    for i in range(n):
        if best is None or x[i] < best:
            best = x[i] ** 2
    return best


CASES = [
    (recurrence, (0.7, 0.3, 20)),
    (heat, (X, 0.2, 5)),
    (pipe, (X, 1e-4)),
    (smallest, (X, 6)),
]


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_the_same_numbers_come_out(f: Any, args: tuple[Any, ...]) -> None:
    plain, fast = (value_and_grad(f, wrt=..., compile=c) for c in ("python", "numba"))
    (y, bars), (wanted, wanted_bars) = fast(*args), plain(*args)
    assert y == pytest.approx(wanted, rel=1e-13)
    for bar, other in zip(bars, wanted_bars, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-12)


@pytest.mark.slow
def test_tangents_adjoints_and_seconds_are_compiled() -> None:
    seeds = (1.0, 0.5)
    assert tangent(recurrence, compile="numba")(0.7, 0.3, 9, *seeds) == pytest.approx(
        tangent(recurrence)(0.7, 0.3, 9, *seeds)
    )
    assert adjoint(recurrence, compile="numba")(0.7, 0.3, 9, 2.0) == pytest.approx(
        adjoint(recurrence)(0.7, 0.3, 9, 2.0)
    )
    second = tangent(grad(recurrence), wrt="x", compile="numba")
    assert second(0.7, 0.3, 9, 1.0) == pytest.approx(
        tangent(grad(recurrence), wrt="x")(0.7, 0.3, 9, 1.0)
    )


@pytest.mark.slow
def test_what_runs_is_compiled_code() -> None:
    """A function of nopython mode cannot see that it is called by CPython."""
    fast = grad(recurrence, compile="numba")
    fast(0.7, 0.3, 3)
    assert compiled_of(fast).nopython_signatures


def compiled_of(fast: Any) -> Any:
    run = fast.generated.last.run.__wrapped__
    return run.__globals__[run.__name__]


@pytest.mark.slow
def test_compiled_code_is_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(tmp_path))
    hits = []
    for _ in range(2):
        with own_programs():
            fast = grad(recurrence, compile="numba")
            assert fast(0.7, 0.3, 5) == pytest.approx(grad(recurrence)(0.7, 0.3, 5))
        hits.append(sum(compiled_of(fast).stats.cache_hits.values()))
    assert hits == [0, 1]


@pytest.mark.slow
def test_a_constant_from_outside_is_part_of_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(tmp_path))
    for factor in (2.0, 3.0):
        space: dict[str, Any] = {"FACTORS": np.array([factor, 1.0])}
        path = tmp_path / f"model_{factor}.py"
        path.write_text("def scaled(x):\n    return FACTORS[0] * x * x\n", "utf-8")
        exec(compile(path.read_text("utf-8"), str(path), "exec"), space)
        assert grad(space["scaled"], compile="numba")(1.5) == pytest.approx(2.0 * factor * 1.5)
    assert len(list((tmp_path / "compiled").iterdir())) == 2


def test_what_is_no_plain_data_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(tmp_path))
    assert file_of("f", "text", {"K": (1, 2.0)}) is not None
    assert file_of("f", "text", {"K": object()}) is None
    assert file_of("f", "text", {"K": 1}) != file_of("f", "text", {"K": True})
    monkeypatch.setenv("ADJOINTGEN_CACHE", "off")
    assert file_of("f", "text", {}) is None


def transformed(x: Any) -> Any:
    return np.sum(np.fft.fft(x).real ** 2)


def test_what_numba_lacks_is_refused_with_what_numba_says() -> None:
    with pytest.raises(Unsupported, match="Numba does not compile transformed_grad") as caught:
        grad(transformed, compile="numba")(X)
    assert caught.value.code == "AG140"
    assert any("fft" in note for note in caught.value.__notes__)


def halved(x: Any) -> Any:
    return x * np.sqrt(np.arange(len(x)).astype(np.uint8))


def raising(x: Any) -> Any:
    if x[0] < 10.0:
        raise NotImplementedError("for small numbers")
    return x


@pytest.mark.slow
def test_what_numba_says_in_other_words_is_refused_too() -> None:
    with pytest.raises(Unsupported, match="Numba does not compile halved_tangent") as caught:
        tangent(halved, compile="numba")(X, X)
    assert caught.value.code == "AG140"
    with pytest.raises(NotImplementedError, match="for small numbers"):
        tangent(raising, compile="numba")(X, X)


def test_without_numba_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "numba", None)
    with pytest.raises(Unsupported, match="not installed") as caught:
        grad(recurrence, compile="numba")(0.7, 0.3, 3)
    assert "adjointgen[numba]" in str(caught.value)


def test_there_are_two_targets() -> None:
    with pytest.raises(ValueError, match="python, numba"):
        grad(recurrence, compile="c")  # type: ignore[arg-type]


def test_a_pickle_keeps_the_target() -> None:
    again = pickle.loads(pickle.dumps(grad(recurrence, compile="numba")))
    assert again.generated.target == "numba"


MODEL = """
def growth(x: float, rate: float, n: int) -> float:
    for _ in range(n):
        x = x + rate * x * (1.0 - x)
    return x
"""


@pytest.mark.slow
def test_a_written_module_carries_the_decorators(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, "utf-8")
    made = generate(f"{tmp_path / 'model.py'}::growth", wrt="x,rate", compile="numba")
    decorated = made.source.count('@njit(cache=True, error_model="numpy")\ndef ')
    assert decorated == len(made.functions) == 2
    path = tmp_path / "model_ad.py"
    made.write(path)
    assert "--compile numba" in path.read_text("utf-8")
    space = runpy.run_path(str(path))
    assert space["growth_adjoint"].signatures == []
    y, x_bar, rate_bar = space["growth_adjoint"](0.1, 0.5, 4, 1.0)
    plain = generate(f"{tmp_path / 'model.py'}::growth", wrt="x,rate")
    expected: dict[str, Any] = {}
    exec(plain.source, expected)
    assert (y, x_bar, rate_bar) == pytest.approx(expected["growth_adjoint"](0.1, 0.5, 4, 1.0))
    assert space["growth_adjoint"].nopython_signatures


HEAD = "import math\n\nimport numpy as np\n\n\ndef f(x: float):\n    return "


@pytest.mark.parametrize("call", ["math.fmod(x, 0.7)", "np.heaviside(x, 0.5)"])
def test_a_function_that_numba_does_not_have_is_refused(call: str, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(f"{HEAD}x * {call}\n")
    with pytest.raises(Unsupported, match=f"Numba has no {call.partition('(')[0]}") as error:
        generate(f"{file}::f", compile="numba")
    assert error.value.code == "AG140"
    assert generate(f"{file}::f")


def test_functions_that_numba_has_are_compiled(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(f"{HEAD}np.fmod(x, 0.7) * np.cbrt(x) * np.arctan2(x, 2.0)\n")
    assert "@njit" in str(generate(f"{file}::f", compile="numba"))
