# ruff: noqa: B007, B905, E741
"""Objects as people write them: a function, a number to differentiate, and what makes the rest."""

import math
from abc import ABC, abstractmethod
from collections import defaultdict, deque, namedtuple
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


class Tree:
    def __init__(self, v, l=None, r=None):
        self.v = v
        self.l = l
        self.r = r

    def value(self, x):
        if self.l is None:
            return self.v * x
        return self.v + self.l.value(x) * self.r.value(x)


def tree(x, t):
    return t.value(x)


class Lin:
    def __init__(self, W, b):
        self.W = W
        self.b = b

    def __call__(self, x):
        return np.tanh(self.W @ x + self.b)


class Net:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for l in self.layers:
            x = l(x)
        return x

    def parameters(self):
        for l in self.layers:
            yield l.W
            yield l.b


def layers(x, net):
    return np.sum(net(np.array([x, x * x])) ** 2) + 0.1 * sum(
        np.sum(p**2) for p in net.parameters()
    )


def queue(x, c):
    q = deque([x, 2 * x], maxlen=3)
    for i in range(4):
        q.append(0.5 * (q[-1] + q[0]) * x)
    return sum(q)


def default_dict(x, _):
    d = defaultdict(float)
    for k, w in (("a", 1.0), ("b", 2.0), ("a", 3.0)):
        d[k] += w * x**2
    return d["a"] * d["b"]


Pt = namedtuple("Pt", "x y")


def polygon(x, pts):
    pts = [p._replace(x=p.x * x) for p in pts]
    return sum((a.x * b.y - b.x * a.y) for a, b in zip(pts, pts[1:] + pts[:1]))


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def dot(self, o):
        return self.x * o.x + self.y * o.y

    @property
    def norm(self):
        return math.sqrt(self.dot(self))

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self


def vectors(x, v):
    p = Vec(x, 1.0)
    for _ in range(3):
        p += 0.1 * v
        v = v * x
    return p.norm


class Bank:
    rate = 0.05

    def __init__(self):
        self.acc = {"a": 1.0, "b": 2.0}

    def grow(self, x):
        for k in self.acc:
            self.acc[k] *= 1 + self.rate * x
        return self


def accounts(x, b):
    return sum(b.grow(x).grow(x).acc.values())


class Interp:
    def __init__(self, xs, ys):
        self.xs = xs
        self.ys = ys

    def __call__(self, x):
        i = int(np.searchsorted(self.xs, x))
        i = min(max(i, 1), len(self.xs) - 1)
        w = (x - self.xs[i - 1]) / (self.xs[i] - self.xs[i - 1])
        return (1 - w) * self.ys[i - 1] + w * self.ys[i]


def interpolant(x, f):
    return f(x) * f(2 * x)


class Memo:
    def __init__(self):
        self.c = {}

    def f(self, n, x):
        if n < 2:
            return x
        if n not in self.c:
            self.c[n] = self.f(n - 1, x) * x + self.f(n - 2, x)
        return self.c[n]


def memo(x, m):
    return Memo().f(6, x)


class Mat:
    def __init__(self, a):
        self.a = a

    def __matmul__(self, o):
        return Mat(self.a @ o.a)

    def __getitem__(self, k):
        return self.a[k]

    def trace(self):
        return np.trace(self.a)

    @classmethod
    def eye(cls, n):
        return cls(np.eye(n))


def matrices(x, m):
    r = Mat.eye(2)
    for _ in range(3):
        r = r @ Mat(m.a * x)
    return r.trace() + r[0, 1]


class Sim:
    def __init__(self, n):
        self.pos = np.zeros((n, 2))
        self.vel = np.ones((n, 2))
        self.params = {"k": 1.0}

    def forces(self):
        f = np.zeros_like(self.pos)
        n = len(self.pos)
        for i in range(n):
            for j in range(i + 1, n):
                d = self.pos[i] - self.pos[j]
                r2 = d @ d + 0.5
                f[i] += self.params["k"] * d / r2
                f[j] -= self.params["k"] * d / r2
        return f

    def run(self, dt, n):
        for _ in range(n):
            self.vel += dt * self.forces()
            self.pos += dt * self.vel


def mk():
    s = Sim(3)
    s.pos = np.arange(6.0).reshape(3, 2)
    return s


def pairs_of_forces(k, s):
    s.params["k"] = k
    s.run(0.1, 3)
    return np.sum(s.pos**2)


def new_parameters(k, s):
    s.params = {"k": k}
    s.run(0.1, 3)
    return np.sum(s.vel**2)


CASES = [
    (fitted, 0.1, lambda: Regressor(2)),
    (loss_history, 0.1, lambda: Regressor(2)),
    (state_until, 0.7, lambda: State(np.ones(2), np.zeros(2))),
    (replaced_states, 0.7, lambda: State(np.ones(2), np.ones(2))),
    (particles, 0.5, lambda: [P(0.0, 0.0), P(1.0, 0.1, 2.0), P(2.5, 0.0)]),
    (likelihood, 0.3, lambda: [np.array([0.1]), np.array([0.4]), np.array([0.2])]),
    (adam, 0.1, lambda: {"a": np.ones(2), "b": np.arange(1.0, 3.0)}),
    (areas, 0.7, None),
    (buffers, 0.1, lambda: Solver(6)),
    (circuit, 0.7, lambda: None),
    (history, 0.3, lambda: Hist(np.ones(3))),
    (options, 0.7, lambda: {"model": {"a": 2.0, "c": 0.3}, "scale": 2.0}),
    (
        springs,
        0.7,
        lambda: {
            "pos": np.array([[0.0, 0.0], [1.0, 0.2], [0.3, 1.0]]),
            "edges": [(0, 1, 0.5), (1, 2, 0.7)],
        },
    ),
    (tree, 0.7, lambda: Tree(1.0, Tree(2.0), Tree(3.0, Tree(0.5), Tree(0.2)))),
    (
        layers,
        0.4,
        lambda: Net(
            [Lin(np.ones((3, 2)) * 0.3, np.zeros(3)), Lin(np.ones((1, 3)) * 0.2, np.ones(1))]
        ),
    ),
    (queue, 0.7, lambda: 0),
    (default_dict, 0.7, lambda: 0),
    (polygon, 0.7, lambda: [Pt(0.0, 0.0), Pt(1.0, 0.0), Pt(1.0, 1.0)]),
    (vectors, 0.7, lambda: Vec(1.0, 2.0)),
    (accounts, 0.7, Bank),
    (interpolant, 0.7, lambda: Interp(np.arange(5.0), np.arange(5.0) ** 2)),
    (memo, 0.7, lambda: 0),
    (matrices, 0.7, lambda: Mat(np.array([[1.0, 0.5], [0.2, 1.0]]))),
    (pairs_of_forces, 0.7, mk),
    (new_parameters, 0.7, mk),
]
