"""Tests: comparisons of continuous values, of integers, chained, joined; and boolean masks."""

from collections.abc import Callable

from tests.fuzz.grammar import TESTS, Generation, Shape, TestRule, always

Build = Callable[[Generation, int], str]


def rule(
    tag: str,
    weight: float,
    leaf: bool = True,
    when: Callable[[Generation], bool] = always,
) -> Callable[[Build], Build]:
    def enter(build: Build) -> Build:
        TESTS.append(TestRule(tag, weight, leaf, when, build))
        return build

    return enter


@rule("compare", 6)
def _compare(g: Generation, depth: int) -> str:
    return f"{g.scalar(depth)} {g.pick(('<', '>', '<=', '>='))} {g.number(-0.7, 0.9)}"


@rule("compare_two", 2)
def _compare_two(g: Generation, depth: int) -> str:
    return f"{g.scalar(depth)} {g.pick(('<', '>'))} {g.scalar(depth)}"


@rule("compare_chained", 1.2)
def _chained(g: Generation, depth: int) -> str:
    return f"{g.number(-1.5, -0.2)} {g.pick(('<', '<='))} {g.scalar(depth)} < {g.number(0.2, 1.5)}"


@rule("compare_int", 3, when=lambda g: bool(g.find("int")))
def _integer(g: Generation, _: int) -> str:
    k = g.pick(g.find("int")).name
    others = [v.name for v in g.find("int") if v.name != k]
    options = [
        f"{k} % 2 == {g.pick((0, 1))}",
        f"{k} > {g.rng.randint(0, 2)}",
        f"{k} != {g.rng.randint(0, 3)}",
    ]
    if others:
        options += [f"{k} {g.pick(('==', '<', '>='))} {g.pick(others)}"] * 2
    return g.pick(options)


@rule("and", 1.2, leaf=False)
def _and(g: Generation, depth: int) -> str:
    return f"({g.test(depth)}) and ({g.test(depth)})"


@rule("or", 1.2, leaf=False)
def _or(g: Generation, depth: int) -> str:
    return f"({g.test(depth)}) or ({g.test(depth)})"


@rule("not", 0.6, leaf=False)
def _not(g: Generation, depth: int) -> str:
    return f"not ({g.test(depth)})"


@rule("any_all", 0.8, when=lambda g: bool(g.find("array")))
def _any_all(g: Generation, _: int) -> str:
    var = g.recent(g.find("array"))
    test = f"{var.name} {g.pick(('>', '<'))} {g.number(-0.6, 0.9)}"
    how = g.pick(("any", "all"))
    return g.pick((f"np.{how}({test})", f"({test}).{how}()"))


def mask(g: Generation, shape: Shape) -> str:
    """A boolean array of `shape`."""
    named = [v.name for v in g.find("mask") if v.shape == shape]
    if named and g.chance(0.6):
        g.tag("mask_name")
        return g.pick(named)
    arrays = [v for v in g.find("array") if v.shape == shape]
    text = g.recent(arrays).name if arrays else str(g.array(shape, 1))
    test = f"{text} {g.pick(('>', '<', '>=', '<='))} {g.pick(('0', g.number(-0.5, 0.8)))}"
    if g.chance(0.15):
        g.tag("mask_joined")
        return f"({test}) {g.pick(('&', '|'))} ({text} < {g.number(0.9, 1.5)})"
    if g.chance(0.1):
        g.tag("mask_inverted")
        return f"~({test})"
    return test
