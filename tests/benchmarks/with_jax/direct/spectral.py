"""Complex kernels, line by line: a point of the contour, a product of small matrices at a time."""

import jax.numpy as jnp

from tests.benchmarks.with_jax.direct.loops import loop


def contour_integral(hamiltonians, places, weights, right):
    n, m = right.shape

    def point(i, state):
        first, second = state
        z = places[i]
        matrix = jnp.zeros((n, n), jnp.complex128)
        # The powers are constants of the program.
        for k in range(hamiltonians.shape[0]):
            matrix = matrix + z ** (k - 1) * hamiltonians[k]
        solution = jnp.linalg.solve(matrix, right + 0.0j)
        return first + weights[i] * solution, second + weights[i] * z * solution

    zeros = jnp.zeros((n, m), jnp.complex128)
    first, second = loop(0, places.shape[0], point, (zeros, zeros))
    return jnp.sum(jnp.abs(first)) + jnp.sum(jnp.abs(second))


def _scattered(neighbours, couplings, green, phonons, place, sigma):
    """What one phonon adds at one momentum, atom and neighbour."""
    k, q, w, a, b = place
    kept = green.shape[1] - w
    axes = phonons.shape[4]
    source = green[k - q, :kept, neighbours[a, b]]

    def inner(i, sigma):
        bent = source @ couplings[a, b, i]

        def outer(j, sigma):
            size = couplings[a, b, j] * phonons[a, b, q, w, i, j]
            return sigma.at[k, w:, a].add(bent @ size)

        return loop(0, axes, outer, sigma)

    return loop(0, axes, inner, sigma)


def self_energies(neighbours, couplings, green, phonons):
    momenta, _, atoms = green.shape[:3]
    near, waves, shifts = phonons.shape[1:4]

    def shifted(k, q, sigma):
        # The slices are of another length at each shift.
        for w in range(shifts):
            sigma = around(k, q, w, sigma)
        return sigma

    def around(k, q, w, sigma):
        def pair(a, b, sigma):
            return _scattered(neighbours, couplings, green, phonons, (k, q, w, a, b), sigma)

        return loop(0, atoms, lambda a, s: loop(0, near, lambda b, s: pair(a, b, s), s), sigma)

    def momentum(k, sigma):
        return loop(0, waves, lambda q, sigma: shifted(k, q, sigma), sigma)

    sigma = loop(0, momenta, momentum, jnp.zeros_like(green))
    return jnp.sum(sigma * sigma)


FUNCTIONS = (contour_integral, self_energies)
