"""A function of thirty lines, such as users bring: loops, branches, arrays and scalars."""

import math

import numpy as np


def glide(angle, speed, drag, weights, steps, step):
    """Penalised range of a glider in a layered wind, by the explicit midpoint rule."""
    g = 9.81
    x, h = 0.0, 100.0
    vx = speed * math.cos(angle)
    vy = speed * math.sin(angle)
    heights = np.zeros(steps + 1)
    heights[0] = h
    effort = 0.0
    for i in range(steps):
        wind = 2.0 * math.tanh(h / 50.0)
        ux = vx - wind
        size = math.sqrt(ux * ux + vy * vy)
        if size > 20.0:
            force = drag * size * size
            effort += step * (size - 20.0)
        else:
            force = drag * 20.0 * size
        mx = vx - 0.5 * step * force * ux / size
        my = vy - 0.5 * step * (g * 0.2 + force * vy / size)
        vx = vx - step * force * (mx - wind) / size
        vy = vy - step * (g * 0.2 + force * my / size)
        x = x + step * mx
        h = h + step * my
        heights[i + 1] = h
        effort += step * force * force
    above = np.maximum(heights, 0.0)
    rough = above[2:] - 2.0 * above[1:-1] + above[:-2]
    penalty = np.sum(weights * rough * rough)
    return x - 0.1 * effort - penalty


def point(steps=20):
    """Arguments for `glide`."""
    return 0.1, 25.0, 0.001, np.linspace(0.5, 1.5, steps - 1), steps, 0.1
