# ruff: noqa: E741
"""Objects as people write them: models, states, solvers, and functions of a number and these."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np


class Regressor:
    def __init__(self, n):
        self.w = np.zeros(n)
        self.b = 0.0
        self.losses = []

    def predict(self, X):
        return X @ self.w + self.b

    def fit(self, X, y, lr, n):
        for _ in range(n):
            r = self.predict(X) - y
            self.w -= lr * X.T @ r / len(y)
            self.b -= lr * np.mean(r)
            self.losses.append(np.mean(r**2))
        return self


X = np.arange(12.0).reshape(6, 2) / 6
y = np.arange(6.0) / 3


def fitted(lr, m):
    return np.mean((m.fit(X, y, lr, 5).predict(X) - y) ** 2)


def loss_history(lr, m):
    m.fit(X, y, lr, 5)
    return m.losses[-1] + sum(m.losses)


@dataclass
class State:
    x: np.ndarray
    v: np.ndarray
    t: float = 0.0


def step(s, k, dt):
    a = -k * s.x
    v = s.v + dt * a
    return State(s.x + dt * v, v, s.t + dt)


def state_until(k, s):
    while s.t < 0.5:
        s = step(s, k, 0.1)
    return 0.5 * np.sum(s.v**2) + np.sum(s.x**2)


def replaced_states(k, s):
    for _ in range(4):
        s = replace(s, x=s.x + 0.1 * s.v, v=s.v - 0.1 * k * s.x)
    return np.sum(s.x**2)


@dataclass
class P:
    x: float
    v: float
    m: float = 1.0


def particles(g, ps):
    for _ in range(3):
        for a in ps:
            f = 0.0
            for b in ps:
                if b is not a:
                    f += g * b.m * (b.x - a.x) / (abs(b.x - a.x) ** 3 + 0.1)
            a.v += 0.1 * f / a.m
        for a in ps:
            a.x += 0.1 * a.v
    return sum(0.5 * a.m * a.v**2 for a in ps)


class Kalman:
    def __init__(self, F, H, Q, R, x, P):
        self.F, self.H, self.Q, self.R, self.x, self.P = F, H, Q, R, x, P
        self.ll = 0.0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        e = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ e
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P
        self.ll += -0.5 * (e @ np.linalg.solve(S, e) + np.log(np.linalg.det(S)))


def likelihood(q, zs):
    kf = Kalman(
        np.array([[1.0, 0.1], [0, 1.0]]),
        np.array([[1.0, 0.0]]),
        q * np.eye(2),
        np.array([[0.5]]),
        np.zeros(2),
        np.eye(2),
    )
    for z in zs:
        kf.predict()
        kf.update(z)
    return kf.ll


class Adam:
    def __init__(self, lr):
        self.lr = lr
        self.m = {}
        self.v = {}
        self.t = 0

    def step(self, params, grads):
        self.t += 1
        for k, g in grads.items():
            m = self.m.get(k, np.zeros_like(g))
            v = self.v.get(k, np.zeros_like(g))
            self.m[k] = 0.9 * m + 0.1 * g
            self.v[k] = 0.99 * v + 0.01 * g * g
            params[k] = params[k] - self.lr * self.m[k] / (np.sqrt(self.v[k]) + 1e-3)


def adam(lr, params):
    opt = Adam(lr)
    for _ in range(3):
        opt.step(params, {k: 2 * p for k, p in params.items()})
    return sum(np.sum(p**2) for p in params.values())


class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Sq(Shape):
    def __init__(self, a):
        super().__init__()
        self.a = a

    def area(self):
        return self.a**2


def areas(r):
    return sum(s.area() for s in [Circle(r), Sq(2 * r), Circle(r * r)])


class Solver:
    def __init__(self, n):
        self.buf = np.empty(n)
        self.out = np.zeros(n)
        self.n = n

    def lap(self, u):
        b = self.buf
        b[0] = 0
        b[-1] = 0
        np.subtract(u[2:], 2 * u[1:-1], out=b[1:-1])
        b[1:-1] += u[:-2]
        return b

    def run(self, u, k, n):
        u = u.copy()
        for _ in range(n):
            u += k * self.lap(u)
        return u


def buffers(k, s):
    return np.sum(s.run(np.arange(6.0) ** 2, k, 3) ** 2)


class El(Enum):
    R = 1
    D = 2


class Element:
    def __init__(self, kind, a, b, val):
        self.kind, self.a, self.b, self.val = kind, a, b, val

    def current(self, v):
        dv = v[self.a] - v[self.b]
        if self.kind is El.R:
            return dv / self.val
        return self.val * (math.exp(dv) - 1)


def circuit(r, _):
    els = [Element(El.R, 0, 1, r), Element(El.D, 1, 2, 0.1), Element(El.R, 2, 0, 2.0)]
    v = np.array([1.0, 0.5, 0.0])
    for _ in range(3):
        res = np.zeros(3)
        for e in els:
            i = e.current(v)
            res[e.a] -= i
            res[e.b] += i
        v[1:] += 0.1 * res[1:]
    return v @ v


class Hist:
    def __init__(self, u):
        self.u = u
        self.h = []
        self.n = 0

    def step(self, k):
        self.u = self.u + k * np.sin(self.u)
        self.h.append(self.u.copy())
        self.n += 1


def history(k, s):
    for _ in range(4):
        s.step(k)
    a = np.array(s.h)
    return np.sum(a[-1] ** 2) + np.mean(a) + s.n


def model(x, *, a=1.0, b=2.0, **rest):
    return a * x**2 + b * x + rest.get("c", 0.0)


def options(x, cfg):
    return model(x, **cfg["model"]) * cfg.get("scale", 1.0)


def springs(k, net):
    f = np.zeros_like(net["pos"])
    for i, j, l in net["edges"]:
        d = net["pos"][j] - net["pos"][i]
        r = np.linalg.norm(d)
        f[i] += k * (r - l) * d / r
        f[j] -= k * (r - l) * d / r
    return np.sum(f**2)
