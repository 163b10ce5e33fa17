"""Loops as numerical programs have them: stencils, sweeps, recurrences, time stepping."""

from tests.fuzz.assignments import bind_array, bind_float, rule
from tests.fuzz.grammar import CALM, Expr, Generation, Var, indent
from tests.fuzz.indices import size
from tests.fuzz.stores import copied


def long_vectors(g: Generation) -> list[Var]:
    return [v for v in g.find("array", 1) if v.shape[0] >= 3]


def has_long(g: Generation) -> bool:
    return bool(long_vectors(g)) and not g.loops


def has_vector(g: Generation) -> bool:
    return bool(g.find("array", 1)) and not g.loops


def rate(g: Generation) -> str:
    """A small coefficient: a constant, or one that depends on an argument."""
    floats = g.find("float")
    if floats and g.chance(0.6):
        return f"{g.number(0.1, 0.3)} * np.tanh({g.pick(floats).name})"
    return g.number(0.1, 0.4)


def steps(g: Generation, body: list[str]) -> list[str]:
    """Some time steps of `body`."""
    if g.chance(0.3):
        return body
    return [f"for {g.fresh('loop')} in range({g.rng.randint(1, 3)}):", *indent(body)]


@rule("stencil_sweep", 2, cost=4, when=has_long)
def _sweep(g: Generation) -> list[str]:
    """In place and in order: each cell reads what the sweep has just written."""
    lines, y = copied(g, g.recent(long_vectors(g)).shape)
    i, c, n, u = g.fresh("loop"), rate(g), size(g, y.shape[0]), y.name
    g.grow(y, CALM)
    near, far = g.pick(((f"{u}[{i} - 1]", f"{u}[{i} + 1]"), (f"{u}[{i} + 1]", f"{u}[{i} - 1]")))
    if g.chance(0.5):
        g.tag("stencil_nonlinear")
        update = f"{u}[{i}] = {u}[{i}] + {c} * np.sin({near} * {far})"
    else:
        g.tag("stencil_linear")
        update = f"{u}[{i}] += {c} * ({near} - 2.0 * {u}[{i}] + {far})"
    order = g.pick((f"1, {n} - 1", f"1, {n} - 1", f"{n} - 2, 0, -1"))
    return [*lines, *steps(g, [f"for {i} in range({order}):", f"    {update}"])]


@rule("stencil_slices", 1.5, cost=3, when=has_long)
def _slices(g: Generation) -> list[str]:
    lines, y = copied(g, g.recent(long_vectors(g)).shape)
    u, c = y.name, rate(g)
    g.grow(y, CALM)
    second = f"{u}[2:] - 2.0 * {u}[1:-1] + {u}[:-2]"
    nonlinear = f"np.tanh({u}[2:] * {u}[:-2])"
    change = f"{c} * ({g.pick((second, second, nonlinear))})"
    update = g.pick((f"{u}[1:-1] += {change}", f"{u}[1:-1] = {u}[1:-1] + {change}"))
    edge = g.pick(([], [f"{u}[0] = {u}[-1]"], [f"{u}[0] = {g.calm(g.scalar(0)).text}"]))
    return [*lines, *steps(g, [update, *edge])]


@rule("double_buffer", 2, cost=5, when=has_long)
def _double_buffer(g: Generation) -> list[str]:
    lines, u = copied(g, g.recent(long_vectors(g)).shape)
    v = bind_array(g, u.shape, CALM)
    g.grow(u, CALM)
    i, c, n, a, b = g.fresh("loop"), rate(g), size(g, u.shape[0]), u.name, v.name
    made = g.pick((f"np.zeros_like({a})", f"{a}.copy()"))
    form = g.pick(
        (
            f"{b}[{i}] = {a}[{i}] + {c} * ({a}[{i} + 1] - {a}[{i} - 1])",
            f"{b}[{i}] = {a}[{i}] * (1.0 - {c} * {a}[{i} - 1] * {a}[{i} + 1])",
        )
    )
    inner = [f"for {i} in range(1, {n} - 1):", f"    {form}", f"{a}, {b} = {b}, {a}"]
    return [
        *lines,
        f"{b} = {made}",
        f"for {g.fresh('loop')} in range({g.rng.randint(1, 4)}):",
        *indent(inner),
    ]


@rule("recurrence", 2, cost=4, when=has_vector)
def _recurrence(g: Generation) -> list[str]:
    x = g.recent(g.find("array", 1))
    start = g.calm(g.scalar(1)).text
    c = rate(g)
    y, i = bind_array(g, x.shape, CALM).name, g.fresh("loop")
    form = g.pick(
        (
            f"{c} * {y}[{i} - 1] * {x.name}[{i}]",
            f"{c} * {y}[{i} - 1] + {x.name}[{i}]",
            f"np.sin({y}[{i} - 1] + {x.name}[{i}])",
            f"{y}[{i} - 1] / (1.0 + {x.name}[{i}] ** 2)",
        )
    )
    made = g.pick(
        (f"np.zeros_like({x.name})", f"np.empty_like({x.name})", f"np.zeros(len({x.name}))")
    )
    head = [f"{y} = {made}", f"{y}[0] = {start}"]
    return [*head, f"for {i} in range(1, {size(g, x.shape[0])}):", f"    {y}[{i}] = {form}"]


@rule("scan", 1.5, cost=4, when=has_vector)
def _scan(g: Generation) -> list[str]:
    """A running scalar, kept in an array at every step."""
    x = g.recent(g.find("array", 1))
    t = bind_float(g, Expr("", CALM))
    y, i, c = bind_array(g, x.shape, CALM).name, g.fresh("loop"), g.number(0.2, 0.8)
    update = g.pick(
        (f"{t} = {c} * {t} + {x.name}[{i}]", f"{t} = {g.math}sin({t} * {x.name}[{i}]) + {c}")
    )
    head = [
        f"{t} = {g.pick(('0.0', '1.0', '0', g.number(-1, 1)))}",
        f"{y} = np.zeros({x.shape[0]})",
    ]
    return [
        *head,
        f"for {i} in range({size(g, x.shape[0])}):",
        f"    {update}",
        f"    {y}[{i}] = {t}",
    ]


@rule("leapfrog", 0.7, cost=4, when=lambda g: not g.loops)
def _leapfrog(g: Generation) -> list[str]:
    q, p = g.calm(g.scalar(1)), g.calm(g.scalar(1))
    a, b = bind_float(g, Expr("", CALM)), bind_float(g, Expr("", CALM))
    c = g.number(0.1, 0.4)
    body = [f"{a} += {c} * {b}", f"{b} -= {c} * {g.math}sin({a})"]
    head = [f"{a} = {q.text}", f"{b} = {p.text}"]
    return [*head, f"for {g.fresh('loop')} in range({g.rng.randint(2, 5)}):", *indent(body)]


@rule("horner", 0.6, cost=3, when=has_vector)
def _horner(g: Generation) -> list[str]:
    x = g.recent(g.find("array", 1))
    at = f"{g.math}tanh{g.scalar(1)}"
    t, s = bind_float(g, Expr("", 1.0)), bind_float(g, Expr("", CALM))
    i = g.fresh("item")
    over = g.pick((x.name, f"{x.name}[::-1]", f"reversed({x.name})"))
    return [
        f"{t} = {at}",
        f"{s} = {g.pick(('0.0', '0'))}",
        f"for {i} in {over}:",
        f"    {s} = {s} * {t} + {i}",
    ]


@rule("accumulate", 1.5, cost=3, when=has_vector)
def _accumulate(g: Generation) -> list[str]:
    x = g.recent(g.find("array", 1))
    s, i = bind_float(g, Expr("", 6.0)), g.fresh("loop")
    start = g.pick(("0.0", "0.0", "0", "1.0"))
    e = g.pick(
        (
            f"{x.name}[{i}] * {x.name}[{i}]",
            f"{g.math}sin({x.name}[{i}])",
            f"{x.name}[{i}] ** 2 / ({i} + 1)",
        )
    )
    return [f"{s} = {start}", f"for {i} in range({size(g, x.shape[0])}):", f"    {s} += {e}"]


@rule("fixed_point", 0.6, cost=4, when=lambda g: not g.loops)
def _fixed_point(g: Generation) -> list[str]:
    """Newton's iteration for a root, with a fixed number of steps."""
    e = g.scalar(1)
    a = f"1.5 + {g.math}sin{e}"
    t, c = bind_float(g, Expr("", 2.0)), bind_float(g, Expr("", 2.5))
    update = g.pick(
        (f"{t} = 0.5 * ({t} + {c} / {t})", f"{t} = {t} - ({t} * {t} - {c}) / (2.0 * {t})")
    )
    head = [f"{c} = {a}", f"{t} = 1.0"]
    return [*head, f"for {g.fresh('loop')} in range({g.rng.randint(2, 5)}):", f"    {update}"]


@rule("search", 1.2, cost=4, when=has_vector)
def _search(g: Generation) -> list[str]:
    x = g.recent(g.find("array", 1))
    s, i = bind_float(g, Expr("", CALM)), g.fresh("loop")
    test = f"{x.name}[{i}] {g.pick(('>', '<'))} {g.number(-0.3, 0.6)}"
    body = [f"if {test}:", f"    {s} = {x.name}[{i}] * {g.number(0.5, 1.5)}", "    break"]
    lines = [f"{s} = {g.number(-1, 1)}", f"for {i} in range({size(g, x.shape[0])}):", *indent(body)]
    if g.chance(0.3):
        g.tag("loop_else")
        lines += ["else:", f"    {s} = {g.calm(g.scalar(1)).text}"]
    return lines


@rule("list_append", 0.6, cost=4, when=has_vector)
def _list_append(g: Generation) -> list[str]:
    x = g.recent(g.find("array", 1))
    items, i = g.fresh("list"), g.fresh("item")
    s = bind_float(g, Expr("", 4.0))
    total = g.pick((f"sum({items})", f"{items}[0] * {items}[-1]", f"np.sum(np.array({items}))"))
    body = f"    {items}.append({i} * {g.number(0.5, 1.5)})"
    return [f"{items} = []", f"for {i} in {x.name}:", body, f"{s} = {total}"]
