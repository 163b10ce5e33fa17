"""Patterns hold what differences find, and sparse derivatives are the dense ones."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from adjointgen import hessian, jacobian, sparsity
from adjointgen.api.calls.sparse_derivatives import Sparse
from adjointgen.errors import CheckFailed, TypeMismatch, Unsupported
from tests.sparse.problems import ENERGIES, GROUPS, PROBLEMS

RNG = np.random.default_rng(5)


def numbers(value: Any) -> Any:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return np.concatenate([np.zeros(0), *map(numbers, value)])
    return np.ravel(value)


def by_differences(f: Any, args: tuple[Any, ...], wrt: tuple[int, ...]) -> Any:
    """The dense matrix by central differences."""
    columns = []
    for k in wrt:
        for place in range(np.size(args[k])):
            ends = []
            for h in (1e-4, -1e-4):
                moved = np.array(args[k], float)
                moved.reshape(-1)[place] += h
                ends.append(numbers(f(*args[:k], moved, *args[k + 1 :])))
            columns.append((ends[0] - ends[1]) / 2e-4)
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("name", PROBLEMS)
def test_patterns_are_those_of_differences(name: str) -> None:
    f, args = PROBLEMS[name]
    wrt = tuple(range(len(args)))
    found = sparsity(f, *args, wrt=wrt).toarray()
    seen = np.zeros(found.shape, bool)
    for _ in range(4):
        moved = tuple(a + RNG.normal(size=a.shape) for a in args)
        seen |= np.abs(by_differences(f, moved, wrt)) > 1e-6
    if name == "few_rows":
        # The greatest number is another one elsewhere.
        assert np.all(found | ~seen)
    else:
        np.testing.assert_array_equal(found, seen)


@pytest.mark.parametrize("name", PROBLEMS)
def test_jacobians(name: str) -> None:
    f, args = PROBLEMS[name]
    wrt = tuple(range(len(args)))
    made = Sparse(f, wrt)
    found = made(*args)
    assert isinstance(found, csr_array)
    np.testing.assert_allclose(found.toarray(), by_differences(f, args, wrt), rtol=1e-5, atol=1e-5)
    dense = jacobian(f, wrt)(*args)
    rows = [block.reshape(found.shape[0], -1) for block in dense]
    np.testing.assert_allclose(found.toarray(), np.hstack(rows), rtol=1e-13, atol=1e-14)
    (plan,) = made.plans.values()
    assert plan.groups.count <= GROUPS.get(name, 8)
    assert plan.by_rows == (name == "few_rows")


@pytest.mark.parametrize("name", ENERGIES)
def test_hessians(name: str) -> None:
    f, x, most = ENERGIES[name]
    made = hessian(f, sparse=True)
    found = made(x).toarray()
    dense = hessian(f)(x).reshape(x.size, x.size)
    np.testing.assert_allclose(found, dense, rtol=1e-12, atol=1e-13)
    assert isinstance(made, Sparse)
    (plan,) = made.plans.values()
    assert plan.groups.count <= most
    np.testing.assert_array_equal(found, found.T)


def test_sweeps_grow_with_groups_and_not_with_size() -> None:
    n = 4_000
    f, _ = PROBLEMS["brusselator"]
    made = Sparse(f, 0)
    u = RNG.normal(size=n)
    found = made(u)
    (plan,) = made.plans.values()
    assert found.shape == (n, n) and plan.groups.count <= 5
    v = RNG.normal(size=n)
    slope = (f(u + 1e-7 * v) - f(u - 1e-7 * v)) / 2e-7
    np.testing.assert_allclose(found @ v, slope, rtol=1e-5, atol=1e-5 * np.abs(slope).max())


def test_another_branch_has_another_pattern() -> None:
    def branching(x: Any) -> Any:
        y = x * x
        if x[0] > 0.0:
            y[1] = y[1] + x[2]
        return y

    made = Sparse(branching, 0)
    low, high = np.array([-1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    assert made(low).toarray()[1, 2] == 0.0
    assert made(high).toarray()[1, 2] == 1.0
    np.testing.assert_array_equal(made(low).toarray(), np.diag(2.0 * low))
    assert next(iter(made.plans.values())).pattern.toarray()[1, 2]


def test_a_pattern_that_lacks_an_entry_is_an_error() -> None:
    f, (x,) = PROBLEMS["tridiagonal"]
    with pytest.raises(CheckFailed, match="AG505"):
        jacobian(f, sparse=np.eye(len(x)))(x)
    band = np.abs(np.subtract.outer(np.arange(len(x)), np.arange(len(x)))) <= 1
    np.testing.assert_array_equal(
        jacobian(f, sparse=band)(x).toarray(), jacobian(f, sparse=True)(x).toarray()
    )


def test_structures_are_taken_apart_in_order() -> None:
    def f(p: Any, x: Any) -> Any:
        return {"a": p["w"] * x, "b": [p["b"] + x[0], np.sum(p["w"])]}

    args = {"w": np.array([1.0, 2.0]), "b": 0.5}, np.array([3.0, 4.0])
    found = jacobian(f, wrt=(0, 1), sparse=True)(*args)
    wanted = [[3, 0, 0, 1, 0], [0, 4, 0, 0, 2], [0, 0, 1, 1, 0], [1, 1, 0, 0, 0]]
    np.testing.assert_array_equal(found.toarray(), wanted)
    np.testing.assert_array_equal(sparsity(f, *args, wrt=(0, 1)).toarray(), np.not_equal(wanted, 0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes(dtype: Any) -> None:
    x = RNG.normal(size=5).astype(dtype)
    found = jacobian(lambda x: x * x, sparse=True)(x)
    assert found.dtype == dtype
    np.testing.assert_allclose(found.diagonal(), 2.0 * x, rtol=1e-6)


def test_no_entries_at_all() -> None:
    def constant(x: Any) -> Any:
        return np.zeros(3) + 0.0 * np.floor(x[0])

    assert jacobian(constant, sparse=True)(np.ones(2)).nnz == 0
    assert jacobian(lambda x: x * 2.0, sparse=True)(np.ones(0)).shape == (0, 0)


def test_a_number_by_a_number() -> None:
    assert jacobian(lambda x: x * x, sparse=True)(3.0).toarray() == 6.0


def test_a_function_that_does_more_than_compute() -> None:
    def printing(x: Any) -> Any:
        print(x[0])
        return x * x

    with pytest.raises(TypeMismatch, match="AG404"):
        jacobian(printing, sparse=True)(np.ones(2))


def test_nan_and_infinity_are_no_missing_entries() -> None:
    found = jacobian(lambda x: np.sqrt(x), sparse=True)(np.array([0.0, 4.0, -1.0])).toarray()
    assert np.isinf(found[0, 0]) and found[1, 1] == 0.25 and np.isnan(found[2, 2])


@pytest.mark.parametrize("sparse", ["yes", 3, None])
def test_what_is_no_pattern(sparse: Any) -> None:
    with pytest.raises(TypeMismatch, match="AG415"):
        jacobian(lambda x: x, sparse=sparse)


def test_a_small_entry_beside_large_ones_is_not_lost() -> None:
    def stiff(y: Any) -> Any:
        fast = 1e9 * y[0]
        slow = 3.0 * y[1] if y[0] > 1e-3 else 3.0 * y[2]
        return np.array([slow - fast, fast, y[2]])

    made = jacobian(stiff, sparse=True)
    np.testing.assert_array_equal(made(np.ones(3)).toarray()[0], [-1e9, 3.0, 0.0])
    np.testing.assert_array_equal(made(np.array([1e-6, 1.0, 1.0])).toarray()[0], [-1e9, 0.0, 3.0])


def test_a_given_pattern_that_lacks_a_small_entry() -> None:
    def kinetics(y: Any) -> Any:
        slow, fast = 0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return np.array([-slow, slow - fast, fast])

    with pytest.raises(CheckFailed, match="AG505"):
        jacobian(kinetics, sparse=np.array([[1, 1, 1], [0, 1, 1], [0, 1, 0]]))(np.ones(3))


@pytest.mark.parametrize("wrt", [0, 1, (0, 1)])
def test_hessians_by_numbers_and_structures(wrt: Any) -> None:
    def energy(p: Any, k: float) -> Any:
        return np.sum(p["a"] ** 2) * np.sin(p["b"]) * k**2

    args = {"a": np.array([1.0, 2.0]), "b": 0.5}, 2.0
    found = hessian(energy, wrt, sparse=True)(*args).toarray()

    def flat(z: Any) -> Any:
        return np.sum(z[:2] ** 2) * np.sin(z[2]) * z[3] ** 2

    whole = hessian(flat)(np.array([1.0, 2.0, 0.5, 2.0]))
    own = {0: slice(0, 3), 1: slice(3, 4), (0, 1): slice(0, 4)}[wrt]
    np.testing.assert_allclose(found, whole[own, own], rtol=1e-14)


def test_the_size_of_the_result_may_depend_on_values() -> None:
    made = jacobian(lambda u: u[u > 0.0] ** 2, sparse=True)
    np.testing.assert_array_equal(
        made(np.array([1.0, 2.0, -1.0])).toarray(), [[2, 0, 0], [0, 4, 0]]
    )
    np.testing.assert_array_equal(made(np.array([-1.0, 2.0, -1.0])).toarray(), [[0, 4, 0]])


def test_single_precision_among_double() -> None:
    found = jacobian(lambda a: a.astype(np.float64) * 2.0, sparse=True)(np.ones(3, np.float32))
    np.testing.assert_array_equal(found.toarray(), 2.0 * np.eye(3))


@pytest.mark.parametrize(
    "way", [lambda u, a: a @ u, lambda u, a: np.dot(a, u), lambda u, a: u @ a.T]
)
def test_constant_matrices_keep_their_zeros(way: Any) -> None:
    band = np.diag(np.ones(5), 1) - np.eye(6)
    np.testing.assert_array_equal(sparsity(way, np.ones(6), band).toarray(), band != 0.0)


def test_checks_of_shapes_and_reads_of_options_are_no_effects() -> None:
    options = {"rate": 2.0}

    def checked(u: Any) -> Any:
        assert u.shape[0] == 6
        return np.stack([u[:3], u[3:]], axis=1).reshape(2, 3) * options["rate"]

    assert jacobian(checked, sparse=True)(np.ones(6)).nnz == 6


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), (2, 0)])
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "std", "max"])
def test_reductions_of_several_axes(name: str, axis: Any) -> None:
    x = RNG.normal(size=(2, 3, 2))

    def f(x: Any) -> Any:
        kept = getattr(np, name)(x, axis=axis, keepdims=True)
        return x * kept + getattr(np, name)(x, axis=axis, keepdims=True)[:1]

    assert sparsity(f, x).nnz < x.size**2 or axis is None
    wanted = by_differences(f, (x,), (0,))
    np.testing.assert_allclose(jacobian(f, sparse=True)(x).toarray(), wanted, atol=1e-6)


def test_a_hessian_while_first_calls_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJOINTGEN_CHECK", "first")
    x = np.array([0.3, -1.2, 2.0])
    found = hessian(lambda x: np.sum(x[1:] ** 2 * x[:-1]), sparse=True)(x)
    wanted = [[0.0, -2.4, 0.0], [-2.4, 0.6, 4.0], [0.0, 4.0, -2.4]]
    np.testing.assert_allclose(found.toarray(), wanted)


def test_a_test_of_lengths_is_no_effect() -> None:
    def f(x: Any) -> Any:
        return np.concatenate(np.split(x * x, 2))

    x = np.arange(4.0)
    assert np.array_equal(jacobian(f, sparse=True)(x).toarray(), jacobian(f)(x))


def windows(x: Any) -> Any:
    return np.lib.stride_tricks.sliding_window_view(x * x, 2).sum(axis=1)


def test_code_that_a_trace_does_not_see_is_refused() -> None:
    with pytest.raises(Unsupported, match="AG160"):
        jacobian(windows, sparse=True)(np.arange(4.0))
    with pytest.raises(ValueError, match="window shape"):
        jacobian(windows, sparse=True)(np.arange(1.0))
