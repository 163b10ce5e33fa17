"""Hand tracking: measured points less those of a hand whose skin follows its bones.

The pose has 26 numbers: a rotation, a place, and four angles for each of five fingers, of which the
first joint has two.  A bone's frame is its parent's, then its place in the rest pose, then a turn.
"""

import math

import numpy as np

from tests.benchmarks.objectives.objective import Objective

FINGERS = 5
JOINTS = 4
BONES = 2 + FINGERS * JOINTS


def angles_of(pose):
    """The angles about x and z of every bone; the wrist and palm stand still."""
    about_x, about_z = np.zeros(BONES), np.zeros(BONES)
    for f in range(FINGERS):
        bone, first = 2 + JOINTS * f, 6 + 4 * f
        about_z[bone] = pose[first]
        about_x[bone] = pose[first + 1]
        about_x[bone + 1] = pose[first + 2]
        about_x[bone + 2] = pose[first + 3]
    return about_x, about_z


def _rotation(turn):
    """The matrix of a rotation about a vector by its length."""
    angle = np.sqrt(np.sum(turn * turn))
    x, y, z = turn[0] / angle, turn[1] / angle, turn[2] / angle
    c, s = np.cos(angle), np.sin(angle)
    out = np.zeros((3, 3))
    t = 1.0 - c
    out[0, 0], out[0, 1], out[0, 2] = x * x * t + c, x * y * t - z * s, x * z * t + y * s
    out[1, 0], out[1, 1], out[1, 2] = x * y * t + z * s, y * y * t + c, y * z * t - x * s
    out[2, 0], out[2, 1], out[2, 2] = x * z * t - y * s, y * z * t + x * s, z * z * t + c
    return out


def arrays(pose, rest, parents, inverses, skin, vertices, nearest, measured):
    about_x, about_z = angles_of(pose)
    frames = np.zeros((BONES, 4, 4))
    turn = np.zeros((4, 4))
    turn[3, 3] = 1.0
    places = np.zeros((3, vertices.shape[1]))
    for b in range(BONES):
        cx, sx = np.cos(about_x[b]), np.sin(about_x[b])
        cz, sz = np.cos(about_z[b]), np.sin(about_z[b])
        turn[0, 0], turn[0, 1] = cz, -sz * cx
        turn[0, 2], turn[1, 0] = sz * sx, sz
        turn[1, 1], turn[1, 2] = cz * cx, -cz * sx
        turn[2, 1], turn[2, 2] = sx, cx
        local = rest[b] @ turn
        if parents[b] < 0:
            frames[b] = local
        else:
            frames[b] = frames[parents[b]] @ local
        moved = frames[b] @ inverses[b]
        places += skin[b] * (moved[:3] @ vertices)
    world = _rotation(pose[0:3]) @ places
    world += pose[3:6][:, None]
    return measured - world[:, nearest].T


def _product(a, b):
    out = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            for k in range(4):
                out[i, j] += a[i, k] * b[k, j]
    return out


def _turn(ax, az):
    cx, sx, cz, sz = math.cos(ax), math.sin(ax), math.cos(az), math.sin(az)
    out = np.zeros((4, 4))
    out[0, 0] = cz
    out[0, 1] = -sz * cx
    out[0, 2] = sz * sx
    out[1, 0] = sz
    out[1, 1] = cz * cx
    out[1, 2] = -cz * sx
    out[2, 1] = sx
    out[2, 2] = cx
    out[3, 3] = 1.0
    return out


def loops(pose, rest, parents, inverses, skin, vertices, nearest, measured):
    about_x, about_z = angles_of(pose)
    frames = np.zeros((BONES, 4, 4))
    count = vertices.shape[1]
    places = np.zeros((3, count))
    for b in range(BONES):
        local = _product(rest[b], _turn(about_x[b], about_z[b]))
        if parents[b] < 0:
            frames[b] = local
        else:
            frames[b] = _product(frames[parents[b]], local)
        moved = _product(frames[b], inverses[b])
        for v in range(count):
            if skin[b, v] != 0.0:
                for i in range(3):
                    place = moved[i, 3]
                    for k in range(3):
                        place += moved[i, k] * vertices[k, v]
                    places[i, v] += skin[b, v] * place
    whole = _rotation(pose[0:3])
    out = np.zeros((measured.shape[0], 3))
    for p in range(measured.shape[0]):
        v = nearest[p]
        for i in range(3):
            world = pose[3 + i]
            for k in range(3):
                world += whole[i, k] * places[k, v]
            out[p, i] = measured[p, i] - world
    return out


def make(vertices, points):
    rng = np.random.default_rng(84)
    chains = [1 + JOINTS * f + j if j else 1 for f in range(FINGERS) for j in range(JOINTS)]
    parents = np.array([-1, 0, *chains])
    rest = np.tile(np.eye(4), (BONES, 1, 1))
    rest[:, :3, 3] = rng.standard_normal((BONES, 3))
    frames = rest.copy()
    for b in range(1, BONES):
        frames[b] = frames[parents[b]] @ rest[b]
    skin = rng.uniform(0.0, 1.0, (BONES, vertices))
    skin[rng.uniform(0.0, 1.0, skin.shape) < 0.8] = 0.0
    skin[0] += 0.01
    places = np.vstack((rng.standard_normal((3, vertices)), np.ones(vertices)))
    nearest, measured = rng.integers(0, vertices, points), rng.standard_normal((points, 3))
    pose = 0.3 * rng.standard_normal(26)
    return pose, rest, parents, np.linalg.inv(frames), skin / skin.sum(0), places, nearest, measured


HAND = Objective(
    "hand tracking",
    "The dense Jacobian of the residuals by the 26 numbers of the pose.",
    arrays,
    loops,
    make,
    {"tiny": (5, 4), "small": (544, 100), "medium": (544, 1000), "large": (544, 10000)},
    1,
    "columns",
)
