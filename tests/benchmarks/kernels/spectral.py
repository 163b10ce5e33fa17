"""Complex numbers: transforms, contour integrals, self-energies of scattering."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def stockham_fft(x, levels):
    """The Fourier transform of 2**levels numbers by Stockham's method, and a weighted spectrum."""
    n = 2**levels
    y = x + 0.0j
    half = n // 2
    stride = 1
    for _ in range(levels):
        turn = np.exp(-2.0j * np.pi * np.arange(half) / (2 * half))
        parts = np.reshape(y, (2, half, stride))
        new = np.zeros((half, 2, stride), np.complex128)
        new[:, 0, :] = parts[0] + parts[1]
        new[:, 1, :] = (parts[0] - parts[1]) * np.reshape(turn, (half, 1))
        y = np.reshape(new, n)
        half //= 2
        stride *= 2
    power = y.real * y.real + y.imag * y.imag
    return np.sum(power * np.cos(np.arange(n)))


def contour_integral(hamiltonians, places, weights, right):
    """Moments of a resolvent: linear systems solved along a contour in the complex plane."""
    n, m = right.shape
    first = np.zeros((n, m), np.complex128)
    second = np.zeros((n, m), np.complex128)
    for i in range(places.shape[0]):
        z = places[i]
        matrix = np.zeros((n, n), np.complex128)
        for k in range(hamiltonians.shape[0]):
            matrix += z ** (k - 1) * hamiltonians[k]
        solution = np.linalg.solve(matrix, right + 0.0j)
        first += weights[i] * solution
        second += weights[i] * z * solution
    return np.sum(np.abs(first)) + np.sum(np.abs(second))


def self_energies(neighbours, couplings, green, phonons):
    """Self-energies of electrons that are scattered by phonons."""
    momenta, energies, atoms = green.shape[:3]
    near, waves, shifts, axes = phonons.shape[1:5]
    sigma = np.zeros_like(green)
    for k in range(momenta):
        for q in range(waves):
            for w in range(shifts):
                for a in range(atoms):
                    for b in range(near):
                        c = neighbours[a, b]
                        for i in range(axes):
                            bent = green[k - q, : energies - w, c] @ couplings[a, b, i]
                            for j in range(axes):
                                size = couplings[a, b, j] * phonons[a, b, q, w, i, j]
                                sigma[k, w:, a] += bent @ size
    return np.sum(sigma * sigma)


def _signal(levels):
    return *normal(71, (2**levels,)), levels


def _contour(n, m, points):
    parts = normal(72, (3, n, n), (3, n, n), (n, m))
    angles = 2.0 * np.pi * (np.arange(points) + 0.5) / points
    places = np.exp(1.0j * angles)
    return parts[0] + 0.0, places, places / points, parts[2]


def _scattering(momenta, energies, atoms, near, orbitals):
    rng = np.random.default_rng(73)
    neighbours = rng.integers(0, atoms, (atoms, near))
    couplings = rng.standard_normal((atoms, near, 2, orbitals, orbitals))
    green = rng.standard_normal((momenta, energies, atoms, orbitals, orbitals))
    phonons = rng.standard_normal((atoms, near, 2, 2, 2, 2))
    return neighbours, couplings, green, phonons


KERNELS = (
    Kernel(stockham_fft, _signal, at(3, 14, 17), sweeps=True),
    Kernel(contour_integral, _contour, at((3, 2, 3), (50, 30, 16), (90, 50, 32)), sweeps=True),
    Kernel(self_energies, _scattering, at((2, 3, 3, 2, 2), (3, 12, 6, 3, 4), (4, 24, 10, 4, 4))),
)
