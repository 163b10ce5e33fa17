"""Functions as libraries of formulas write them: module constants, tables, defaults, options."""

from __future__ import annotations

import math

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
g = 9.80665
R = 8.314


@at(2.0, 0.5)
def default_of_its_own_name(v: float, d: float, g: float = g) -> float:
    return v / math.sqrt(g * d)


@at(2.0, 0.5)
def default_of_a_helper(v: float, d: float) -> float:
    g = 2.0
    return g * default_of_its_own_name(v, d) + default_of_its_own_name(v, d, g=g)


def _made_with(R: float = R) -> float:
    return R


R = 100.0


@at(2.0)
def default_from_before(x: float) -> float:
    """A default was evaluated when the function was defined; the module went on."""
    return x * x * _made_with() + R * x


@at(2.0)
def default_expression(x: float, scale: float = 2.0 * math.pi + g) -> float:
    return x * x * scale
