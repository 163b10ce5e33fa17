"""Statements that bind names: new ones, rebound ones, chained, unpacked, swapped, augmented."""

import re
from collections.abc import Callable
from dataclasses import replace

from tests.fuzz.conditions import mask
from tests.fuzz.elementary import positive
from tests.fuzz.grammar import CALM, STATEMENTS, Expr, Generation, Shape, StatementRule, Var, always
from tests.fuzz.indices import index_list, size

Build = Callable[[Generation], list[str]]
ACCUMULATED = 20.0


def rule(
    tag: str,
    weight: float,
    cost: int = 1,
    when: Callable[[Generation], bool] = always,
    inside: float | None = None,
) -> Callable[[Build], Build]:
    """Enter a statement; `inside` is its weight in the bodies of loops and branches."""

    def enter(build: Build) -> Build:
        STATEMENTS.append(
            StatementRule(tag, weight, weight if inside is None else inside, cost, when, build)
        )
        return build

    return enter


def free_floats(g: Generation) -> list[Var]:
    """Float names that may be rebound here; inside a body positive ones must stay positive."""
    return [v for v in g.find("float") if not v.fixed and v.storage not in g.positive]


def bind_float(g: Generation, e: Expr, name: str | None = None) -> str:
    """Put a float in scope and return its name."""
    return g.declare(Var(name or g.fresh("float"), "float"), e.mag).name


def bind_array(g: Generation, shape: Shape, mag: float, name: str | None = None) -> Var:
    return g.declare(
        Var(name or g.fresh("matrix" if len(shape) == 2 else "array"), "array", shape), mag
    )


def arrays(g: Generation) -> list[Var]:
    return g.find("array")


@rule("assign", 5, inside=2)
def _assign(g: Generation) -> list[str]:
    e = g.calm(g.scalar(g.depth()))
    return [f"{bind_float(g, e)} = {e.text}"]


@rule("reassign", 4, when=lambda g: bool(free_floats(g)))
def _reassign(g: Generation) -> list[str]:
    var = g.recent(g.spare(free_floats(g)))
    e = g.calm(g.scalar(g.depth()))
    g.grow(var, e.mag)
    return [f"{var.name} = {e.text}"]


@rule("update", 3, when=lambda g: bool(free_floats(g)), inside=6)
def _update(g: Generation) -> list[str]:
    """A contraction of the old value plus something new: what iterations do."""
    var = g.recent(free_floats(g))
    e = g.settle(g.scalar(2), 1.5)
    g.grow(var, CALM)
    old = g.pick((var.name, f"{g.math}sin({var.name})", f"np.tanh({var.name})"))
    return [f"{var.name} = {g.number(0.2, 0.8)} * {old} + {e.text}"]


@rule("augmented", 5, when=lambda g: bool(free_floats(g)), inside=8)
def _augmented(g: Generation) -> list[str]:
    var = g.recent(free_floats(g))
    operator = g.pick(("+=", "+=", "+=", "-=", "*=", "/="))
    g.tag(f"augmented_{operator}")
    if operator == "*=":
        factor = g.pick((g.number(0.4, 1.1), f"{g.math}cos{g.scalar(1)}", f"np.tanh{g.scalar(1)}"))
        g.touch(var)
        return [f"{var.name} *= {factor}"]
    if operator == "/=":
        g.grow(var, min(2 * g.mag(var), ACCUMULATED))
        divisor = positive(g, lambda: g.scalar(1), array=False)
        return [f"{var.name} /= {divisor.text if not g.loops else f'1.0 + {divisor}'}"]
    room = max(ACCUMULATED - g.mag(var), 1.0) / g.trips
    e = g.settle(g.scalar(2), room)
    g.grow(var, g.mag(var) + g.trips * e.mag)
    return [f"{var.name} {operator} {e.text}"]


@rule("annotated", 0.5, inside=0.2)
def _annotated(g: Generation) -> list[str]:
    e = g.calm(g.scalar(2))
    return [f"{bind_float(g, e)}: float = {e.text}"]


@rule("chained_assignment", 0.7, inside=0.3)
def _chained(g: Generation) -> list[str]:
    e = g.calm(g.scalar(2))
    first, second = bind_float(g, e), bind_float(g, e)
    return [f"{first} = {second} = {e.text}"]


@rule("unpack", 1.2, inside=0.5)
def _unpack(g: Generation) -> list[str]:
    a, b = g.calm(g.scalar(2)), g.calm(g.scalar(2))
    names = [bind_float(g, a), bind_float(g, b)]
    values = f"{a.text}, {b.text}"
    return [f"{g.pick((', '.join(names), '(' + ', '.join(names) + ')'))} = {values}"]


@rule("unpack_array", 0.8, when=lambda g: any(v.shape in ((2,), (3,)) for v in g.find("array")))
def _unpack_array(g: Generation) -> list[str]:
    var = g.recent([v for v in g.find("array") if v.shape in ((2,), (3,))])
    names = [bind_float(g, Expr("", g.mag(var))) for _ in range(var.shape[0])]
    return [f"{', '.join(names)} = {var.name}"]


@rule("swap", 1.5, when=lambda g: len(free_floats(g)) >= 2)
def _swap(g: Generation) -> list[str]:
    a, b = g.rng.sample(free_floats(g), 2)
    top = max(g.mag(a), g.mag(b))
    g.grow(a, top)
    g.grow(b, top)
    return [f"{a.name}, {b.name} = {b.name}, {a.name}"]


@rule("rotate", 1.2, when=lambda g: len(free_floats(g)) >= 2)
def _rotate(g: Generation) -> list[str]:
    """Fibonacci-like: both new values read the old ones."""
    a, b = g.rng.sample(free_floats(g), 2)
    e = g.settle(Expr(f"{a.name} * {b.name} + {g.scalar(0).text}", g.mag(a) * g.mag(b) + 3), 1.0)
    g.grow(a, g.mag(b))
    g.grow(b, 1.0)
    return [f"{a.name}, {b.name} = {b.name}, {e.text}"]


@rule("int_variable", 1.2, when=lambda g: bool(arrays(g)) and g.level == 0)
def _int_variable(g: Generation) -> list[str]:
    n = g.recent(arrays(g)).shape[0]
    name = g.fresh("int")
    start = g.rng.randint(0, n - 1)
    g.declare(Var(name, "int", lo=0, hi=n - 1))
    return [f"{name} = {start if g.chance(0.6) else f'{size(g, n)} - 1'}"]


@rule("int_update", 6, when=lambda g: any(not v.fixed and v.hi > v.lo for v in g.find("int")))
def _int_update(g: Generation) -> list[str]:
    var = g.pick([v for v in g.find("int") if not v.fixed and v.hi > v.lo])
    to = g.rng.randint(var.lo, var.hi)
    ring = var.hi - var.lo + 1
    wrapped = f"({var.name} + 1) % {ring}" if var.lo == 0 else f"min({var.name} + 1, {var.hi})"
    chosen = f"{to} if {g.test(1)} else {var.lo}"
    return [f"{var.name} = {g.pick((str(to), wrapped, wrapped, chosen))}"]


@rule("argmax_index", 1, when=lambda g: bool(g.find("array", 1)) and g.level == 0)
def _argmax(g: Generation) -> list[str]:
    var = g.recent(g.find("array", 1))
    name = g.fresh("int")
    g.declare(Var(name, "int", lo=0, hi=var.shape[0] - 1))
    how = g.pick((f"np.argmax({var.name})", f"int(np.argmin({var.name}))", f"{var.name}.argmax()"))
    return [f"{name} = {how}"]


@rule("mask_variable", 1.2, cost=2, when=lambda g: bool(arrays(g)) and g.level == 0)
def _mask_variable(g: Generation) -> list[str]:
    var = g.recent(arrays(g))
    test = mask(g, var.shape)
    name = g.fresh("mask")
    g.declare(Var(name, "mask", var.shape))
    g.tag("mask_name")
    e = g.calm(g.scalar(1))
    forms = [f"np.sum({var.name}[{name}])", f"np.where({name}, {var.name}, {e.text}).sum()"]
    return [f"{name} = {test}", f"{bind_float(g, Expr('', 9.0))} = {g.pick(forms)}"]


@rule("index_variable", 1, cost=2, when=lambda g: bool(g.find("array", 1)) and g.level == 0)
def _index_variable(g: Generation) -> list[str]:
    var = g.recent(g.find("array", 1))
    m = var.shape[0]
    n = g.pick((m, g.rng.randint(1, 4)))
    items = index_list(g, m, n)
    name = g.fresh("index")
    made = f"{name} = {items if items.startswith('np') else f'np.array({items})'}"
    g.declare(Var(name, "index", (n,), hi=m - 1))
    if var in g.writable("array") and g.chance(0.6):
        g.tag("fancy_name")
        e = g.settle(g.value(g.pick(((), (n,))), 1), 1.5, array=True)
        g.grow(var, g.mag(var) + e.mag)
        return [made, f"{var.name}[{name}] {g.pick(('=', '+=', '-='))} {e.text}"]
    taken = bind_array(g, (n,), g.mag(var)).name
    return [made, f"{taken} = {var.name}[{name}] * {g.number(0.5, 1.5)}"]


@rule("new_array", 6, inside=1.5)
def _new_array(g: Generation) -> list[str]:
    shape = g.shape()
    e = g.calm(g.array(shape, g.depth()), array=True)
    if "(" not in e.text:  # a bare name or part would be an alias: stores.py states those
        e = Expr(f"{e}.copy()" if g.chance(0.5) else f"{g.number(0.5, 1.5)} * {e}", e.mag)
    return [f"{bind_array(g, shape, e.mag).name} = {e.text}"]


@rule("rebind_array", 3, when=lambda g: any(not v.fixed for v in arrays(g)))
def _rebind_array(g: Generation) -> list[str]:
    var = g.recent(g.spare([v for v in arrays(g) if not v.fixed]))
    shape = var.shape if g.level or g.chance(0.8) else g.shape()
    e = g.calm(g.array(shape, g.depth()), array=True)
    if "(" not in e.text or (shape == var.shape and not re.search(rf"\b{var.name}\b", e.text)):
        e = Expr(f"0.7 * {e} + 0.3 * {var.name}" if shape == var.shape else f"{e} + 0.0", CALM)
    g.declare(replace(var, shape=shape, storage=0), e.mag)
    return [f"{var.name} = {e.text}"]


@rule("update_array", 2, when=lambda g: any(not v.fixed for v in arrays(g)))
def _update_array(g: Generation) -> list[str]:
    var = g.recent([v for v in arrays(g) if not v.fixed])
    e = g.settle(g.array(var.shape, 2), 1.5, array=True)
    g.declare(replace(var, storage=0), CALM)
    return [f"{var.name} = {g.number(0.2, 0.7)} * np.tanh({var.name}) + {e.text}"]


@rule("swap_arrays", 0.8, when=lambda g: bool(_twins(g)))
def _swap_arrays(g: Generation) -> list[str]:
    a, b = g.pick(_twins(g))
    g.scope[a.name] = replace(a, storage=b.storage)
    g.scope[b.name] = replace(b, storage=a.storage)
    g.touch(a)
    g.touch(b)
    return [f"{a.name}, {b.name} = {b.name}, {a.name}"]


def _twins(g: Generation) -> list[tuple[Var, Var]]:
    found = [v for v in arrays(g) if not v.fixed]
    return [(a, b) for a in found for b in found if a.name < b.name and a.shape == b.shape]
