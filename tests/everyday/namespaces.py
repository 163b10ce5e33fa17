"""Functions of SciPy that compute in the namespace of their arguments, followed by their source."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import rosen
from scipy.signal import abcd_normalize, lp2bp_zpk, lp2hp_zpk, lp2lp_zpk, windows

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at


@at(np.array([0.6, 1.3, 0.4]))
def valley_of_rosenbrock(x: Array) -> float:
    return float(rosen(x) + rosen(x * x))


@at(np.array([0.6, 1.3, 0.4]))
def window_of_cosines(a: Array) -> float:
    return float(np.sum(np.sin(windows.general_cosine(6, a, sym=False))))


@at(0.7, 1.3)
def windows_by_their_width(a: float, s: float) -> float:
    sides = windows.general_hamming(5, a) * windows.gaussian(5, s)
    return float(np.sum(sides * windows.exponential(5, tau=s)))


@at(np.array([0.6, 1.3, 0.4]), 1.2)
def filters_by_their_poles(p: Array, w: float) -> float:
    _, low, k = lp2lp_zpk(p[:1], p, 2.0, wo=w)
    _, high, c = lp2hp_zpk(p[:1], p, 2.0, wo=w)
    _, band, _ = lp2bp_zpk(p[:1], p, 2.0, w, 0.3)
    return float(np.sum(low * high) + k * c + np.real(np.sum(band * band)))


@at(np.array([[0.6, 1.3], [0.4, 0.9]]))
def matrices_of_a_system(a: Array) -> float:
    A, B, C, D = abcd_normalize(A=a[:1, :1], B=a[:1, 1:], C=a[1:, :1], D=a[1:, 1:])
    return float(np.sum(np.sin(C @ A @ B + D)))
