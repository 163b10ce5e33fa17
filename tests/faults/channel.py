"""A program of some length, with loops, branches and calls, in which tests plant faults."""

import math

import numpy as np

from adjointgen import custom, stop_gradient


@custom(adjoint=lambda y, x, y_bar: y_bar * (1.0 - y * y))
def squashed(x):
    """The hyperbolic tangent, with a rule of its own."""
    return np.tanh(x)


@custom(tangent=lambda y, a, b, a_dot, b_dot: (a * a_dot + b * b_dot) / y)
def length(a, b):
    """The length of a vector of two components."""
    return math.sqrt(a * a + b * b)


@custom(adjoint=lambda y, u, c, y_bar: (y_bar * c, np.sum(y_bar * u)))
def scaled(u, c):
    """An array times a number."""
    return u * c


def viscosity(u, nu):
    """A viscosity that depends on the slope."""
    slope = u[1:] - u[:-1]
    strength = np.sqrt(0.1 + slope * slope)
    return nu * strength


def diffuse(u, nu, dt):
    """One step of diffusion, in place."""
    flux = viscosity(u, nu) * (u[1:] - u[:-1])
    u[1:-1] += dt * (flux[1:] - flux[:-1])
    return u


def advect(u, speed, dt):
    """One upwind step; the direction is that of the speed."""
    if speed > 0.0:  # noqa: SIM108
        change = u[1:-1] - u[:-2]
    else:
        change = u[2:] - u[1:-1]
    moved = u.copy()
    moved[1:-1] = u[1:-1] - dt * speed * change
    return moved


def react(u, rate):
    """A reaction, entry by entry."""
    for i in range(len(u)):
        if u[i] > 0.5:
            u[i] = u[i] - rate * u[i] * u[i]
        else:
            u[i] = u[i] + rate * math.sin(u[i])
    return u


def slopes(position, velocity, stiffness, damping):
    """The right-hand side of an oscillator."""
    force = -stiffness * position
    drag = damping * velocity * length(velocity, 0.3)
    acceleration = force - drag
    return velocity, acceleration


def rk4(position, velocity, stiffness, damping, dt):
    """One step of the classical Runge-Kutta method."""
    half = 0.5 * dt
    p1, v1 = slopes(position, velocity, stiffness, damping)
    p2, v2 = slopes(position + half * p1, velocity + half * v1, stiffness, damping)
    p3, v3 = slopes(position + half * p2, velocity + half * v2, stiffness, damping)
    p4, v4 = slopes(position + dt * p3, velocity + dt * v3, stiffness, damping)
    position = position + dt / 6.0 * (p1 + 2.0 * p2 + 2.0 * p3 + p4)
    velocity = velocity + dt / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
    return position, velocity


def thomas(lower, diagonal, upper, right):
    """A tridiagonal system, solved by elimination."""
    n = len(right)
    c = np.zeros(n)
    d = np.zeros(n)
    c[0] = upper / diagonal
    d[0] = right[0] / diagonal
    for i in range(1, n):
        pivot = diagonal - lower * c[i - 1]
        c[i] = upper / pivot
        d[i] = (right[i] - lower * d[i - 1]) / pivot
    x = np.zeros(n)
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def layers(u, weights, depth):
    """Some layers of a network."""
    for _ in range(depth):
        mixed = weights @ u
        hidden = squashed(mixed)
        u = u + 0.1 * hidden
    return u


def settled(level, target):
    """A fixed point, iterated until it settles."""
    change = 1.0
    while change > 1e-3:
        new = 0.5 * (level + math.cos(level * target))
        change = abs(new - level)
        level = new
    return level


def energy(u):
    """Half the sum of squares."""
    return 0.5 * np.sum(u * u)


def penalty(u, bound):
    """A smooth penalty for what exceeds a bound."""
    excess = u - bound
    soft = np.log1p(np.exp(4.0 * excess)) / 4.0
    return np.sum(soft)


def orbit(a, b, turns):
    """A map that is iterated, with a call in a branch of its loop."""
    x = a
    y = b
    for turn in range(turns):
        if turn % 3 == 0:
            radius = length(x, y)
            x = x / radius
        else:
            x, y = x + 0.1 * y, y - 0.1 * math.sin(x)
    return x * y


def window(u, centre):
    """A weighted sum with weights that are normalised."""
    places = np.linspace(0.0, 1.0, len(u))
    weights = np.exp(-8.0 * (places - centre) ** 2)
    weights = weights / np.sum(weights)
    return weights @ u


def pairs(drawn, level):
    """Every pair of entries counts."""
    total = 0.0
    for i in range(len(drawn)):
        for j in range(i):
            gap = drawn[i] - drawn[j]
            total += gap * gap * level
    return total


def history(values, memory):
    """An exponential mean of a sequence."""
    mean = values[0]
    for value in values[1:]:
        mean = memory * mean + (1.0 - memory) * value
    return mean


def channel(u0, weights, nu, speed, rate, stiffness, steps=4):
    """All of it: what is differentiated in the tests."""
    dt = 0.05
    u = u0.copy()
    position = 1.0
    velocity = 0.2 * speed
    energies = np.zeros(steps)
    # One step of each part after the other.
    for step in range(steps):
        u = diffuse(u, nu, dt)
        u = advect(u, speed, dt)
        u = react(u, rate)
        position, velocity = rk4(position, velocity, stiffness, 0.1, dt)
        wave = np.sin(u * position)
        if step % 2 == 1:  # noqa: SIM108
            u = u + 0.05 * wave
        else:
            u = u + 0.02 * velocity * wave
        energies[step] = energy(u)
    # A network mixes the entries, and an implicit step smooths them.
    u = layers(u, weights, 3)
    smooth = thomas(-nu, 1.0 + 2.0 * nu, -nu, u)
    # What is drawn is as large as the speed.
    drawn = scaled(smooth, speed)
    # The level is where a fixed point settles.
    level = settled(position, stiffness)
    total = pairs(drawn, level)
    mean = history(energies, 0.7)
    turned = orbit(velocity, position, 5)
    seen = window(drawn, rate)
    cost = total + mean + penalty(drawn, 0.4) + turned * seen

    # The weight of the whole.
    scale = stop_gradient(1.0) + energy(smooth)
    return cost / scale


def example():
    """A point away from the branches."""
    rng = np.random.default_rng(0)
    weights = 0.3 * rng.standard_normal((6, 6))
    return np.linspace(0.1, 0.9, 6), weights, 0.3, 0.7, 0.2, 1.3
