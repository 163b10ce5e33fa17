"""Helper functions of the generated module, and the statements that call them for their effect."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tests.fuzz.assignments import bind_array, rule
from tests.fuzz.control import results
from tests.fuzz.grammar import CALM, Generation, Helper, Shape, Var, indent
from tests.fuzz.places import choose, places
from tests.fuzz.stores import INPLACE, part_shape, write

NAMES = ("helper", "flow", "kernel", "source_term", "limit", "mix")
VECTORS = ("v", "row", "cells", "vec")
SCALARS = ("t", "u", "level", "q")


@contextmanager
def function(
    g: Generation, names: set[str], result: tuple[Shape, ...], budget: int
) -> Iterator[None]:
    """A scope of its own: module constants stay visible, locals do not."""
    kept = (g.scope, g.taken, g.result, g.budget)
    g.scope = {name: var for name, var in g.scope.items() if name in g.constants}
    g.taken = set(g.scope) | names | {helper.name for helper in g.helpers}
    g.result, g.budget = result, budget
    yield
    g.scope, g.taken, g.result, g.budget = kept


def define(g: Generation) -> None:
    """Add one helper to the module."""
    name = NAMES[len(g.helpers)]
    g.taken.add(name)
    kind = g.weighted(
        ("scalar", "vector", "reduce", "mutate", "loop", "view"), (4, 3, 2, 4, 2, 0.7)
    )
    g.tag(f"helper_{kind}")
    shape = g.pick(g.shapes[:5])
    params: tuple[Shape, ...] = {
        "scalar": ((),) if g.chance(0.6) else ((), ()),
        "vector": (shape,) if g.chance(0.5) else (shape, ()),
        "reduce": (shape,),
        "mutate": (shape, ()) if g.chance(0.5) else (shape,),
        "loop": (g.shape(1), ()),
        "view": (g.shape(1),),
    }[kind]
    result: Shape | None = params[0] if kind in ("vector", "view") else ()
    if kind == "mutate":
        result = shape if g.chance(0.4) else None
    with function(g, {name}, (result or (),), g.rng.randint(0, 3)):
        names = _declare(g, params, frozen=kind != "mutate")
        body = _body(g, kind, names, result)
        default = " = 0.7" if len(names) == 2 and g.chance(0.25) and params[1] == () else ""
        head = f"def {name}({', '.join(names)}{default}):"
    if default:
        g.tag("helper_default")
        params = params[:1] if g.chance(0.6) else params
    g.helpers.append(Helper(name, params, result, kind == "mutate"))
    g.module += [head, *indent(body), ""]


def _declare(g: Generation, params: tuple[Shape, ...], frozen: bool) -> list[str]:
    names = []
    for shape in params:
        free = [n for n in (VECTORS if shape else SCALARS) if n not in g.taken]
        name = g.take(g.pick(free))
        var = g.declare(Var(name, "array" if shape else "float", shape), 2.0)
        if shape and frozen:
            g.frozen.add(var.storage)
        names.append(name)
    return names


def _body(g: Generation, kind: str, names: list[str], result: Shape | None) -> list[str]:
    x = names[0]
    match kind:
        case "mutate":
            return _mutating(g, g.scope[x], result)
        case "loop":
            s, i = g.fresh("float"), g.fresh("loop")
            g.declare(Var(s, "float"), CALM)
            step = f"{s} = {g.number(0.2, 0.8)} * {s} + {x}[{i}] * {names[1]}"
            test = f"    if {s} > {g.number(0.5, 1.5)}:"
            stop = g.pick(([], [test, "        break"], [test, f"        return {s}"]))
            return [
                f"{s} = 0.0",
                f"for {i} in range(len({x})):",
                f"    {step}",
                *stop,
                f"return {s}",
            ]
        case "view":
            return [f"return {x}[{g.pick(('::-1', ':'))}]"]
    lines = []
    if kind == "scalar" and g.chance(0.4):
        g.tag("helper_early_return")
        lines += [f"if {g.test(1)}:", f"    return {results(g, 1)}"]
    if g.budget > 0 and g.chance(0.5):
        lines += g.statement()
    return [*lines, f"return {results(g, 2)}"]


def _mutating(g: Generation, var: Var, result: Shape | None) -> list[str]:
    """Write into the parameter; perhaps hand it back, which makes the result an alias."""
    lines = []
    for _ in range(g.rng.randint(1, 2)):
        shape = part_shape(g, var)
        found = [p for p in places(g, var, shape) if p.store]
        lines.append(write(g, var, choose(g, found), shape, ("=", *INPLACE)))
    if g.chance(0.3):
        lines.append(write(g, var, var.name, var.shape, INPLACE))
    if result is None:
        return lines
    if g.chance(0.5):
        g.tag("helper_returns_argument")
        return [*lines, f"return {var.name}"]
    return [*lines, f"return {var.name}.copy()"]


def callable_here(g: Generation) -> list[tuple[Helper, Var]]:
    found = [(h, v) for h in g.helpers if h.mutates for v in g.writable("array")]
    return [(h, v) for h, v in found if v.shape == h.params[0]]


@rule("call_mutating_helper", 14, when=lambda g: bool(callable_here(g)), inside=24)
def _call(g: Generation) -> list[str]:
    helper, var = g.pick(callable_here(g))
    if g.loops:
        g.tag("helper_called_in_loop")
    rest = [f", {g.settle(g.scalar(1), 1.5).text}" for _ in helper.params[1:]]
    g.grow(var, CALM)
    call = f"{helper.name}({var.name}{''.join(rest)})"
    if helper.result is None or g.chance(0.3):
        return [call]
    if var.fixed or g.chance(0.5):
        alias = g.declare(replace(var, name=g.fresh("array"), fixed=False))
        return [f"{alias.name} = {call}"]
    g.touch(var)
    return [f"{var.name} = {call}"]


@rule("call_on_part", 3, cost=2, when=lambda g: any(h.mutates for h in g.helpers))
def _call_on_part(g: Generation) -> list[str]:
    """The helper writes through a view that only the call names."""
    helper = g.pick([h for h in g.helpers if h.mutates])
    shape = helper.params[0]
    wide = (shape[0] + 1,) if len(shape) == 1 else (shape[0] + 1, shape[1])
    e = g.calm(g.array(wide, 1), array=True)
    var = bind_array(g, wide, CALM)
    rest = [f", {g.settle(g.scalar(1), 1.5).text}" for _ in helper.params[1:]]
    part = f"{var.name}[{g.pick(('1:', ':-1'))}]"
    return [
        f"{var.name} = {g.number(0.5, 1.5)} * ({e.text})",
        f"{helper.name}({part}{''.join(rest)})",
    ]
