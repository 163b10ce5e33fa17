"""What every program of this folder begins with: a logger, helpers, and classes."""

# ruff: noqa: F401 (programs import all names from here)

import collections
import contextlib
import copy
import functools
import io
import itertools
import math
import operator
from typing import Any

import numpy as np

LOG: list[Any] = []


def log(k, v):
    LOG.append(k)
    return v


def pair(a, b=1.5):
    return a * b + 0.5 * a


def most(first, *rest, scale=1.0):
    return first * scale + sum(rest)


def series(v):
    log(101, 0)
    yield v
    log(102, 0)
    yield v * 0.5
    log(103, 0)


def chained(values):
    for v in values:
        log(104, 0)
        yield v * v


def halved(v):
    while True:
        log(105, 0)
        yield v
        v = v * 0.5


def joined(a, b):
    yield a[0]
    yield from b
    if a[0] > 1.0:
        return
    yield from (v * 2.0 for v in a)


def put(a, v):
    a[0] = v
    return a


def twice(f):
    @functools.wraps(f)
    def run(p):
        return 2.0 * f(p)

    return run


def scaled(by):
    def decorate(f):
        return lambda p: by * f(p)

    return decorate


def tagged(cls):
    cls.tag = 1
    return cls


class Kinds:
    one = 1


class Guard:
    def __init__(self, k, silent=False):
        self.k, self.silent = k, silent

    def __enter__(self):
        log(200 + self.k, 0)
        return self

    def __exit__(self, kind, error, trace):
        log(210 + self.k, 0)
        return self.silent


@contextlib.contextmanager
def managed(v):
    log(220, 0)
    try:
        yield (v, v * 2.0) if v > 1.0 else (v, 1.0)
    finally:
        log(221, 0)


class Box:
    __match_args__ = ("u", "v")

    def __init__(self, u, v):
        self.u = u
        self.v = v

    def times(self, p):
        log(230, 0)
        return self.u * p

    def twin(self):
        return type(self)(self.u * 0.5, self.v * 1.0)

    @property
    def half(self):
        log(231, 0)
        return self.u / 2.0

    @half.setter
    def half(self, p):
        log(232, 0)
        self.u = 2.0 * p

    @staticmethod
    def scale(p):
        return 3.0 * p

    def __call__(self, p):
        return p - self.u

    def __add__(self, p):
        return self.u + p

    def __radd__(self, p):
        return self.u - p

    def __iadd__(self, p):
        log(233, 0)
        self.u = self.u + p
        return self

    def __getitem__(self, i):
        return self.v[i]

    def __setitem__(self, i, p):
        log(234, 0)
        self.v[i] = p


class Deep(Box):
    @classmethod
    def scale(cls, p):
        return 4.0 * p
