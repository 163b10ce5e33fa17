"""Kinds of values: integers beside floats, numbers beside arrays, questions after the kind."""

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

rule = topic("kinds")


@rule("rounding")
def _rounding(g: Generation) -> list[str]:
    t, s = new_float(g, 6.0), small(g)
    forms = (
        f"{s} - int({small(g)} * 3)",
        f"{s} * round({small(g)})",
        f"round({s}, 1) + {small(g, 0)}",
        f"{s} * ({small(g)} // 0.7)",
        f"({s}) % 1.3 + {small(g, 0)}",
        f"{s} * (7 // 2) + 7 % 3",
        f"{s} + np.floor({small(g)}) * 0.5",
        f"divmod({s}, 0.8)[1]",
        f"math.fmod({s}, 0.9)" if g.math else f"np.fmod({s}, 0.9)",
        f"abs({s}) ** 2 - np.trunc({small(g)})",
        f"{s} * np.sign({small(g)}) + np.heaviside({small(g)}, 0.5)",
    )
    return [f"{t} = {g.pick(forms)}"]


@rule("int_computed", when=has_vector)
def _int(g: Generation) -> list[str]:
    """An index computed from floats and integers."""
    x = vector(g)
    n, k = x.shape[0], g.fresh("int")
    form = g.pick(
        (
            f"int(abs({small(g)}) * 2) % {n}",
            f"(3 * {n} + 1) // 2 % {n}",
            f"int(np.sum({x.name} > 0)) % {n}",
            f"min(round(abs({small(g)})), {n - 1})",
            f"int({small(g)} > 0.2) % {n}",
            f"len([q_ for q_ in range({n}) if q_ % 2]) % {n}",
        )
    )
    return [f"{k} = {form}", f"{new_float(g)} = {x.name}[{k}] * (1 + {k}) + {k} ** 2"]


@rule("bool_arithmetic")
def _bool(g: Generation) -> list[str]:
    t = new_float(g, 6.0)
    forms = (
        f"{small(g)} * ({small(g)} > {g.number(-0.3, 0.6)})",
        f"({small(g)} > 0.1) + ({small(g)} < 0.5) * {small(g, 0)}",
        f"{small(g)} * (not {g.test(1)})",
        f"sum([{small(g)} > 0.1, True, {small(g, 0)}])",
        f"float({small(g)} > 0.0) * {small(g)}",
        f"[{small(g)}, {small(g, 0)}][int({small(g)} > 0.2)]",
        f"({small(g)}, {small(g, 0)})[int({small(g)} < 0.1)]",
    )
    return [f"{t} = {g.pick(forms)}"]


@rule("kind_of_argument", when=has_vector)
def _isinstance(g: Generation) -> list[str]:
    """One helper for numbers and arrays."""
    asked = g.pick(
        (
            "isinstance(x, np.ndarray)",
            "not np.isscalar(x)",
            "np.ndim(x) > 0",
            "not isinstance(x, (int, float))",
            "hasattr(x, 'shape') and np.shape(x) != ()",
        )
    )
    name = define(
        g,
        "either",
        "def NAME(x):",
        f"    if {asked}:",
        "        return np.sum(x * x)",
        "    return 0.5 * x",
    )
    t, s = new_float(g, 9.0), small(g)
    form = g.pick(
        (
            f"{name}({vector(g).name}) + {name}({s})",
            f"{name}({s}) * {name}({s} * {s})",
            f"{name}(2) + {name}({vector(g).name} * {s})",
        )
    )
    return [f"{t} = {form}"]


@rule("at_least", when=has_vector)
def _atleast(g: Generation) -> list[str]:
    name = define(
        g,
        "total_of",
        "def NAME(x, c):",
        f"    x = {g.pick(('np.atleast_1d(x)', 'np.asarray(x)', 'np.array(x, ndmin=1)'))}",
        "    y = c * x",
        "    return np.sum(y * y) + y.sum()",
    )
    given = g.pick((vector(g).name, small(g), f"[{small(g)}, 0.5]", f"({small(g)}, 1.0)"))
    return [f"{new_float(g, 9.0)} = {name}({given}, {small(g, 0)})"]


@rule("number_or_array", weight=20, when=vector_at_top)
def _either(g: Generation) -> list[str]:
    """A literal on one path, an array on the other."""
    x, t = vector(g), g.fresh("array")
    y = new_array(g, x.shape)
    start = g.pick(("0.0", "1.0", g.number(0.3, 0.9)))
    change = g.pick(
        (
            [f"if {g.test(1)}:", f"    {t} = {x.name} * {small(g, 0)}"],
            [f"if {g.test(1)}:", f"    {t} = {x.name}[:, None] * {x.name}"],
            ["for k_ in range(2):", f"    {t} = {t} * 0.5 + {x.name}"],
            [f"for k_ in range({g.rng.randint(0, 2)}):", f"    {t} = {t} + k_ * {x.name}"],
            ["for q_ in (0.3, 0.7):", f"    {t} = q_ * {t} * {small(g, 0)} + {x.name}"],
            ["for q_ in (0.3, 0.7):", f"    {t} += q_ * {x.name}"],
        )
    )
    value = g.pick((f"np.sum({t} * {x.name})", f"np.sum({t} + {x.name} * {t})", f"np.sum({t})"))
    return [f"{t} = {start}", *change, f"{y} = {x.name} * 0.5 + {value}"]


@rule("integers_widen", weight=16)
def _widen(g: Generation) -> list[str]:
    """A name that is an integer first and a float later."""
    t, i = new_float(g, 6.0), g.fresh("loop")
    form = g.pick(
        (
            [f"{t} = 1", f"for {i} in range(3):", f"    {t} = {t} * {small(g, 0)} + {i}"],
            [f"{t} = 0", f"for {i} in range(1, 4):", f"    {t} += {small(g, 0)} / {i}"],
            [f"{t} = 2", f"if {g.test(1)}:", f"    {t} = {small(g)}"],
            [f"{t} = 3", f"{t} /= 2", f"{t} *= {small(g)}"],
            [f"{t} = True", f"{t} = {t} * {small(g)}"],
        )
    )
    return form


@rule("module_table")
def _table(g: Generation) -> list[str]:
    """Tables of the module: nested, of names, of numbers."""
    rows = [f"({g.number(-1, 1)}, {g.number(0.3, 1)})" for _ in range(3)]
    kind = g.pick(("rows", "named", "deep"))
    text = {
        "rows": f"NAME = [{', '.join(rows)}]",
        "named": f"NAME = {{'low': {rows[0]}, 'high': {rows[1]}}}",
        "deep": f"NAME = {{'low': {{'c': {rows[0]}, 'n': 2}}, 'high': {{'c': {rows[1]}, 'n': 3}}}}",
    }[kind]
    name, t, s = define(g, "TABLES", text), new_float(g, 9.0), small(g)
    key = g.pick(("low", "high"))
    if kind == "rows":
        return g.pick(
            (
                [f"{t} = sum(a_ * ({s}) ** k_ for k_, (a_, _) in enumerate({name}))"],
                [f"{t} = 0.0", f"for a_, b_ in {name}:", f"    {t} = {t} * 0.5 + a_ * {s} + b_"],
                [f"{t} = {name}[{g.rng.randint(0, 2)}][1] * {s}"],
            )
        )
    if kind == "named":
        return [f"a_, b_ = {name}['{key}']", f"{t} = a_ + b_ * {s}"]
    return [
        f"entry_ = {name}['{key}']",
        f"{t} = sum(c_ * {s} for c_ in entry_['c']) + ({s}) ** entry_['n']",
    ]
