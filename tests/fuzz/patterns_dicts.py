"""Dicts: displays, entries read and written, methods, loops over them, as arguments and results."""

from tests.fuzz.grammar import Generation, indent
from tests.fuzz.topics import define, has_vector, new_array, new_float, small, topic, vector

rule = topic("dicts")


def made(g: Generation) -> tuple[str, str]:
    """A name and a display with the keys `a` and `b`."""
    name, first, second = g.fresh("list"), small(g), small(g)
    display = g.pick(
        (
            f"{{'a': {first}, 'b': {second}}}",
            f"dict(a={first}, b={second})",
            f"dict([('a', {first}), ('b', {second})])",
            f"{{k_: v_ for k_, v_ in zip(('a', 'b'), ({first}, {second}))}}",
            f"{{**{{'a': {first}}}, 'b': {second}}}",
            f"dict(zip(['a', 'b'], [{first}, {second}]))",
        )
    )
    return name, display


def value(g: Generation, d: str) -> str:
    return g.pick(
        (
            f"{d}['a'] * {d}['b']",
            f"sum({d}.values())",
            f"{d}.get('a') + {d}.get('z', {g.number(0.3, 0.9)})",
            f"sum(len(k_) * v_ for k_, v_ in {d}.items())",
            f"max({d}.values()) * {d}['a']",
            f"sum({d}[k_] ** 2 for k_ in {d})",
            f"sum({d}[k_] for k_ in sorted({d}))",
            f"{d}['b'] * len({d})",
            f"np.sum(np.array(list({d}.values())))",
        )
    )


@rule("dict_read")
def _read(g: Generation) -> list[str]:
    d, display = made(g)
    return [f"{d} = {display}", f"{new_float(g, 9.0)} = {value(g, d)}"]


@rule("dict_written")
def _written(g: Generation) -> list[str]:
    d, display = made(g)
    new = small(g)
    change = g.pick(
        (
            [f"{d}['a'] = {new}"],
            [f"{d}['b'] += {new}", f"{d}['a'] *= {d}['b']"],
            [f"{d}.update(a={new})"],
            [f"{d}.update({{'b': {new}, 'c': 0.5}})"],
            [f"{d}['c'] = {d}['a'] * {new}"],
            [f"{d}.setdefault('c', {new})", f"{d}.setdefault('a', 0.0)"],
            [f"{d} = {d} | {{'b': {new}}}"],
            [f"{d}['a'] = {d}.pop('b') * {new}", f"{d}['b'] = 1.0"],
            [f"{d}['c'] = {new}", f"del {d}['c']"],
            [f"for k_ in {d}:", f"    {d}[k_] = {d}[k_] * {new}"],
        )
    )
    return [f"{d} = {display}", *change, f"{new_float(g, 9.0)} = {value(g, d)}"]


@rule("dict_loop", weight=16)
def _loop(g: Generation) -> list[str]:
    d, display = made(g)
    name, i, c = new_float(g, 9.0), g.fresh("loop"), g.number(0.3, 0.8)
    lines = g.pick(
        (
            [
                f"for {i} in range({g.rng.randint(1, 3)}):",
                f"    {d}['a'] = {c} * {d}['a'] + {d}['b']",
            ],
            [
                f"for {i} in range({g.rng.randint(1, 3)}):",
                f"    {d}['b'], {d}['a'] = {d}['a'], {c} * {d}['b']",
            ],
            [f"for k_, v_ in {d}.items():", f"    {d}[k_] = {c} * v_ * v_"],
        )
    )
    return [f"{d} = {display}", *lines, f"{name} = {value(g, d)}"]


@rule("dict_conditional", weight=16)
def _conditional(g: Generation) -> list[str]:
    d, display = made(g)
    change = g.pick(
        (
            [f"{d}['a'] = {small(g)}"],
            [f"{d}['b'] *= {g.number(0.3, 0.9)}"],
            [f"{d} = {{'a': {small(g)}, 'b': 1.0}}"],
        )
    )
    return [
        f"{d} = {display}",
        f"if {g.test(1)}:",
        *indent(change),
        f"{new_float(g, 9.0)} = {value(g, d)}",
    ]


@rule("dict_argument")
def _argument(g: Generation) -> list[str]:
    d, display = made(g)
    helper = define(
        g,
        "evaluate",
        "def NAME(p, scale=1.0):",
        (
            g.pick(
                (
                    "    total = 0.0",
                    "    p = dict(p)",
                    "    total = p['a'] - p['b']",
                )
            )
            if g.chance(0.5)
            else "    total = p['a'] * 0.5"
        ),
        "    for key in p:",
        "        total += scale * p[key] ** 2",
        "    if p['a'] > p['b']:",
        "        total = total * p['a']",
        "    return total",
    )
    call = g.pick((f"{helper}({d})", f"{helper}({d}, {small(g, 0)})", f"{helper}(p={d}, scale=.5)"))
    return [f"{d} = {display}", f"{new_float(g, 9.0)} = {call}"]


@rule("dict_result")
def _result(g: Generation) -> list[str]:
    helper = define(
        g,
        "pack",
        "def NAME(a, b):",
        "    out = {'a': a * b}",
        g.pick(("    out['b'] = a - b", "    out.update(b=b if a > b else a * a)")),
        "    return out",
    )
    d = g.fresh("list")
    return [f"{d} = {helper}({small(g)}, {small(g)})", f"{new_float(g, 9.0)} = {value(g, d)}"]


@rule("dict_nested")
def _nested(g: Generation) -> list[str]:
    d, a, b = g.fresh("list"), small(g), small(g)
    change = g.pick(
        ([], [f"{d}['in']['x'] = {a}"], [f"{d}['in']['x'] += {d}['out']"], [f"{d}['out'] = {a}"])
    )
    return [
        f"{d} = {{'out': {a}, 'in': {{'x': {b}, 'y': 0.5}}}}",
        *change,
        f"{new_float(g)} = {d}['in']['x'] * {d}['out'] + {d}['in']['y']",
    ]


@rule("dict_of_arrays", when=has_vector)
def _arrays(g: Generation) -> list[str]:
    x, c = vector(g), small(g, 0)
    d = g.fresh("list")
    y = new_array(g, x.shape)
    change = g.pick(
        (
            [f"{d}['u'] = {d}['u'] * {c}"],
            [f"{d}['v'][0] = {c}"],
            [f"{d}['v'] += {d}['u']"],
            [f"for k_ in range({x.shape[0]}):", f"    {d}['v'][k_] = {d}['u'][k_] * {c}"],
        )
    )
    return [
        f"{d} = {{'u': {x.name} * 0.5, 'v': np.zeros({x.shape[0]})}}",
        *change,
        f"{y} = {d}['u'] - {d}['v']",
    ]


@rule("dict_of_lists", weight=12)
def _lists(g: Generation) -> list[str]:
    d, a = g.fresh("list"), small(g)
    change = g.pick((f"{d}['a'].append({a})", f"{d}['a'][0] = {a}", f"{d}['b'].extend([{a}, 1.0])"))
    value = f"sum({d}['a']) * {d}['b'][-1]"
    display = f"{{'a': [0.5, {small(g, 0)}], 'b': [{small(g, 0)}]}}"
    return [f"{d} = {display}", change, f"{new_float(g, 9.0)} = {value}"]


@rule("dict_keys", weight=16)
def _keys(g: Generation) -> list[str]:
    """Keys that are numbers, and one that a variable holds."""
    d, key = g.fresh("list"), g.fresh("int")
    name = new_float(g)
    return [
        f"{d} = {{0: {small(g)}, 1: {small(g)}, 2: {g.number(0.3, 0.9)}}}",
        f"{key} = {g.rng.randint(0, 2)}",
        f"{name} = {d}[{key}] * {g.pick((f'{d}[0]', f'{d}[2 - {key}]', f'len({d})'))}",
    ]
