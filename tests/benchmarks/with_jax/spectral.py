"""Complex kernels in JAX."""

import jax.numpy as jnp
from jax import lax


def stockham_fft(x, levels):
    n = 2**levels
    y = x + 0.0j
    for level in range(levels):
        half, stride = n >> (level + 1), 1 << level
        turn = jnp.exp(-2.0j * jnp.pi * jnp.arange(half) / (2 * half))
        first, second = y.reshape(2, half, stride)
        y = jnp.stack((first + second, (first - second) * turn[:, None]), axis=1)
    y = y.reshape(n)
    power = y.real * y.real + y.imag * y.imag
    return jnp.sum(power * jnp.cos(jnp.arange(n)))


def contour_integral(hamiltonians, places, weights, right):
    def solution(z):
        matrix = sum(z ** (k - 1) * part for k, part in enumerate(hamiltonians))
        return jnp.linalg.solve(matrix, right + 0.0j)

    # Systems after one another: a batch of them is solved more slowly on a CPU.
    solutions = lax.map(solution, places)
    first = jnp.tensordot(weights, solutions, axes=1)
    second = jnp.tensordot(weights * places, solutions, axes=1)
    return jnp.sum(jnp.abs(first)) + jnp.sum(jnp.abs(second))


def self_energies(neighbours, couplings, green, phonons):
    energies = green.shape[1]
    sigma = jnp.zeros_like(green)
    for q in range(phonons.shape[2]):
        for w in range(phonons.shape[3]):
            moved = jnp.roll(green, q, axis=0)[:, : energies - w, neighbours]
            sizes = jnp.einsum("abij,abjpq->abipq", phonons[:, :, q, w], couplings)
            bent = jnp.einsum("keabmn,abinp->keabimp", moved, couplings)
            sigma = sigma.at[:, w:].add(jnp.einsum("keabimp,abipq->keamq", bent, sizes))
    return jnp.sum(sigma * sigma)


FUNCTIONS = (stockham_fft, contour_integral, self_energies)
