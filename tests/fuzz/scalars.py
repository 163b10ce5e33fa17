"""Scalar float expressions: names, elements, arithmetic, elementary functions, reductions."""

from collections.abc import Callable
from typing import Final

from tests.fuzz.elementary import BINARY, UNARY, near_one, positive
from tests.fuzz.grammar import SCALARS, Expr, Generation, ScalarRule, always
from tests.fuzz.indices import growing
from tests.fuzz.places import choose, places

Build = Callable[[Generation, int], Expr]
SHORT: Final = 20


def rule(
    tag: str,
    weight: float,
    leaf: bool = False,
    when: Callable[[Generation], bool] = always,
) -> Callable[[Build], Build]:
    def enter(build: Build) -> Build:
        SCALARS.append(ScalarRule(tag, weight, leaf, when, build))
        return build

    return enter


def has_float(g: Generation) -> bool:
    return bool(g.find("float"))


def has_array(g: Generation) -> bool:
    return bool(g.find("array"))


def has_int(g: Generation) -> bool:
    return bool(g.find("int"))


def _positive(g: Generation, depth: int) -> Expr:
    return positive(g, lambda: g.scalar(depth), array=False)


def in_loop(g: Generation) -> bool:
    return any(v.hi > v.lo for v in g.find("int"))


@rule("name", 6, leaf=True, when=has_float)
def _name(g: Generation, _: int) -> Expr:
    var = g.recent(g.find("float"))
    return Expr(var.name, g.mag(var))


@rule("read_element", 5, leaf=True, when=has_array)
def _element(g: Generation, _: int) -> Expr:
    var = g.recent(g.find("array"))
    return Expr(choose(g, places(g, var, ())), g.mag(var))


@rule("constant", 1.2, leaf=True)
def _constant(g: Generation, _: int) -> Expr:
    text = g.number(0.1, 2.0) if g.chance(0.8) else str(g.rng.randint(1, 3))
    return Expr(text, float(text))


@rule("int_in_arithmetic", 0.7, leaf=True, when=has_int)
def _integer(g: Generation, _: int) -> Expr:
    var = g.pick(g.find("int"))
    return Expr(f"{g.number(0.05, 0.4)} * {var.name}", 2.0)


@rule("list_element", 2, leaf=True, when=lambda g: bool(g.find("list")))
def _list_element(g: Generation, _: int) -> Expr:
    var = g.pick(g.find("list"))
    return Expr(f"{var.name}[{g.rng.randrange(var.shape[0])}]", g.mag(var))


@rule("multiply", 5)
def _multiply(g: Generation, depth: int) -> Expr:
    a, b = g.scalar(depth), g.scalar(depth)
    return Expr(f"{a} * {b}", a.mag * b.mag)


@rule("add", 5)
def _add(g: Generation, depth: int) -> Expr:
    a, b = g.scalar(depth), g.scalar(depth)
    return Expr(f"{a} {g.pick(('+', '+', '-'))} {b}", a.mag + b.mag)


@rule("divide", 2)
def _divide(g: Generation, depth: int) -> Expr:
    a, b = g.scalar(depth), _positive(g, depth)
    return Expr(f"{a} / {b}", 2.5 * a.mag)


@rule("negate", 0.8)
def _negate(g: Generation, depth: int) -> Expr:
    a = g.scalar(depth)
    return Expr(f"-{a}", a.mag)


@rule("power_int", 1.5)
def _power_int(g: Generation, depth: int) -> Expr:
    a = g.settle(g.scalar(depth), 2.0)
    n = g.pick((2, 2, 3, 4))
    return Expr(f"{a} ** {n}", max(a.mag, 0.1) ** n)


@rule("power_negative", 0.4)
def _power_negative(g: Generation, depth: int) -> Expr:
    return Expr(f"{_positive(g, depth)} ** {g.pick(('-1', '-2', '(-0.5)'))}", 4)


@rule("power_float", 0.8)
def _power_float(g: Generation, depth: int) -> Expr:
    return Expr(f"{_positive(g, depth)} ** {g.pick(('0.5', '1.5', '0.3'))}", 4)


@rule("power_active", 0.5)
def _power_active(g: Generation, depth: int) -> Expr:
    exponent = g.settle(g.scalar(depth), 2.0)
    base = g.pick(("2.0", "1.3", str(_positive(g, depth))))
    return Expr(g.pick((f"{base} ** {exponent}", f"np.power({base}, {exponent})")), 6)


@rule("power_call", 0.4)
def _power_call(g: Generation, depth: int) -> Expr:
    a = g.settle(g.scalar(depth), 2.0)
    return Expr(f"pow({a}, {g.pick((2, 3))})", max(a.mag, 0.5) ** 3)


@rule("unary", 6)
def _unary(g: Generation, depth: int) -> Expr:
    row = g.weighted(UNARY, [r.weight for r in UNARY])
    numpy_name = row.scalar is None or g.chance(0.45)
    g.tag("np_function" if numpy_name else "math_function", f"fn_{row.array}")
    name = f"np.{row.array}" if numpy_name else f"{g.math}{row.scalar}"
    return Expr(f"{name}{row.domain(g, lambda: g.scalar(depth), False)}", row.mag)


@rule("binary", 1.2)
def _binary(g: Generation, depth: int) -> Expr:
    row = g.pick(BINARY)
    a, b = row.domain(g, lambda: g.scalar(depth), False)
    numpy_name = row.scalar is None or g.chance(0.5)
    g.tag(f"fn_{row.array}")
    name = f"np.{row.array}" if numpy_name else f"{g.math}{row.scalar}"
    return Expr(f"{name}({a.text}, {b.text})", row.mag)


@rule("abs", 0.8)
def _abs(g: Generation, depth: int) -> Expr:
    a = g.scalar(depth)
    return Expr(f"{g.pick(('abs', 'abs', 'np.abs', g.math + 'fabs'))}{a}", a.mag)


@rule("min_max", 1.0)
def _min_max(g: Generation, depth: int) -> Expr:
    parts = [g.scalar(depth) for _ in range(g.pick((2, 2, 3)))]
    return Expr(
        f"{g.pick(('min', 'max'))}({', '.join(p.text for p in parts)})", max(p.mag for p in parts)
    )


@rule("float_call", 0.4)
def _float_call(g: Generation, depth: int) -> Expr:
    a = g.scalar(depth)
    return Expr(f"float{a}", a.mag)


@rule("conditional", 1.0)
def _conditional(g: Generation, depth: int) -> Expr:
    a, b = g.scalar(depth), g.scalar(depth)
    return Expr(f"{a} if {g.test(depth)} else {b}", max(a.mag, b.mag))


@rule("modulo", 0.15)
def _modulo(g: Generation, depth: int) -> Expr:
    return Expr(f"{g.scalar(depth)} % {g.number(1.0, 2.0)}", 2.0)


@rule("sum_builtin", 0.7)
def _sum_builtin(g: Generation, depth: int) -> Expr:
    if has_array(g) and g.chance(0.6):
        a = g.array(g.shape(1), min(depth, 1))
        return Expr(f"sum{a}", 4 * a.mag)
    parts = [g.scalar(depth) for _ in range(g.rng.randint(2, 3))]
    return Expr(f"sum([{', '.join(p.text for p in parts)}])", sum(p.mag for p in parts))


@rule("comprehension", 0.4, when=has_array)
def _comprehension(g: Generation, _: int) -> Expr:
    from_array = g.recent(g.find("array"))
    name = g.fresh("item")
    if len(from_array.shape) == 2:
        return Expr(f"sum(np.sum({name} * {name}) for {name} in {from_array.name})", 10)
    opened, closed = g.pick((("(", ")"), ("([", "])")))
    return Expr(
        f"sum{opened}{name} * {g.math}sin({name}) for {name} in {from_array.name}{closed}", 6
    )


@rule("reduce", 5, when=has_array)
def _reduce(g: Generation, depth: int) -> Expr:
    a = g.array(g.shape(), depth)
    how = g.pick(("sum", "sum", "sum", "mean", "mean", "max", "min", "prod"))
    if how == "prod":
        a = near_one(a)
    method = g.chance(0.4)
    g.tag(f"reduce_{how}", "method_reduce" if method else "np_reduce")
    text = f"{a}.{how}()" if method else f"np.{how}{a}"
    return Expr(text, 3 * a.mag if how == "sum" else a.mag)


@rule("dot", 2, when=has_array)
def _dot(g: Generation, depth: int) -> Expr:
    shape = g.shape(1)
    a, b = g.array(shape, depth - 1), g.array(shape, depth - 1)
    how = g.pick(("matmul", "dot_function", "dot_method", "sum_of_product"))
    g.tag(how)
    text = {
        "matmul": f"{a} @ {b}",
        "dot_function": f"np.dot({a.text}, {b.text})",
        "dot_method": f"{a}.dot({b.text})",
        "sum_of_product": f"np.sum({a} * {b})",
    }[how]
    return Expr(text, 2.5 * a.mag * b.mag)


@rule("flat_matrix", 1.2, when=lambda g: bool(g.find("array", 2)))
def _flat_matrix(g: Generation, _: int) -> Expr:
    """A matrix in one row: `ravel` may share its memory, `flatten` never does."""
    var = g.recent(g.find("array", 2))
    count = var.shape[0] * var.shape[1]
    tag, row = g.pick((("ravel", "ravel()"), ("ravel", "reshape(-1)"), ("ravel_copy", "flatten()")))
    g.tag(tag)
    text = f"{var.name}.{row}"
    forms = (f"{text}[{g.rng.randrange(count)}]", f"np.sum({text} ** 2)", f"{text} @ {text}")
    return Expr(g.pick(forms), 4 * g.mag(var))


@rule("growing_slice", 2, when=lambda g: in_loop(g) and bool(g.find("array", 1)))
def _growing_slice(g: Generation, _: int) -> Expr:
    var = g.recent(g.find("array", 1))
    part = growing(g, var.shape[0])
    if part is None:
        return Expr(f"np.sum({var.name})", 3 * g.mag(var))
    text = f"{var.name}[{part}]"
    how = g.pick((f"np.sum({text})", f"{text}.sum()", f"{text} @ {text}"))
    return Expr(how, 6)


@rule("sum_of_mask", 1, when=has_array)
def _sum_of_mask(g: Generation, _: int) -> Expr:
    var = g.recent(g.find("array"))
    masks = [v.name for v in g.find("mask") if v.shape == var.shape]
    test = g.pick(masks) if masks else f"{var.name} {g.pick(('>', '<'))} {g.number(-0.5, 0.7)}"
    return Expr(f"np.sum({var.name}[{test}])", 3 * g.mag(var))


@rule("helper_call", 3, when=lambda g: any(h.result == () and not h.mutates for h in g.helpers))
def _helper_call(g: Generation, depth: int) -> Expr:
    helper = g.pick([h for h in g.helpers if h.result == () and not h.mutates])
    if g.loops:
        g.tag("helper_called_in_loop")
    args = [g.settle(g.value(s, depth - 1), 2.0, bool(s)).text for s in helper.params]
    return Expr(f"{helper.name}({', '.join(args)})", 3)


@rule("stop_gradient", 0.12)
def _stop_gradient(g: Generation, depth: int) -> Expr:
    a = g.scalar(depth)
    return Expr(f"stop_gradient{a}", a.mag)
