"""Calls of helpers that loop: several results, all kinds of arguments, writes, recursion."""

from tests.fuzz.grammar import CALM, Generation
from tests.fuzz.stores import copied
from tests.fuzz.topics import (
    define,
    has_vector,
    new_array,
    new_float,
    small,
    top,
    topic,
    vector,
    vector_at_top,
)

rule = topic("calls")


@rule("call_several_results", when=has_vector)
def _several(g: Generation) -> list[str]:
    stop = g.pick(([], [f"        if total > {g.number(0.5, 2)}:", "            break"]))
    name = define(
        g,
        "summary",
        f"def NAME(v, scale={g.number(0.5, 1.5)}, start=0.0):",
        "    total, peak = start, v[0]",
        "    for e in v:",
        "        total += scale * e * e",
        *stop,
        "        if e > peak:",
        "            peak = e",
        "    return total, peak",
    )
    x, by = vector(g).name, small(g)
    given = g.pick((x, f"{x}, {by}", f"{x}, start={by}", f"start={by}, v={x}", f"{x}, {by}, 0.5"))
    if g.chance(0.4):
        first, second = new_float(g, 6.0), new_float(g)
        return [f"{first}, {second} = {name}({given})"]
    k = g.rng.randint(0, 1)
    return [f"{new_float(g, 6.0)} = {name}({given})[{k}]"]


@rule("call_any_number")
def _variadic(g: Generation) -> list[str]:
    name = define(
        g,
        "blend",
        f"def NAME(first, *rest, weight={g.number(0.3, 0.9)}):",
        "    acc = first",
        "    for one in rest:",
        f"        acc = {g.pick(('acc * weight + one', 'acc + weight * one * one'))}",
        "    return acc",
    )
    values = [small(g) for _ in range(g.rng.randint(1, 3))]
    if g.chance(0.3):
        values[-1] = f"*({values[-1]}, {small(g)})"
    more = g.pick(("", "", f", weight={small(g, 0)}"))
    return [f"{new_float(g, 6.0)} = {name}({', '.join(values)}{more})"]


@rule("call_keywords")
def _keywords(g: Generation) -> list[str]:
    name = define(
        g,
        "tune",
        "def NAME(t, **options):",
        f"    gain = options.get('gain', {g.number(0.5, 1.5)})",
        "    if 'bias' in options:",
        "        t = t + options['bias']",
        "    for key, value in options.items():",
        "        t += 0.1 * value * len(key)",
        "    return gain * t",
    )
    t, by = small(g), small(g, 0)
    more = g.pick(("", f", gain={by}", f", bias={by}", f", **{{'bias': {by}, 'gain': 0.7}}"))
    return [f"{new_float(g, 6.0)} = {name}({t}{more})"]


@rule("call_writes", when=vector_at_top)
def _writes(g: Generation) -> list[str]:
    forms = (
        ("    for i in range(1, len(v)):", "        v[i] += w * v[i - 1]"),
        ("    for i in range(len(v) - 1):", "        v[i] = np.sin(v[i + 1]) + w * v[i]"),
        ("    for i, e in enumerate(v):", "        v[i] = e * w + 0.1 * i"),
        ("    k = 0", "    while k < len(v):", "        v[k] *= w", "        k += 2"),
    )
    result = g.pick(([], [], ["    return v[0]"], ["    return v"], ["    return v, w * w"]))
    name = define(g, "relax", "def NAME(v, w=0.4):", *g.pick(forms), *result)
    lines, y = copied(g, vector(g).shape)
    g.grow(y, CALM)
    call = f"{name}({y.name}{g.pick(('', f', {small(g, 0)}', f', w={small(g, 0)}'))})"
    if result == ["    return v[0]"]:
        call = f"{new_float(g)} = {call}"
    elif result == ["    return v, w * w"]:
        call = f"_, {new_float(g)} = {call}"
    twice = [f"for _ in range({g.rng.randint(2, 3)}):", f"    {call}"]
    return [*lines, *g.pick(([call], [call, call], twice))]


@rule("call_writes_result", when=vector_at_top)
def _out(g: Generation) -> list[str]:
    """The result is written into an array that the caller made."""
    name = define(
        g,
        "fill_in",
        "def NAME(out, v, c):",
        "    for i in range(len(v)):",
        g.pick(
            ("        out[i] = c * v[i] * v[-1 - i]", "        out[i] += v[i] if v[i] > c else c")
        ),
    )
    x, by = vector(g), small(g)
    y = new_array(g, x.shape)
    return [f"{y} = np.zeros(len({x.name}))", f"{name}({y}, {x.name}, {by})"]


@rule("call_recursive")
def _recursive(g: Generation) -> list[str]:
    kind = g.pick(("power", "fib", "newton"))
    body = {
        "power": ("    if n == 0:", "        return 1.0", "    return 0.8 * t * NAME(t, n - 1)"),
        "fib": (
            "    if n <= 1:",
            "        return t if n else 0.5",
            "    return 0.6 * NAME(t, n - 1) + 0.3 * NAME(t * 0.9, n - 2)",
        ),
        "newton": (
            "    if n <= 0:",
            "        return t",
            "    s = t - 0.3 * (t * t - 2.0) / (1.0 + t * t)",
            "    return NAME(s, n - 1)",
        ),
    }[kind]
    name = define(g, kind, "def NAME(t, n):", *body)
    return [f"{new_float(g)} = {name}({small(g)}, {g.rng.randint(0, 4)})"]


@rule("call_recursive_array", when=has_vector)
def _recursive_array(g: Generation) -> list[str]:
    by_index = (
        "def NAME(v, i=0):",
        "    if i >= len(v):",
        "        return 0.0",
        f"    return v[i] * v[i] + {g.number(0.3, 0.7)} * NAME(v, i + 1)",
    )
    by_half = (
        "def NAME(v):",
        "    if len(v) == 1:",
        "        return v[0]",
        "    half = len(v) // 2",
        "    return np.sin(NAME(v[:half])) + 0.5 * NAME(v[half:])",
    )
    name = define(g, "fold", *g.pick((by_index, by_half)))
    return [f"{new_float(g, 6.0)} = {name}({vector(g).name})"]


@rule("call_chain", when=has_vector)
def _chain(g: Generation) -> list[str]:
    inner = define(
        g,
        "flux",
        "def NAME(a, b, c):",
        f"    if a * b > {g.number(0.0, 0.4)}:",
        "        return c * (a - b)",
        "    return c * np.tanh(a) - b",
    )
    outer = define(
        g,
        "march",
        "def NAME(v, c, steps=2):",
        "    total = 0.0",
        "    for _ in range(steps):",
        "        new = np.zeros(len(v))",
        "        for i in range(len(v)):",
        f"            new[i] = v[i] + 0.2 * {inner}(v[i - 1], v[i], c)",
        "        v = new",
        "        total = total + v[0]",
        "    return v, total",
    )
    x, by = vector(g), small(g)
    y = new_array(g, x.shape)
    return [f"{y}, {new_float(g)} = {outer}({x.name}, {by}{g.pick(('', ', steps=3', ', 1'))})"]


@rule("call_early_returns", when=has_vector)
def _early(g: Generation) -> list[str]:
    name = define(
        g,
        "locate",
        "def NAME(v, limit):",
        "    for i, e in enumerate(v):",
        "        if e > limit:",
        "            return e * limit, i",
        "        if e * e > 2.0:",
        "            break",
        "    else:",
        "        return limit, -1",
        "    return limit * limit, 0",
    )
    t, k = new_float(g), g.fresh("int")
    by = g.number(-0.3, 0.9)
    return [
        f"{t}, {k} = {name}({vector(g).name}, {by} + 0.1 * {small(g, 0)})",
        f"{t} = {t} * (1 + {k})",
    ]


@rule("call_arrays", when=lambda g: top(g) and has_vector(g))
def _arrays(g: Generation) -> list[str]:
    """Several arrays as results, one of them perhaps an argument."""
    name = define(
        g,
        "split_in",
        "def NAME(v, c):",
        "    low, high = v.copy(), np.zeros_like(v)",
        "    for i in range(len(v)):",
        "        if v[i] > c:",
        "            high[i] = v[i] - c",
        "            low[i] = c",
        g.pick(("    return low, high", "    return high, low * high")),
    )
    x = vector(g)
    y, z = new_array(g, x.shape), new_array(g, x.shape)
    return [f"{y}, {z} = {name}({x.name}, {g.number(-0.4, 0.6)} * {small(g, 0)})"]
