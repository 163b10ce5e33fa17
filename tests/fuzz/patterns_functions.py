"""Functions as values: lambdas, closures, factories, tables, functions that are handed over."""

from tests.fuzz.assignments import free_floats
from tests.fuzz.grammar import Generation
from tests.fuzz.topics import (
    define,
    has_vector,
    new_array,
    new_float,
    small,
    topic,
    vector,
    vector_at_top,
)

rule = topic("functions")
UNARY = ("math.sin", "np.tanh", "math.cos", "np.cos", "abs")


def unary(g: Generation) -> str:
    """A function of a number, by name or in place."""
    floats = [v.name for v in g.find("float")]
    by = g.pick(floats) if floats and g.chance(0.5) else g.number(0.4, 1.2)
    written = (f"lambda q_: q_ * {by}", f"lambda q_: {by} / (1.0 + q_ * q_)")
    named = [n for n in UNARY if g.math or not n.startswith("math.")]
    return g.pick((*written, *named))


@rule("lambda_local")
def _lambda(g: Generation) -> list[str]:
    name, body = f"fn_{g.rng.randint(1, 99)}", small(g, 0)
    g.take(name)
    default = g.pick(("", f"=({small(g, 0)})"))
    call = f"{name}({small(g)})" if default and g.chance(0.5) else f"{name}({small(g)}, {small(g)})"
    if not default:
        call = f"{name}({small(g)}, {small(g, 0)})"
    line = f"{name} = lambda p_, q_{default}: p_ * q_ + {body}"
    return [line, f"{new_float(g, 6.0)} = {call}"]


@rule("closure_reads")
def _closure(g: Generation) -> list[str]:
    """A function inside reads a variable around it, as that is when it is called."""
    s = new_float(g)
    name = f"inner_{s}"
    first, more = small(g), small(g, 0)
    body = g.pick(([f"    return p_ * {s}"], ["    q_ = p_ * p_", f"    return {s} + 0.3 * q_"]))
    head = [f"{s} = {first}", f"def {name}(p_):", *body]
    later = g.pick(([], [f"{s} = {s} * {g.number(0.3, 0.9)}"]))
    return [*head, *later, f"{new_float(g, 6.0)} = {name}({more})"]


@rule("closure_nonlocal", weight=16)
def _nonlocal(g: Generation) -> list[str]:
    s = new_float(g)
    name = f"bump_{s}"
    start, by = small(g), small(g, 0)
    lines = [
        f"{s} = {start}",
        f"def {name}(p_):",
        f"    nonlocal {s}",
        f"    {s} {g.pick(('+=', '*='))} {g.number(0.3, 0.9)} * p_",
    ]
    calls = g.pick(
        (
            [f"{name}({by})", f"{name}({s})"],
            [f"for {g.fresh('loop')} in range({g.rng.randint(1, 3)}):", f"    {name}({by})"],
        )
    )
    return [*lines, *calls]


@rule("closure_factory")
def _factory(g: Generation) -> list[str]:
    name = define(
        g,
        "make",
        "def NAME(c, shift=0.0):",
        "    def inner(t):",
        (
            g.pick(("        return c * t + shift", "        return math.sin(c * t) - shift"))
            if g.math
            else "        return c * t + shift"
        ),
        "    return inner",
    )
    made, c, t = f"made_{g.rng.randint(1, 99)}", small(g), small(g)
    g.take(made)
    if g.chance(0.4):
        return [f"{new_float(g, 6.0)} = {name}({c})({t})"]
    more = g.pick(("", f", {small(g, 0)}", f", shift={small(g, 0)}"))
    return [
        f"{made} = {name}({c}{more})",
        f"{new_float(g, 9.0)} = {made}({t}) + {made}({g.number(0, 1)})",
    ]


@rule("function_argument")
def _handed(g: Generation) -> list[str]:
    kind = g.pick(("integrate", "apply_twice", "slope_of"))
    body = {
        "integrate": (
            "    h, total = (b - a) / 4, 0.0",
            "    for k in range(4):",
            "        total += 0.5 * h * (fn(a + k * h) + fn(a + (k + 1) * h))",
            "    return total",
        ),
        "apply_twice": ("    return fn(fn(a)) + b",),
        "slope_of": ("    h = 0.01", "    return (fn(a + h) - fn(a - h)) / (2 * h) * b"),
    }[kind]
    name = define(g, kind, "def NAME(fn, a, b=1.0):", *body)
    return [f"{new_float(g, 6.0)} = {name}({unary(g)}, {small(g)}{g.pick(('', ', 0.5'))})"]


@rule("function_solver")
def _solver(g: Generation) -> list[str]:
    """Bisection and Newton steps of a function that is handed over, closures included."""
    name = define(
        g,
        "solve",
        "def NAME(fn, t, steps=3, *args):",
        "    for _ in range(steps):",
        "        t = t - 0.2 * fn(t, *args)",
        "        if abs(t) > 3.0:",
        "            return t * 0.5",
        "    return t",
    )
    by = small(g, 0)
    fn = g.pick((f"lambda q_: q_ * q_ - {by}", "lambda q_, r_=0.5: q_ - r_ * q_ * q_"))
    if g.chance(0.4):
        fn, more = "lambda q_, r_: q_ - r_", f", 2, {by}"
    else:
        more = g.pick(("", ", 2", ", steps=2"))
    return [f"{new_float(g)} = {name}({fn}, {small(g)}{more})"]


@rule("dispatch_table")
def _dispatch(g: Generation) -> list[str]:
    first = define(g, "smooth", "def NAME(t, c=0.5):", "    return c * t / (1.0 + t * t)")
    second = define(
        g,
        "steep",
        "def NAME(t, c=0.5):",
        "    u = t * t",
        "    return u * c if t > 0.2 else -c",
    )
    entries = f"{{'smooth': {first}, 'steep': {second}, 'cos': np.cos}}"
    name = define(g, "KINDS", f"NAME = {entries}")
    key = g.pick(("smooth", "steep", "cos"))
    call = g.pick((f"{name}['{key}']", f"{name}.get('{key}', np.sin)"))
    lines = [f"{new_float(g)} = {call}({small(g)})"]
    if g.chance(0.4):
        kind = f"kind_{g.rng.randint(1, 99)}"
        g.take(kind)
        lines = [f"{kind} = '{key}'", f"{new_float(g)} = {name}[{kind}]({small(g)})"]
    return lines


@rule("function_list", weight=12)
def _list(g: Generation) -> list[str]:
    """Functions in a display, called one after the other."""
    s, at = new_float(g, 4.0), small(g)
    fns = ", ".join(unary(g) for _ in range(g.rng.randint(2, 3)))
    return [f"{s} = 0.0", f"for fn_ in ({fns}):", f"    {s} += 0.5 * fn_({at})"]


@rule("map_filter", when=has_vector)
def _map(g: Generation) -> list[str]:
    x = vector(g).name
    forms = (
        f"sum(map({unary(g)}, {x}))",
        f"sum(list(map(lambda q_: q_ * q_, {x})))",
        f"sum(map(lambda q_, r_: q_ * r_, {x}, {x}[::-1]))",
        f"max(map({unary(g)}, {x}))",
    )
    return [f"{new_float(g, 6.0)} = {g.pick(forms)}"]


@rule("function_reduce", weight=8, when=has_vector)
def _reduce(g: Generation) -> list[str]:
    name = define(
        g,
        "fold_with",
        "def NAME(fn, items, start):",
        "    acc = start",
        "    for one in items:",
        "        acc = fn(acc, one)",
        "    return acc",
    )
    fn = g.pick(("lambda p_, q_: 0.5 * p_ + q_", "max", "lambda p_, q_: p_ if p_ > q_ else q_"))
    return [f"{new_float(g, 6.0)} = {name}({fn}, {vector(g).name}, {small(g, 0)})"]


@rule("closure_writes_array", weight=16, when=vector_at_top)
def _writes(g: Generation) -> list[str]:
    x = vector(g)
    y = new_array(g, x.shape)
    name = f"put_{y}"
    free = free_floats(g)
    by = g.pick(free).name if free else g.number(0.3, 0.9)
    return [
        f"{y} = {g.number(0.3, 0.9)} * {x.name}",
        f"def {name}(i_, q_):",
        f"    {y}[i_] {g.pick(('=', '+=', '*='))} q_ * {by}",
        g.pick((f"{name}(0, {small(g, 0)})", f"for k_ in range(len({y})): {name}(k_, 0.5)")),
    ]
