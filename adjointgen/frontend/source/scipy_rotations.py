"""Rotations of SciPy, one at a time, as a user would write them: a unit quaternion `x, y, z, w`.

A call of `scipy.spatial.transform.Rotation.from_euler` in a function makes one of these instead,
whose methods are lowered like those of any class; stacks of rotations are left to SciPy.
(Bernardes and Viollet 2022 for Euler angles; Shepperd 1978 for matrices; Higham 1986 for the
nearest rotation, whose derivative is right after each step of the iteration, and at a rotation
after the first.)
"""

# mypy: ignore-errors

from __future__ import annotations

import warnings

import numpy as np

GIMBAL = (
    "Gimbal lock detected. Setting third angle to zero "
    "since it is not possible to uniquely determine "
    "all angles."
)


class Rotation:
    """A unit quaternion."""

    def __init__(self, quat):
        self._quat = quat

    def as_quat(self, canonical=False, *, scalar_first=False):
        x, y, z, w = self._canonical() if canonical else self._quat
        return np.array([w, x, y, z]) if scalar_first else np.array([x, y, z, w])

    def _canonical(self):
        x, y, z, w = self._quat
        turned = w < 0.0
        if w == 0.0:
            turned = x < 0.0 or (x == 0.0 and (y < 0.0 or (y == 0.0 and z < 0.0)))
        return -self._quat if turned else self._quat

    def as_matrix(self):
        x, y, z, w = self._quat
        return np.array(
            [
                [x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
                [2.0 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2.0 * (y * z - x * w)],
                [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), -x * x - y * y + z * z + w * w],
            ]
        )

    def as_rotvec(self, degrees=False):
        quat = self._canonical()
        x, y, z, w = quat
        square = x * x + y * y + z * z
        if square <= 2.5e-7:
            # asin(s) / s, as a series: the norm has no derivative at zero.
            scale = 2.0 + square / 3.0 + 3.0 * square**2 / 20.0
        else:
            norm = np.sqrt(square)
            scale = 2.0 * np.arctan2(norm, w) / norm
        vector = scale * np.array([x, y, z])
        return np.rad2deg(vector) if degrees else vector

    def as_euler(self, seq, degrees=False, *, suppress_warnings=False):
        if seq not in SEQUENCES:
            raise NotImplementedError("these axes are left to SciPy")
        extrinsic = seq.islower()
        places = [place_of(axis) for axis in seq]
        i, j, last = places if extrinsic else places[::-1]
        symmetric, k = i == last, 3 - i - j
        sign = (i - j) * (j - k) * (k - i) // 2
        q = self._quat
        if symmetric:
            a, b, c, d = q[3], q[i], q[j], sign * q[k]
        else:
            a, b = q[3] - q[j], q[i] + sign * q[k]
            c, d = q[j] + q[3], sign * q[k] - q[i]
        middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
        half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
        near, far = abs(middle) <= 1e-7, abs(middle - np.pi) <= 1e-7
        if near or far:
            if not suppress_warnings:
                warnings.warn(GIMBAL, stacklevel=2)
            angle = 2.0 * half_sum if near else (-2.0 if extrinsic else 2.0) * half_difference
            first, third = (angle, 0.0) if extrinsic else (0.0, angle)
        else:
            first, third = half_sum - half_difference, half_sum + half_difference
        if not symmetric:
            third, middle = sign * third, middle - np.pi / 2.0
        found = np.array([first, middle, third] if extrinsic else [third, middle, first])
        found = (found + np.pi) % (2.0 * np.pi) - np.pi
        return np.rad2deg(found) if degrees else found

    def apply(self, vectors, inverse=False):
        matrix = self.as_matrix()
        return np.asarray(vectors) @ (matrix if inverse else matrix.T)

    def inv(self):
        return Rotation(self._quat * np.array([-1.0, -1.0, -1.0, 1.0]))

    def magnitude(self):
        x, y, z, w = self._quat
        return 2.0 * np.arctan2(np.sqrt(x * x + y * y + z * z), abs(w))

    def __mul__(self, other):
        return Rotation(normalized(product(self._quat, other._quat)))


SEQUENCES = tuple(
    text
    for axes in ("xyz", "XYZ")
    for text in (a + b + c for a in axes for b in axes for c in axes)
    if text[0] != text[1] != text[2]
)


def place_of(axis):
    return 0 if axis in ("x", "X") else 1 if axis in ("y", "Y") else 2


def about(axis, angle):
    """The rotation about an axis."""
    s, c = np.sin(angle / 2.0), np.cos(angle / 2.0)
    if axis in ("x", "X"):
        return np.array([s, 0.0, 0.0, c])
    if axis in ("y", "Y"):
        return np.array([0.0, s, 0.0, c])
    return np.array([0.0, 0.0, s, c])


def normalized(quat):
    norm = np.sqrt(quat @ quat)
    if norm == 0.0:
        raise ValueError("Found zero norm quaternions in `quat`.")
    return quat / norm


def product(p, q):
    """Hamilton's product."""
    a, b, c, d = p
    x, y, z, w = q
    return np.array(
        [
            d * x + a * w + b * z - c * y,
            d * y + b * w + c * x - a * z,
            d * z + c * w + a * y - b * x,
            d * w - a * x - b * y - c * z,
        ]
    )


class FromQuat(Rotation):
    def __init__(self, quat, *, scalar_first=False):
        self._quat = normalized(np.roll(np.asarray(quat), -1) if scalar_first else np.asarray(quat))


class FromRotvec(Rotation):
    def __init__(self, rotvec, degrees=False):
        vector = np.deg2rad(np.asarray(rotvec)) if degrees else np.asarray(rotvec)
        x, y, z = vector
        square = x * x + y * y + z * z
        if square <= 1e-6:
            scale = 0.5 - square / 48.0 + square**2 / 3840.0
            last = 1.0 - square / 8.0 + square**2 / 384.0
        else:
            angle = np.sqrt(square)
            scale, last = np.sin(angle / 2.0) / angle, np.cos(angle / 2.0)
        self._quat = np.array([scale * x, scale * y, scale * z, last])


class FromEuler(Rotation):
    def __init__(self, seq, angles, degrees=False):
        given = angles if len(seq) > 1 else [angles]
        if len(given) != len(seq):
            raise ValueError(
                "Expected last dimension of `angles` to match number of sequence axes "
                f"specified, got {len(given)}."
            )
        found = None
        for k, axis in enumerate(seq):
            angle = given[k]
            one = about(axis, np.deg2rad(angle) if degrees else angle)
            if found is None:
                found = one
            else:
                found = product(one, found) if seq.islower() else product(found, one)
        self._quat = found


class FromMatrix(Rotation):
    def __init__(self, matrix, *, assume_valid=False):
        m = np.asarray(matrix)
        if not assume_valid:
            if np.linalg.det(m) <= 0.0:
                raise ValueError("Non-positive determinant in rotation matrix")
            for _ in range(12):
                m = 0.5 * (m + np.linalg.inv(m).T)
        (a, b, c), (d, e, f), (g, h, i) = m
        trace = a + e + i
        largest = max(a, e, i, trace)
        if largest == a:
            quat = np.array([1.0 - trace + 2.0 * a, d + b, g + c, h - f])
        elif largest == e:
            quat = np.array([d + b, 1.0 - trace + 2.0 * e, h + f, c - g])
        elif largest == i:
            quat = np.array([g + c, h + f, 1.0 - trace + 2.0 * i, d - b])
        else:
            quat = np.array([h - f, c - g, d - b, 1.0 + trace])
        self._quat = normalized(quat)


CONSTRUCTORS = {
    "from_quat": FromQuat,
    "from_rotvec": FromRotvec,
    "from_euler": FromEuler,
    "from_matrix": FromMatrix,
}
