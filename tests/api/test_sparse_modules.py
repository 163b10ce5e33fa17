"""Modules with sparse Jacobians and Hessians: against the complex step of the function itself.

A pattern is that of an example; arguments at which the function takes another path are an error,
whatever the size of the entries that are missing.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from adjointgen import check, generate
from adjointgen.cli import main
from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.write.module_constants import constant, pieces
from adjointgen.errors import AdjointgenError
from adjointgen.ir.nodes import Table

H = 1e-30


def module_of(source: str) -> ModuleType:
    made = ModuleType("made")
    exec(compile(source, "made.py", "exec"), vars(made))
    return made


def sparse_module(
    f: Any, example: Any, wrt: str = "u", mode: str = "jacobian-sparse"
) -> ModuleType:
    return module_of(generate(f, wrt=wrt, modes=mode, example=example).source)


def rate(u, alpha):
    """Diffusion with a reaction; the ends are held. Writes in place."""
    found = u - u**3
    found[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return found


def stepped(u, alpha):
    """A loop that reads what it wrote two rounds before."""
    found = np.zeros_like(u)
    for i in range(len(u)):
        found[i] = u[i] ** 2 * alpha
        if i > 1:
            found[i] += np.sin(u[i - 2])
    return found


def summed(u, alpha):
    """One dense row: rows are followed."""
    return np.concatenate((np.array([np.sum(u**2)]), alpha * u**3))


def plane(u, alpha):
    """A five-point stencil on a plane, with neighbours across the border."""
    around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
    return alpha * (around - 4.0 * u) + np.exp(u)


def number(u, alpha):
    return np.sum(u[::7] ** 3) * alpha


def nothing(u, alpha):
    return np.sign(u[:5]) + alpha * 0.0 * u[:5]


def chained(u, alpha):
    return np.sum(alpha * (u[1:] - u[:-1] ** 2) ** 2 + (1.0 - u[:-1]) ** 2)


def arrow(u, alpha):
    return np.sum(u[0] * u[1:] ** 3) * alpha + np.sum(np.exp(u))


def separate(u, alpha):
    total = 0.0
    for i in range(0, len(u) - 1, 2):
        total += np.sin(u[i] * u[i + 1]) * alpha
    return total


LINE, PLANE = np.linspace(-0.7, 1.1, 30), np.linspace(0.1, 0.9, 30).reshape(5, 6)
JACOBIANS = [(rate, LINE), (stepped, LINE), (summed, LINE), (plane, PLANE), (number, LINE)]
HESSIANS = [(chained, LINE), (arrow, LINE), (separate, LINE)]


def slopes(f: Callable[..., Any], u: Any, alpha: Any) -> Any:
    """The Jacobian by u, entry by entry, with a row for each number of the result."""
    columns = []
    for k in range(u.size):
        moved = u.astype(complex)
        moved.flat[k] += 1j * H
        columns.append(np.ravel(np.imag(f(moved, alpha)) / H))
    return np.stack(columns, axis=-1)


def curvature(f: Callable[..., Any], u: Any, alpha: Any) -> Any:
    step = 1e-5
    columns = []
    for k in range(u.size):
        unit = np.zeros(u.shape)
        unit.flat[k] = step
        both = [slopes(f, u + sign * unit, alpha)[0] for sign in (1.0, -1.0)]
        columns.append((both[0] - both[1]) / (2.0 * step))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("f, u", JACOBIANS, ids=lambda one: getattr(one, "__name__", ""))
def test_jacobians(f: Any, u: Any) -> None:
    made = sparse_module(f, (u, 0.4))
    sparse = getattr(made, f"{f.__name__}_jacobian_sparse")
    rng = np.random.default_rng(0)
    for point in (u, rng.normal(size=u.shape), np.ones(u.shape), np.zeros(u.shape)):
        found, expected = sparse(point, 0.3), slopes(f, point, 0.3)
        assert isinstance(found, csr_array) and found.shape == expected.shape
        np.testing.assert_allclose(found.toarray(), expected, 1e-12, 1e-13)


@pytest.mark.parametrize("f, u", HESSIANS, ids=lambda one: getattr(one, "__name__", ""))
def test_hessians(f: Any, u: Any) -> None:
    made = sparse_module(f, (u, 0.4), mode="hessian-sparse")
    sparse = getattr(made, f"{f.__name__}_hessian_sparse")
    rng = np.random.default_rng(0)
    for point in (u, rng.normal(size=u.shape), np.ones(u.shape), np.zeros(u.shape)):
        found, expected = sparse(point, 0.3), curvature(f, point, 0.3)
        assert issparse(found)
        np.testing.assert_allclose(found.toarray(), expected, 1e-6, 1e-7)


def test_few_sweeps() -> None:
    """The groups are those of the decorator: 3 of a band, 2 rows, 2 of a symmetric arrow."""
    for f, u, mode, count in [
        (rate, LINE, "jacobian", 3),
        (summed, LINE, "jacobian", 2),
        (arrow, LINE, "hessian", 2),
    ]:
        source = generate(f, wrt="u", modes=f"{mode}-sparse", example=(u, 0.4)).source
        pattern = getattr(module_of(source), f"_{f.__name__}_{mode}_pattern")
        assert (pattern.count, pattern.by_rows) == (count, f is summed)


def test_several_arguments_stand_side_by_side() -> None:
    for wrt in ("u, alpha", "alpha, u"):
        made = sparse_module(rate, (LINE, 0.4), wrt=wrt)
        got = made.rate_jacobian_sparse(LINE, 0.2).toarray()
        by_u = slopes(rate, LINE, 0.2)
        by_alpha = np.imag(rate(LINE.astype(complex), 0.2 + 1j * H)).reshape(-1, 1) / H
        both = [by_u, by_alpha] if wrt[0] == "u" else [by_alpha, by_u]
        np.testing.assert_allclose(got, np.concatenate(both, axis=1), 1e-12, 1e-13)


@dataclass
class Field:
    inner: np.ndarray
    rim: float


def coupled(state, k):
    field = state["field"]
    return {"a": field.inner**2 * field.rim, "b": (k * state["other"], field.rim**3)}


def coupling(state, k):
    field = state["field"]
    return np.sum(field.inner**2) * field.rim**2 + np.sum(np.sin(k * state["other"] ** 2))


def flat(f: Any) -> Any:
    """Of one vector: 4 entries, the rim, and two by three more."""

    def of(v: Any, k: Any) -> Any:
        state = {"field": Field(v[:4], v[4]), "other": v[5:].reshape(2, 3)}
        found = f(state, k)
        if not isinstance(found, dict):
            return found
        return np.concatenate([found["a"], np.ravel(found["b"][0]), [found["b"][1]]])

    return of


def test_structures_are_taken_apart() -> None:
    point = np.linspace(0.3, 1.7, 11)
    state = {"field": Field(point[:4], float(point[4])), "other": point[5:].reshape(2, 3)}
    made = sparse_module(coupled, (state, 2.0), wrt="state")
    got = made.coupled_jacobian_sparse(state, 3.0).toarray()
    np.testing.assert_allclose(got, slopes(flat(coupled), point, 3.0), 1e-12, 1e-13)
    made = sparse_module(coupling, (state, 2.0), wrt="state", mode="hessian-sparse")
    got = made.coupling_hessian_sparse(state, 3.0).toarray()
    np.testing.assert_allclose(got, curvature(flat(coupling), point, 3.0), 1e-6, 1e-6)
    other = {**state, "other": point[5:].reshape(3, 2)}
    with pytest.raises(ValueError, match=r"for state\[\'other\'\] of shape \(2, 3\)"):
        made.coupling_hessian_sparse(other, 3.0)


def test_single_precision() -> None:
    u = LINE.astype(np.float32)
    made = sparse_module(rate, (u, 0.4))
    got = made.rate_jacobian_sparse(u, 0.4)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got.toarray(), slopes(rate, LINE, 0.4), 1e-4, 1e-6)


def forked(u, alpha):
    """Another path has an entry more in the last row, of the size of `alpha`."""
    found = u**2
    if u[0] > 0.0:
        found[-1] += alpha * np.sin(u[3])
    return found


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e-11, 1e200])
def test_an_entry_outside_of_the_pattern_is_an_error(size: float) -> None:
    made = sparse_module(forked, (LINE, 1.0))
    assert LINE[0] < 0.0
    made.forked_jacobian_sparse(LINE, size)
    with pytest.raises(RuntimeError, match="row 29 of the matrix has an entry"):
        made.forked_jacobian_sparse(-LINE, size)


@pytest.mark.parametrize(
    "f, mode", [(rate, "jacobian"), (summed, "jacobian"), (chained, "hessian")]
)
def test_every_missing_entry_is_found(f: Any, mode: str) -> None:
    """Each entry in turn is left out of the pattern, and read as something else."""
    source = generate(f, wrt="u", modes=f"{mode}-sparse", example=(LINE[:8], 0.4)).source
    made = module_of(source)
    run = getattr(made, f"{f.__name__}_{mode}_sparse")
    name = f"_{f.__name__}_{mode}_pattern"
    (head,) = re.findall(rf"^{name} = (.*?)\n\)\n", source, re.M | re.S)
    told = eval(f"dict{head.removeprefix('_Compressed')})", {"np": np})
    rows = np.repeat(np.arange(told["shape"][0]), told["lengths"])
    point = np.linspace(0.4, 1.3, 8)
    run(point, 0.3)
    for k in range(len(told["columns"])):
        lengths = np.array(told["lengths"])
        lengths[rows[k]] -= 1
        less = {"lengths": lengths, "columns": np.delete(told["columns"], k)}
        if "mirrored" in told:
            less["mirrored"] = np.delete(told["mirrored"], k)
        setattr(made, name, made._Compressed(**{**told, **less}))
        with pytest.raises(RuntimeError):
            run(point, 0.3)


def test_numbers_that_are_none_are_seen() -> None:
    def root(u):
        return np.sqrt(u) * 2.0

    made = module_of(generate(root, modes="jacobian-sparse", example=(np.ones(5),)).source)
    with np.errstate(divide="ignore", invalid="ignore"):
        got = made.root_jacobian_sparse(np.array([1.0, 4.0, 0.0, -1.0, np.nan])).diagonal()
    np.testing.assert_array_equal(got, [1.0, 0.5, np.inf, np.nan, np.nan])


def test_a_matrix_shares_nothing_with_the_next() -> None:
    made = sparse_module(rate, (LINE, 0.4))
    first = made.rate_jacobian_sparse(LINE, 0.0)
    first.eliminate_zeros()
    first.indices[:] = 0
    got = made.rate_jacobian_sparse(LINE, 0.4).toarray()
    np.testing.assert_allclose(got, slopes(rate, LINE, 0.4), 1e-12, 1e-13)


def test_shapes_are_those_of_the_example() -> None:
    made = sparse_module(rate, (LINE, 0.4))
    with pytest.raises(ValueError, match=r"for u of shape \(30,\)"):
        made.rate_jacobian_sparse(LINE[:-1], 0.4)


@pytest.mark.parametrize(
    "f, mode, given, code",
    [
        (rate, "jacobian-sparse", {"types": {"u": "float64[:]"}}, "AG417"),
        (chained, "hessian-sparse", {"types": {"u": "float64[:]"}}, "AG417"),
        (rate, "hessian-sparse", {"example": (LINE, 0.4)}, "AG404"),
        (rate, "jacobian-sparse", {"example": (LINE.astype(complex), 0.4)}, "AG404"),
    ],
)
def test_refusals(f: Any, mode: str, given: Any, code: str) -> None:
    with pytest.raises(AdjointgenError) as caught:
        generate(f, wrt="u", modes=mode, **given)
    assert caught.value.code == code


def test_it_is_not_compiled() -> None:
    with pytest.raises(ValueError, match="mode jacobian-sparse is not compiled"):
        generate(rate, modes="jacobian-sparse", example=(LINE, 0.4), compile="numba")


@pytest.mark.parametrize("f, mode", [(stepped, "jacobian"), (separate, "hessian")])
@pytest.mark.parametrize("at", ["right", "wrong"])
def test_verification_finds_a_fault(f: Any, mode: str, at: str) -> None:
    source = generate(f, wrt="u", modes=f"{mode}-sparse", example=(LINE, 0.4)).source
    if at == "wrong":
        assert "np.cos" in source
        source = source.replace("np.cos", "np.sin", 1)
    assert check(f, (LINE, 0.4), module=module_of(source), wrt="u").ok is (at == "right")


TEXT = """
import numpy as np

def rate(u, k):
    found = -k * u
    found[1:] += k * u[:-1]
    return found

example = (np.ones(40), 2.0)
"""


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """A file is written, is what would be written again, and is verified."""

    def run(*given: str) -> object:
        with pytest.raises(SystemExit) as ended:
            main(given)
        return ended.value.code

    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(TEXT)
    words = ["generate", "model.py::rate", "--wrt", "u", "--mode", "jacobian-sparse"]
    for given in (["--example", "model.py::example"], ["--at", "u=float64[40]", "--at", "k=2.0"]):
        Path("model_ad.py").unlink(missing_ok=True)
        assert run(*words, *given, "-o", "model_ad.py") == 0
        assert run("check", "model_ad.py") == 0
        assert run("verify", "model_ad.py") == 0
    assert run(*words) == 3
    assert "AG417" in capsys.readouterr().err


def test_grids_are_told_by_their_lines() -> None:
    """The text of a pattern does not grow with the number of lines."""

    def around(u):
        found = -4.0 * u
        found[1:-1, 1:-1] += u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        return found

    texts = []
    for n in (20, 60):
        u = np.linspace(0.0, 1.0, n * 7).reshape(n, 7)
        source = generate(around, modes="jacobian-sparse", example=(u,)).source
        got = module_of(source).around_jacobian_sparse(u).toarray()
        np.testing.assert_allclose(got, slopes(lambda u, _: around(u), u, 0.0), 1e-12, 1e-13)
        (columns,) = re.findall(r"columns=(.*?)\n    groups=", source, re.S)
        texts.append(columns)
    assert "np.add.outer" in texts[0]
    assert len(texts[1]) < len(texts[0]) + 20


def test_constants_are_what_they_are_made_of() -> None:
    """Sequences of all sorts of order are read back from their text."""
    rng, modules = np.random.default_rng(0), Modules()
    for _ in range(200):
        parts = []
        for _ in range(rng.integers(0, 5)):
            period, count = rng.integers(1, 9), rng.integers(1, 60)
            starts, steps = rng.integers(0, 99, period), rng.integers(-2, 3, period)
            parts.append(np.outer(np.arange(count), steps) + starts)
        if parts and rng.integers(2):
            line, step = np.concatenate([np.ravel(p) for p in parts]), rng.integers(0, 3)
            parts.append(np.add.outer(step * np.arange(rng.integers(2, 9)), line))
        numbers = tuple(int(n) for part in parts for n in np.ravel(part))
        text = constant(Table("made", "dict", (("x", numbers),)), modules).replace("_dict", "dict")
        names: dict[str, Any] = {"np": np}
        exec(text, names)
        assert tuple(names["made"]["x"].tolist()) == numbers
        assert names["made"]["x"].dtype.kind == "i"
    assert len([*pieces(tuple(range(1000)))]) == 1
