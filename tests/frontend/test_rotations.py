"""Rotations of SciPy: values are SciPy's, slopes those of differences of SciPy's values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.spatial.transform
from scipy.spatial.transform import Rotation

from adjointgen import AdjointgenError, jacfwd, jacrev
from adjointgen.frontend.source import scipy_rotations as ours

A = np.array([0.7, -1.3, 0.4])
Q = np.array([0.3, -0.2, 0.5, -0.7])
M = Rotation.from_rotvec([0.3, 2.4, -0.2]).as_matrix()
STACK = np.arange(12.0).reshape(4, 3)


def composed(x: Any) -> Any:
    one = Rotation.from_euler("ZYX", x)
    other = scipy.spatial.transform.Rotation.from_rotvec(0.5 * x)
    return (one * other.inv()).apply(STACK) + one.inv().apply(x, inverse=True)


PROGRAMS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "matrix_of_euler": (lambda x: Rotation.from_euler("ZYX", x).as_matrix(), A),
    "extrinsic": (lambda x: Rotation.from_euler("xyz", x, degrees=True).as_matrix(), 40.0 * A),
    "one_axis": (lambda x: Rotation.from_euler("y", x[0]).as_quat(), A),
    "two_axes": (lambda x: Rotation.from_euler("zx", [x[1], x[0] * x[2]]).as_quat(), A),
    "rotvec": (lambda x: Rotation.from_rotvec(x).as_matrix(), A),
    "no_rotation": (lambda x: Rotation.from_rotvec(x).as_rotvec(), np.zeros(3)),
    "small": (lambda x: Rotation.from_rotvec(x).as_matrix(), 1e-5 * A),
    "large": (lambda x: Rotation.from_rotvec(x).as_rotvec(), 3.5 * A),
    "quat": (lambda x: Rotation.from_quat(x).as_quat(canonical=True), Q),
    "scalar_first": (
        lambda x: Rotation.from_quat(x, scalar_first=True).as_quat(scalar_first=True),
        Q,
    ),
    "rotvec_of_quat": (lambda x: Rotation.from_quat(x).as_rotvec(degrees=True), Q),
    "euler_of_quat": (lambda x: Rotation.from_quat(x).as_euler("zxy", degrees=True), Q),
    "symmetric_euler": (lambda x: Rotation.from_quat(x).as_euler("ZXZ"), Q),
    "quat_of_matrix": (lambda x: Rotation.from_matrix(x).as_quat(), M),
    "rotvec_of_no_rotation": (
        lambda x: Rotation.from_matrix(M @ x).as_quat(),
        np.linalg.inv(M) + 0.02 * STACK[:3],
    ),
    "magnitude": (lambda x: Rotation.from_rotvec(x).magnitude(), A),
    "composed": (composed, A),
}


def slopes(f: Callable[[Any], Any], x: Any) -> Any:
    """Differences of fourth order."""
    columns = []
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = 1e-3
        step = step.reshape(x.shape)
        near, far = f(x + step) - f(x - step), f(x + 2.0 * step) - f(x - 2.0 * step)
        columns.append((8.0 * near - far) / 12e-3)
    return np.stack(columns, axis=-1).reshape(*np.shape(f(x)), *x.shape)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("jacobian", [jacfwd, jacrev], ids=["forward", "reverse"])
def test_slopes_are_those_of_scipy(name: str, jacobian: Callable[..., Any]) -> None:
    f, x = PROGRAMS[name]
    np.testing.assert_allclose(jacobian(f)(x), slopes(f, x), rtol=1e-6, atol=2e-8)


@pytest.mark.parametrize("seq", ours.SEQUENCES)
@pytest.mark.parametrize("angles", [A, 2.0 * A, np.array([0.3, 0.0, 0.4])], ids=str)
def test_euler_angles_are_those_of_scipy(seq: str, angles: Any) -> None:
    """At gimbal lock as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Rotation.from_euler(seq, angles)
        found = ours.FromEuler(seq, angles)
        np.testing.assert_allclose(found.as_quat(), theirs.as_quat(), atol=1e-14)
        turns = (found.as_euler(seq) - theirs.as_euler(seq)) / (2.0 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-12)


def test_what_raises_and_what_is_refused() -> None:
    with pytest.raises(ValueError, match="zero norm"):
        jacrev(lambda x: Rotation.from_quat(x).as_matrix())(np.zeros(4))
    with pytest.raises(ValueError, match="Non-positive determinant"):
        jacrev(lambda x: Rotation.from_matrix(x).as_quat())(-np.eye(3))
    with pytest.raises(ValueError, match="Expected last dimension"):
        jacrev(lambda x: Rotation.from_euler("zx", x).as_quat())(A)
    for refused in (
        lambda x: Rotation.from_euler("z", x).as_matrix(),
        lambda x: Rotation.from_rotvec(np.stack([x, x])).as_matrix(),
        lambda x: Rotation.from_euler("ab", x[:2]).as_matrix(),
        lambda x: Rotation.from_rotvec(x).as_mrp(),
    ):
        with pytest.raises(AdjointgenError):
            jacrev(refused)(A)
