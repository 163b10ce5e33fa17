"""What the pattern files share: rules of a topic, pieces of text, definitions of the module."""

import re
from collections.abc import Callable

from tests.fuzz.assignments import Build, rule
from tests.fuzz.grammar import CALM, Generation, Shape, Var, always

Rule = Callable[..., Callable[[Build], Build]]


def topic(name: str) -> Rule:
    """`rule` for programs that are about this: there it is drawn often."""

    def topical(
        tag: str,
        cost: int = 3,
        weight: float = 24.0,
        when: Callable[[Generation], bool] = always,
        inside: float | None = None,
    ) -> Callable[[Build], Build]:
        low = weight / 3 if inside is None else inside

        def enter(build: Build) -> Build:
            drawn = rule(tag, weight, cost, lambda g: name in g.topics and when(g), low)
            drawn(lambda g: _declaring(g, build))
            return build

        return enter

    return topical


def _declaring(g: Generation, build: Build) -> list[str]:
    """The statement; what it binds is in scope after it, and not while its text is built."""
    outer, g.pending = g.pending, []
    lines = build(g)
    text = "\n".join(lines)
    for var, mag in g.pending:
        if re.search(rf"\b{var.name}\b", text):
            g.declare(var, mag)
    g.pending = outer
    return lines


def define(g: Generation, name: str, *lines: str) -> str:
    """Put a definition in the module; `NAME` in its text stands for the name that is returned."""
    taken, number, chosen = "\n".join(g.module), 1, name
    while re.search(rf"\b{chosen}\b", taken):
        number += 1
        chosen = f"{name}{number}"
    g.module += [*(line.replace("NAME", chosen) for line in lines), ""]
    return chosen


def small(g: Generation, depth: int = 1) -> str:
    """A scalar expression of moderate size."""
    return g.calm(g.scalar(depth)).text


def new_float(g: Generation, mag: float = CALM) -> str:
    """A name that the statement binds to a number."""
    name = g.fresh("float")
    g.pending.append((Var(name, "float"), mag))
    return name


def new_array(g: Generation, shape: Shape) -> str:
    name = g.fresh("matrix" if len(shape) == 2 else "array")
    g.pending.append((Var(name, "array", shape), CALM))
    return name


def vectors(g: Generation) -> list[Var]:
    return g.find("array", 1)


def has_vector(g: Generation) -> bool:
    return bool(vectors(g))


def top(g: Generation) -> bool:
    return not g.loops


def vector_at_top(g: Generation) -> bool:
    return has_vector(g) and top(g)


def vector(g: Generation) -> Var:
    return g.recent(vectors(g))
