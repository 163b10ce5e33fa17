"""Tuples: made, sliced, unpacked with stars, nested, swapped, returned, compared."""

from tests.fuzz.grammar import Generation
from tests.fuzz.topics import define, has_vector, new_float, small, topic, vector

rule = topic("tuples")


@rule("tuple_star")
def _star(g: Generation) -> list[str]:
    values = [small(g) for _ in range(g.rng.randint(2, 4))]
    rest = g.fresh("list")
    a = new_float(g)
    target = g.pick((f"{a}, *{rest}", f"*{rest}, {a}"))
    made = g.pick((f"{', '.join(values)}", f"[{', '.join(values)}]"))
    return [f"{target} = {made}", f"{new_float(g, 6.0)} = {a} * sum({rest})"]


@rule("tuple_star_array", when=has_vector)
def _star_array(g: Generation) -> list[str]:
    x = g.fresh("list")
    a = new_float(g)
    return [
        f"{a}, *{x} = {vector(g).name}.tolist()",
        f"{new_float(g, 6.0)} = {a} + sum({x}) + len({x})",
    ]


@rule("tuple_parts")
def _parts(g: Generation) -> list[str]:
    made, name = g.fresh("list"), new_float(g, 6.0)
    values = ", ".join(small(g) for _ in range(3))
    value = g.pick(
        (
            f"{made}[0] * {made}[-1]",
            f"sum({made}[1:])",
            f"max({made}) - min({made})",
            f"sum(({made} + ({g.number(0.3, 0.9)},))[::-1][:2])",
            f"sum(q_ * k_ for k_, q_ in enumerate({made}))",
            f"len({made}) * {made}[1]",
            f"np.sum(np.array({made}) ** 2)",
            f"np.hypot(*{made}[:2])",
        )
    )
    return [f"{made} = ({values})", f"{name} = {value}"]


@rule("tuple_nested")
def _nested(g: Generation) -> list[str]:
    a, b, c = (small(g) for _ in range(3))
    x, y, z = new_float(g), new_float(g), new_float(g)
    return [f"({x}, ({y}, {z})) = ({a}, ({b}, {c}))"]


@rule("tuple_loop", weight=16)
def _loop(g: Generation) -> list[str]:
    """Pairs that a loop runs over, or carries."""
    name, a, b = new_float(g, 6.0), small(g), small(g)
    if g.chance(0.5):
        return [
            f"{name} = 0.0",
            f"for p_, q_ in (({a}, 1.0), ({b}, {g.number(0.3, 0.9)}), (0.5, {a})):",
            f"    {name} += p_ * q_",
        ]
    pair = g.fresh("list")
    return [
        f"{pair} = ({a}, {b})",
        f"for _ in range({g.rng.randint(1, 3)}):",
        f"    {pair} = ({pair}[1], {g.number(0.3, 0.6)} * {pair}[0] + 0.3 * {pair}[1])",
        f"{name} = {pair}[0] * {pair}[1]",
    ]


@rule("tuple_conditional")
def _conditional(g: Generation) -> list[str]:
    a, b = new_float(g), new_float(g)
    pairs = [f"({small(g)}, {small(g, 0)})" for _ in range(2)]
    return [f"{a}, {b} = {pairs[0]} if {g.test(1)} else {pairs[1]}"]


@rule("tuple_result")
def _result(g: Generation) -> list[str]:
    """A helper returns a nested tuple, of which a part is read."""
    name = define(
        g,
        "moments",
        "def NAME(a, b):",
        "    if a > b:",
        "        return (a * b, a), b - a",
        "    return (a + b, b), a * 0.5",
    )
    call = f"{name}({small(g)}, {small(g)})"
    return [
        g.pick(
            (
                f"({new_float(g)}, {new_float(g)}), {new_float(g)} = {call}",
                f"{new_float(g)} = {call}[0][1]",
                f"{new_float(g)} = sum({call}[0])",
                f"(_, {new_float(g)}), _ = {call}",
            )
        )
    ]


@rule("tuple_zip", when=has_vector)
def _zip(g: Generation) -> list[str]:
    name, x = new_float(g, 6.0), vector(g).name
    forms = (
        f"sum(p_ * q_ for p_, q_ in zip({x}, ({small(g)}, {small(g, 0)})))",
        f"max((q_, k_) for k_, q_ in enumerate({x}))[0]",
        f"sum(a_ * b_ for a_, b_ in [(q_, q_ + {small(g, 0)}) for q_ in {x}])",
        f"sorted((q_ * q_, q_) for q_ in {x})[0][1]",
        f"sum(np.sum(p_ * q_) for p_, q_ in zip(({x}, 2.0 * {x}), ({small(g, 0)}, 0.5)))",
    )
    return [f"{name} = {g.pick(forms)}"]


@rule("tuple_compared", weight=16)
def _compared(g: Generation) -> list[str]:
    name = new_float(g)
    test = f"({small(g)}, {small(g, 0)}) {g.pick(('<', '>'))} ({small(g)}, 0.5)"
    return [f"{name} = {small(g)}", f"if {test}:", f"    {name} = {name} * {small(g, 0)}"]
