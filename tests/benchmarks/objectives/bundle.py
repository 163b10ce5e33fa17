"""Bundle adjustment: where cameras see points, less where they were seen.

The arguments have one row per observation: what a camera is (rotation, centre, focal length, centre
of the image, radial distortion), the point, and the weight.  A block of the sparse Jacobian is the
derivative of a row of the result by the same row of the arguments.
"""

import math

import numpy as np

from tests.benchmarks.objectives.objective import Objective


def _cross(a, b):
    out = np.zeros_like(a)
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out


def arrays(cameras, points, weights, seen):
    turn = cameras[:, 0:3]
    offset = points - cameras[:, 3:6]
    angle = np.sqrt(np.sum(turn * turn, axis=1))[:, None]
    axis = turn / angle
    along = np.sum(axis * offset, axis=1)[:, None] * (1.0 - np.cos(angle))
    view = offset * np.cos(angle) + _cross(axis, offset) * np.sin(angle) + axis * along
    flat = view[:, 0:2] / view[:, 2:3]
    r2 = np.sum(flat * flat, axis=1)[:, None]
    bent = flat * (1.0 + cameras[:, 9:10] * r2 + cameras[:, 10:11] * r2 * r2)
    return weights[:, None] * (bent * cameras[:, 6:7] + cameras[:, 7:9] - seen)


def loops(cameras, points, weights, seen):
    count = weights.shape[0]
    out = np.zeros((count, 2))
    for i in range(count):
        tx, ty, tz = cameras[i, 0], cameras[i, 1], cameras[i, 2]
        x = points[i, 0] - cameras[i, 3]
        y = points[i, 1] - cameras[i, 4]
        z = points[i, 2] - cameras[i, 5]
        angle = math.sqrt(tx * tx + ty * ty + tz * tz)
        ax, ay, az = tx / angle, ty / angle, tz / angle
        c, s = math.cos(angle), math.sin(angle)
        along = (ax * x + ay * y + az * z) * (1.0 - c)
        vx = x * c + (ay * z - az * y) * s + ax * along
        vy = y * c + (az * x - ax * z) * s + ay * along
        vz = z * c + (ax * y - ay * x) * s + az * along
        fx, fy = vx / vz, vy / vz
        r2 = fx * fx + fy * fy
        bend = (1.0 + cameras[i, 9] * r2 + cameras[i, 10] * r2 * r2) * cameras[i, 6]
        out[i, 0] = weights[i] * (fx * bend + cameras[i, 7] - seen[i, 0])
        out[i, 1] = weights[i] * (fy * bend + cameras[i, 8] - seen[i, 1])
    return out


def make(cameras, points, observations):
    rng = np.random.default_rng(82)
    turns = 0.3 * rng.standard_normal((cameras, 3))
    centres = 0.2 * rng.standard_normal((cameras, 3))
    lenses = np.array([1.5, 0.1, -0.1, 0.02, 0.01]) + 0.01 * rng.standard_normal((cameras, 5))
    places = rng.standard_normal((points, 3)) + np.array([0.0, 0.0, 6.0])
    by, of = rng.integers(0, cameras, observations), rng.integers(0, points, observations)
    weights, seen = rng.uniform(0.5, 1.0, observations), rng.standard_normal((observations, 2))
    return np.hstack((turns, centres, lenses))[by], places[of], weights, seen


BUNDLE = Objective(
    "bundle adjustment",
    "The sparse Jacobian of the residuals, in blocks of two by fifteen.",
    arrays,
    loops,
    make,
    {
        "tiny": (2, 3, 5),
        "small": (21, 1000, 4000),
        "medium": (49, 7776, 31843),
        "large": (257, 65132, 225911),
    },
    3,
    "rows",
)
