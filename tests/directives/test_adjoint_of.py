"""`adjoint_of(y) as y_bar: statement`: the user's statement in the reverse sweep."""

import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from adjointgen import AdjointgenError, check, generate, grad, hvp, jvp, value_and_grad, vjp
from tests.faults.planted import module_at

X = np.array([0.3, 0.5, 0.9])


def clipped(x, c):
    y = np.sin(x)
    # adjointgen: adjoint_of(y) as y_bar: y_bar = np.clip(y_bar, -c, c)
    z = y * y * x
    return np.sum(z)


def test_the_adjoint_is_clipped_where_it_is_complete() -> None:
    y = np.sin(X)
    expected = y * y + np.clip(2.0 * y * X, -0.5, 0.5) * np.cos(X)
    np.testing.assert_allclose(grad(clipped)(X, 0.5), expected, rtol=1e-15)
    loose = grad(clipped)(X, 100.0)
    np.testing.assert_allclose(loose, y * y + 2.0 * y * X * np.cos(X), rtol=1e-15)


def test_values_and_tangents_are_as_without() -> None:
    value, _ = value_and_grad(clipped)(X, 0.5)
    assert value == clipped(X, 0.5)
    y, y_dot = jvp(clipped, (X, 0.5), (np.ones(3), None))
    assert y == clipped(X, 0.5)
    step = 1e-20
    assert y_dot == pytest.approx(clipped(X + 1j * step, 0.5).imag / step, rel=1e-13)


def seen(x, n):
    u = x * 1.0
    for i in range(n):  # noqa: B007
        # adjointgen: adjoint_of(u) as u_bar: print(i, u_bar.sum())
        u = u * np.sin(u)
    return np.sum(u)


def test_a_loop_prints_in_the_order_of_the_reverse_sweep() -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        gradient = grad(seen)(X, 3)
    rows = [line.split() for line in out.getvalue().splitlines()]
    assert [row[0] for row in rows] == ["2", "1", "0"]

    def after(k):
        def rest(u):
            for _ in range(k):
                u = u * np.sin(u)
            return np.sum(u)

        return rest

    states = [X]
    for _ in range(2):
        states.append(states[-1] * np.sin(states[-1]))
    for row, state, k in zip(rows, reversed(states), (1, 2, 3), strict=True):
        assert float(row[1]) == pytest.approx(np.sum(grad(after(k))(state)), rel=1e-13)
    assert float(rows[-1][1]) == pytest.approx(np.sum(gradient), rel=1e-13)


def carried(x, k):
    total = 0.0
    for i in range(len(x)):
        # adjointgen: adjoint_of(k) as k_bar: print(k_bar)
        total += k * x[i]
    return total


def test_what_a_loop_reads_has_the_adjoint_of_all_later_iterations() -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        grad(carried, wrt="k")(X, 0.7)
    found = [float(line) for line in out.getvalue().split()]
    np.testing.assert_allclose(found, np.cumsum(X[::-1]), rtol=1e-15)


def scaled(x, k):
    u = x * 1.0
    for i in range(len(u)):
        # adjointgen: adjoint_of(u) as u_bar: u_bar[i] *= 2.0
        u[i] = np.sin(u[i]) * k
    s = k * k
    # adjointgen: adjoint_of(s) as s_bar: s_bar *= 1.0 + 2.0
    t = s * s
    return np.sum(u) * t


def test_entries_and_numbers_are_scaled() -> None:
    k = 0.7
    x_bar, k_bar = grad(scaled, wrt="x,k")(X, k)
    np.testing.assert_allclose(x_bar, 2.0 * np.cos(X) * k * k**4, rtol=1e-14)
    expected = np.sum(np.sin(X)) * k**4 + 3.0 * np.sum(np.sin(X) * k) * 4.0 * k**3
    assert k_bar == pytest.approx(expected, rel=1e-14)


def chosen(x, big):
    if big:  # noqa: SIM108
        c = 0.25
    else:
        c = 0.5  # noqa: F841
    y = x * x
    # adjointgen: adjoint_of(y) as y_bar: y_bar = np.minimum(y_bar, c)
    return np.sum(y)


def test_the_statement_may_read_what_nothing_else_reads() -> None:
    for big in (True, False):
        expected = 2.0 * X * (0.25 if big else 0.5)
        np.testing.assert_allclose(grad(chosen)(X, big), expected, rtol=1e-15)


@pytest.mark.parametrize("f, args", [(clipped, (X, 0.5)), (scaled, (X, 0.7))])
def test_compiled_programs_and_pullbacks_have_it(f, args) -> None:
    pytest.importorskip("numba")
    expected = grad(f)(*args)
    np.testing.assert_allclose(grad(f, compile="numba")(*args), expected, rtol=1e-14)
    _, pullback = vjp(f, *args)
    np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-14)


TEXT = """
import numpy as np

SEEN = []


def noted(name, bar):
    SEEN.append((name, float(np.sum(bar))))


def model(x: "float64[:]", k: float) -> float:
    y = helper(x) * k
    # adjointgen: adjoint_of(y) as y_bar: noted("y", y_bar)
    return np.sum(y * y)


def helper(x):
    h = np.exp(x)
    # adjointgen: adjoint_of(h) as h_bar: h_bar *= 0.5
    return h + x
"""


def test_a_written_module_calls_the_users_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    source = module_at(tmp_path / "hooked.py", TEXT)
    made = generate("hooked.py::model", modes="adjoint,tangent")
    written = module_at(tmp_path / "hooked_ad.py", made.text_for("hooked_ad.py"))
    y, x_bar, _ = written.model_adjoint(X, 2.0)
    inside = 2.0 * (np.exp(X) + X)
    y_bar = 2.0 * inside
    assert y == pytest.approx(np.sum(inside * inside), rel=1e-14)
    assert [("y", pytest.approx(np.sum(y_bar), rel=1e-14))] == source.SEEN
    np.testing.assert_allclose(x_bar, y_bar * 2.0 * (0.5 * np.exp(X) + 1.0), rtol=1e-14)
    source.SEEN.clear()
    np.testing.assert_allclose(grad(source.model)(X, 2.0), x_bar, rtol=1e-15)
    assert [name for name, _ in source.SEEN] == ["y"]
    live = generate(source.model, modes="adjoint", example=(X, 2.0)).body
    assert "from hooked import noted" in live and "from hooked import noted" in made.body
    assert "adjoint_of" not in made.body.replace("# adjointgen: adjoint_of", "")


def test_a_changed_adjoint_is_no_derivative_and_a_print_is_one() -> None:
    assert not check(clipped, (X, 0.5)).ok
    with redirect_stdout(io.StringIO()):
        assert check(seen, (X, 3)).ok


def test_an_adjoint_with_code_is_not_differentiated_again() -> None:
    with pytest.raises(AdjointgenError):
        hvp(clipped, (X, 0.5), (np.ones(3), None))


MISUSES = (
    ("adjoint_of(y) as y_bar", "is no directive"),
    ("adjoint_of(y): print(y)", "is no directive"),
    ("adjoint_of(y) as y_bar: print(", "is no statement"),
    ("adjoint_of(z) as z_bar: print(z_bar)", "there is no variable z here"),
    ("adjoint_of(y) as x: print(x)", "x is a variable of the function"),
    ("adjoint_of(y) as y_bar: y = y_bar", "the statement assigns y"),
    ("adjoint_of(y) as y_bar: return y_bar", "only a call or an assignment"),
    ("adjoint_of(n) as n_bar: print(n_bar)", "n is no number or array"),
)


@pytest.mark.parametrize("directive, message", MISUSES)
def test_misuse_is_refused(directive: str, message: str, tmp_path: Path) -> None:
    text = f"def f(x, n):\n    y = x * n\n    # adjointgen: {directive}\n    return y * y\n"
    (tmp_path / "misused.py").write_text(text, "utf-8")
    with pytest.raises(AdjointgenError) as caught:
        generate(f"{tmp_path}/misused.py::f", types={"x": "float", "n": "int"})
    assert caught.value.code == "AG012" and message in caught.value.message
