# ruff: noqa: B007, B905, E741
"""Objects as people write them: a function, a number to differentiate, and what makes the rest."""

import math
from collections import defaultdict, deque, namedtuple

import numpy as np

from tests.structures.everyday_classes import (
    Hist,
    P,
    Regressor,
    Solver,
    State,
    adam,
    areas,
    buffers,
    circuit,
    fitted,
    history,
    likelihood,
    loss_history,
    options,
    particles,
    replaced_states,
    springs,
    state_until,
)


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
