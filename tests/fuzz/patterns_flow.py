"""Control that numerical programs borrow: match, walrus, `else` of loops, exceptions, managers."""

from tests.fuzz.grammar import Generation, indent
from tests.fuzz.topics import define, has_vector, new_float, small, top, topic, vector

rule = topic("flow")


@rule("match_value")
def _match(g: Generation) -> list[str]:
    t, key = new_float(g), g.fresh("int")
    subject = g.pick((str(g.rng.randint(0, 3)), f"{g.rng.randint(3, 6)} % 3"))
    cases = [
        "case 0:",
        f"    {t} = {small(g)}",
        "case 1 | 2:",
        f"    {t} = {small(g)} * {small(g, 0)}",
        "case _:",
        f"    {t} = {g.number(0.3, 0.9)}",
    ]
    return [f"{key} = {subject}", f"match {key}:", *indent(cases)]


@rule("match_structure", weight=16)
def _match_structure(g: Generation) -> list[str]:
    t, a, b = new_float(g), small(g), small(g, 0)
    if g.chance(0.5):
        cases = [
            "case ('line', p_):",
            f"    {t} = p_ * 0.5",
            "case ('pair', p_, q_) if p_ > q_:",
            f"    {t} = p_ * q_",
            "case ('pair', p_, *rest_):",
            f"    {t} = p_ - sum(rest_)",
        ]
        subject = g.pick((f"('pair', {a}, {b})", f"('line', {a})"))
    else:
        cases = [
            "case {'kind': 'power', 'x': p_}:",
            f"    {t} = p_ ** 2",
            "case {'kind': _, 'x': p_, **rest_}:",
            f"    {t} = p_ + len(rest_)",
        ]
        subject = f"{{'kind': '{g.pick(('power', 'plain'))}', 'x': {a}, 'y': {b}}}"
    return [f"{t} = {g.number(0.3, 0.9)}", f"match {subject}:", *indent(cases)]


@rule("match_number", weight=16)
def _match_number(g: Generation) -> list[str]:
    """Guards that depend on differentiated values."""
    t, s = new_float(g), small(g)
    cases = [
        f"case p_ if p_ > {g.number(0.2, 0.9)}:",
        f"    {t} = p_ * p_",
        f"case p_ if p_ < {g.number(-0.5, 0.1)}:",
        f"    {t} = -p_ * {small(g, 0)}",
        "case p_:",
        f"    {t} = p_ + 0.1",
    ]
    return [f"match {s}:", *indent(cases)]


@rule("walrus_if")
def _walrus(g: Generation) -> list[str]:
    t = new_float(g)
    test = f"({t} := {small(g)}) > {g.number(-0.3, 0.6)}"
    body = g.pick((f"{t} = {t} * {small(g, 0)}", f"{t} += 0.3"))
    return [f"if {test}:", f"    {body}"]


@rule("walrus_expression")
def _walrus_expression(g: Generation) -> list[str]:
    t = new_float(g)
    return [f"{new_float(g, 9.0)} = ({t} := {small(g)}) * {t} + {t}"]


@rule("walrus_while", weight=16, when=top)
def _walrus_while(g: Generation) -> list[str]:
    t, k = new_float(g), g.fresh("int")
    s = new_float(g)
    return [
        f"{k} = 0",
        f"{t} = {small(g)}",
        f"while ({s} := {t} * {g.number(0.3, 0.8)}) > 0.05 and {k} < 4:",
        f"    {t} = {s} + 0.02",
        f"    {k} += 1",
    ]


@rule("chained_comparison")
def _chained(g: Generation) -> list[str]:
    t = new_float(g)
    test = g.pick(
        (
            f"-0.5 < {small(g)} < {small(g, 0)} < 2.0",
            f"{g.number(-1, 0)} <= {small(g)} != {g.number(0, 1)} > -3",
            f"0 < (t_ := {small(g)}) <= 1 and t_ * t_ > 0.1",
        )
    )
    return [f"{t} = {small(g)}", f"if {test}:", f"    {t} = {t} * {small(g, 0)}"]


@rule("short_circuit")
def _short(g: Generation) -> list[str]:
    """The second operand is evaluated only where it is safe."""
    t, s = new_float(g), new_float(g)
    form = g.pick(
        (
            f"{t} > 0.1 and 1.0 / {t} > {g.number(0.5, 3)}",
            f"{t} <= 0.1 or np.log({t}) < {g.number(-1, 0.5)}",
            f"not ({t} > 0.1 and {small(g, 0)} > 0.0)",
        )
    )
    value = g.pick(
        (
            f"{t} > 0.1 and 1.0 / (1.0 + {t}) or {small(g, 0)}",
            f"({t} if {form} else {small(g, 0)}) * 0.5",
        )
    )
    return [f"{t} = {small(g)}", f"{s} = {value}", f"if {form}:", f"    {s} = {s} * {t}"]


@rule("while_else", weight=16, when=top)
def _while_else(g: Generation) -> list[str]:
    t, k = new_float(g), g.fresh("int")
    stop = [f"if {t} * {t} > {g.number(0.3, 2)}:", "    break"]
    return [
        f"{t}, {k} = {small(g)}, 0",
        f"while {k} < {g.rng.randint(1, 4)}:",
        f"    {k} += 1",
        *indent(stop),
        f"    {t} = {t} * {g.number(0.5, 1.4)} + {small(g, 0)}",
        "else:",
        f"    {t} = {g.math}sin({t})",
    ]


@rule("for_else", weight=16, when=has_vector)
def _for_else(g: Generation) -> list[str]:
    t, i = new_float(g), g.fresh("item")
    inner = g.pick((["break"], [f"{t} = {i}", "break"], [f"{t} += {i}", "continue"]))
    return [
        f"{t} = {small(g)}",
        f"for {i} in {vector(g).name}:",
        f"    if {i} > {g.number(-0.2, 0.9)}:",
        *indent(indent(inner)),
        f"    {t} = 0.6 * {t} + {i} * {i}",
        "else:",
        f"    {t} *= {small(g, 0)}",
    ]


@rule("try_raises")
def _try(g: Generation) -> list[str]:
    """A helper raises where the value says so."""
    name = define(
        g,
        "checked_root",
        "def NAME(t):",
        f"    if t < {g.number(-0.2, 0.6)}:",
        "        raise ValueError('too small')",
        "    return np.sqrt(1.0 + t)",
    )
    t = new_float(g)
    handler = g.pick(
        (
            ["except ValueError:", f"    {t} = {small(g)}"],
            ["except (ValueError, TypeError) as error_:", f"    {t} = {small(g, 0)} * 0.5"],
            ["except Exception:", f"    {t} = {g.number(0.3, 0.9)}", "else:", f"    {t} = {t} * 2"],
            ["except ValueError:", f"    {t} = {small(g)}", "finally:", f"    {t} = {t} + 0.1"],
        )
    )
    return ["try:", f"    {t} = {name}({small(g)})", *handler]


@rule("try_arithmetic", weight=20)
def _try_arithmetic(g: Generation) -> list[str]:
    t, s = new_float(g), small(g)
    attempts = (
        (f"1.0 / (float({s} > {g.number(-0.2, 0.6)}) * 2.0)", "ZeroDivisionError"),
        (f"math.sqrt({s} - {g.number(-0.9, 0.3)})", "ValueError"),
        (f"math.log({s})", "ValueError"),
        (f"box_[{g.rng.randint(0, 3)}]", "IndexError"),
        (f"table_['{g.pick(('a', 'b'))}']", "KeyError"),
    )
    risky, error = g.pick(attempts if g.math else attempts[3:])
    head = [f"box_, table_ = [{s}, 0.5], {{'a': {s}}}"] if risky[0] in "bt" else []
    handler = [f"except {error}:", f"    {t} = {small(g, 0)} + 0.3"]
    return [*head, "try:", f"    {t} = {risky}", *handler]


@rule("try_in_loop", weight=16, when=has_vector)
def _try_in_loop(g: Generation) -> list[str]:
    t, i = new_float(g, 9.0), g.fresh("item")
    handler = g.pick((f"{t} += 0.1 * {i}", "continue", "break", "pass", f"{t} = {small(g, 0)}"))
    return [
        f"{t} = 0.0",
        f"for {i} in {vector(g).name}:",
        "    try:",
        f"        if {i} < {g.number(-0.4, 0.5)}:",
        "            raise ValueError('negative')",
        f"        {t} += np.sqrt({i} + 2.0)",
        "    except ValueError:",
        f"        {handler}",
    ]


@rule("raise_not_taken")
def _raise(g: Generation) -> list[str]:
    t = new_float(g)
    guards = (
        [f"if {t} > 1e6:", "    raise OverflowError(f'{t} is too large')"],
        [f"if not np.isfinite({t}):", "    raise ArithmeticError"],
        [f"assert {t} < 1e6, 'too large'"],
        [f"assert -1e6 < {t} < 1e6"],
    )
    return [f"{t} = {small(g)}", *(line.replace("{t}", t) for line in g.pick(guards))]


@rule("with_errstate")
def _errstate(g: Generation) -> list[str]:
    t = new_float(g)
    how = g.pick(("divide='ignore'", "all='ignore'", "divide='ignore', invalid='ignore'"))
    body = g.pick(
        (
            [f"{t} = {small(g)} / (1.0 + {small(g, 0)} ** 2)"],
            [f"{t} = {small(g)}", f"{t} *= {g.number(0.3, 0.9)}"],
        )
    )
    return [f"with np.errstate({how}):", *indent(body)]


@rule("delete_name", weight=12)
def _del(g: Generation) -> list[str]:
    t, s = new_float(g), f"gone_{g.rng.randint(1, 99)}"
    return [f"{s} = {small(g)}", f"{t} = {s} * {small(g, 0)}", f"del {s}"]


@rule("default_none", when=has_vector)
def _none(g: Generation) -> list[str]:
    name = define(
        g,
        "weigh",
        "def NAME(v, weights=None, scale=None):",
        "    if weights is None:",
        "        weights = np.ones(len(v)) / len(v)",
        "    scale = 1.5 if scale is None else scale * 2.0",
        "    total = 0.0",
        "    for i in range(len(v)):",
        "        total += weights[i] * v[i] ** 2",
        "    return scale * total",
    )
    x = vector(g).name
    more = g.pick(("", f", scale={small(g, 0)}", f", {x}", f", weights={x} * {x}", ", None, 0.5"))
    return [f"{new_float(g, 9.0)} = {name}({x}{more})"]


@rule("string_switch")
def _string(g: Generation) -> list[str]:
    name = define(
        g,
        "limiter",
        "def NAME(t, kind='minmod'):",
        "    if kind == 'minmod':",
        "        return max(0.0, min(1.0, t))",
        "    elif kind in ('vanleer', 'albada'):",
        "        return (t + abs(t)) / (1.0 + abs(t))",
        "    elif kind.startswith('super'):",
        "        return max(0.0, min(2 * t, 1.0), min(t, 2.0))",
        "    raise ValueError(f'unknown {kind}')",
    )
    kind = g.pick(("minmod", "vanleer", "albada", "superbee"))
    call = g.pick((f"{name}({small(g)}, '{kind}')", f"{name}({small(g)}, kind='{kind}')"))
    if g.chance(0.3):
        t = new_float(g, 9.0)
        return [
            f"{t} = 0.0",
            "for kind_ in ('minmod', 'vanleer'):",
            f"    {t} += {name}({small(g)}, kind_)",
        ]
    return [f"{new_float(g)} = {call}"]


@rule("early_continue", weight=16, when=has_vector)
def _continue(g: Generation) -> list[str]:
    t, i = new_float(g, 9.0), g.fresh("loop")
    x = vector(g).name
    return [
        f"{t} = {small(g, 0)}",
        f"for {i} in range(len({x})):",
        f"    if {i} == {g.rng.randint(0, 2)}:",
        "        continue",
        f"    if {x}[{i}] > {g.number(0.2, 1.2)}:",
        f"        {t} = {t} + {x}[{i}]",
        "        continue",
        f"    {t} = {t} * {g.number(0.3, 0.9)}",
    ]
