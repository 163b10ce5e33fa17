"""Array expressions of a wanted shape: parts of names, elementwise operations, products, joins."""

from collections.abc import Callable

from tests.fuzz.elementary import BINARY, UNARY, positive
from tests.fuzz.grammar import ARRAYS, ArrayRule, Expr, Generation, Shape, Var, any_shape
from tests.fuzz.indices import size
from tests.fuzz.places import Place, choose, places

Build = Callable[[Generation, Shape, int], Expr]


def rule(
    tag: str,
    weight: float,
    leaf: bool = False,
    when: Callable[[Generation, Shape], bool] = any_shape,
) -> Callable[[Build], Build]:
    def enter(build: Build) -> Build:
        ARRAYS.append(ArrayRule(tag, weight, leaf, when, build))
        return build

    return enter


def same(g: Generation, shape: Shape) -> list[Var]:
    return [v for v in g.find("array") if v.shape == shape]


def parts(g: Generation, shape: Shape) -> list[tuple[Var, list[Place]]]:
    found = [(v, places(g, v, shape)) for v in g.find("array")]
    return [(v, p) for v, p in found if p]


def is_vector(_: Generation, shape: Shape) -> bool:
    return len(shape) == 1


def is_matrix(_: Generation, shape: Shape) -> bool:
    return len(shape) == 2


def entry(g: Generation) -> str:
    """A scalar that makes an array a float array."""
    text = g.scalar(0).text
    return f"{text}.0" if text.isdigit() else text


def dims(shape: Shape) -> str:
    return str(shape[0]) if len(shape) == 1 else f"({shape[0]}, {shape[1]})"


@rule("array_name", 12, leaf=True, when=lambda g, s: bool(same(g, s)))
def _name(g: Generation, shape: Shape, _: int) -> Expr:
    var = g.recent(same(g, shape))
    return Expr(var.name, g.mag(var))


@rule("array_part", 6, leaf=True, when=lambda g, s: bool(parts(g, s)))
def _part(g: Generation, shape: Shape, _: int) -> Expr:
    found = parts(g, shape)
    var = g.recent([v for v, _ in found])
    return Expr(choose(g, {v.name: p for v, p in found}[var.name]), g.mag(var))


@rule("array_literal", 0.6, leaf=True)
def _literal(g: Generation, shape: Shape, _: int) -> Expr:
    def row(n: int) -> str:
        return f"[{', '.join(entry(g) for _ in range(n))}]"

    if len(shape) == 1:
        return Expr(f"np.array({row(shape[0])})", 3)
    if shape[0] * shape[1] > 6:
        return Expr(f"np.full({dims(shape)}, {entry(g)})", 3)
    return Expr(f"np.array([{', '.join(row(shape[1]) for _ in range(shape[0]))}])", 3)


def sides(g: Generation, shape: Shape) -> list[tuple[Var, Var]]:
    """Vectors that a matrix of `shape` is the outer combination of."""
    if len(shape) != 2:
        return []
    return [(a, b) for a in same(g, shape[:1]) for b in same(g, shape[1:])]


@rule("outer_names", 4, leaf=True, when=lambda g, s: bool(sides(g, s)))
def _outer_names(g: Generation, shape: Shape, _: int) -> Expr:
    a, b = g.pick(sides(g, shape))
    operator = g.pick(("+", "*"))
    text = f"{a.name}[:, None] {operator} {g.pick((b.name, f'{b.name}[None, :]'))}"
    return Expr(text, max(g.mag(a) * g.mag(b), g.mag(a) + g.mag(b)))


@rule("constant_array", 0.8, leaf=True)
def _constant(g: Generation, shape: Shape, _: int) -> Expr:
    n = shape[0]
    flat = [
        ("ones", f"np.ones({dims(shape)})"),
        ("full", f"np.full({dims(shape)}, {entry(g)})"),
        ("full", f"np.full({dims(shape)}, {entry(g)})"),
    ]
    if len(shape) == 1:
        flat += [
            ("arange", f"0.3 * np.arange({size(g, n)})"),
            ("arange", f"np.arange({n}.0)"),
            ("linspace", f"np.linspace({g.number(-1, 0)}, {g.number(0.5, 1)}, {size(g, n)})"),
            ("linspace", f"np.linspace(0.0, {entry(g)}, {n})"),
        ]
    for var in g.find("array"):
        if var.shape == shape:
            flat.append(("ones_like", f"np.ones_like({var.name})"))
            flat.append(("full_like", f"np.full_like({var.name}, {entry(g)})"))
    tag, text = g.pick(flat)
    g.tag(tag)
    return Expr(text, 6 if "arange" in text else 3)


@rule("array_unary", 7)
def _unary(g: Generation, shape: Shape, depth: int) -> Expr:
    row = g.weighted(UNARY, [r.weight for r in UNARY])
    g.tag(f"fn_{row.array}")
    return Expr(f"np.{row.array}{row.domain(g, lambda: g.array(shape, depth), True)}", row.mag)


@rule("array_binary_function", 1.5)
def _binary_function(g: Generation, shape: Shape, depth: int) -> Expr:
    row = g.pick(BINARY)
    g.tag(f"fn_{row.array}")
    a, b = row.domain(g, lambda: g.array(shape, depth), True)
    return Expr(f"np.{row.array}({a.text}, {b.text})", row.mag)


@rule("array_arithmetic", 10)
def _arithmetic(g: Generation, shape: Shape, depth: int) -> Expr:
    a, b = g.array(shape, depth), _operand(g, shape, depth)
    if g.chance(0.3):
        a, b = b, a
        if "(" not in a.text and g.chance(0.5):
            g.tag("scalar_first")
    operator = g.pick(("+", "*", "*", "-"))
    return Expr(f"{a} {operator} {b}", a.mag * b.mag if operator == "*" else a.mag + b.mag)


def _operand(g: Generation, shape: Shape, depth: int) -> Expr:
    """Something that broadcasts to `shape`."""
    options: list[Shape] = [shape, shape, ()]
    if len(shape) == 2:
        m, n = shape
        options += [(n,), (1, n), (m, 1), (1, 1)]
    else:
        options.append((1,))
    chosen = g.pick(options)
    if chosen != shape:
        g.tag(
            "broadcast_scalar"
            if chosen == ()
            else "broadcast_length_1" if 1 in chosen else "broadcast_row"
        )
    return g.value(chosen, depth)


@rule("broadcast_outer", 2, when=is_matrix)
def _outer(g: Generation, shape: Shape, depth: int) -> Expr:
    m, n = shape
    a, b = g.array((m,), depth), g.array((n,), depth)
    column = f"{a}[:, {g.pick(('None', 'np.newaxis'))}]"
    row = g.pick((str(b), f"{b}[None, :]"))
    if g.chance(0.25):
        g.tag("outer")
        return Expr(f"np.outer({a.text}, {b.text})", a.mag * b.mag)
    operator = g.pick(("+", "*", "-"))
    return Expr(f"{column} {operator} {row}", max(a.mag * b.mag, a.mag + b.mag))


@rule("array_divide", 1.5)
def _divide(g: Generation, shape: Shape, depth: int) -> Expr:
    if g.chance(0.4):
        a = g.array(shape, depth)
        return Expr(f"{a} / {positive(g, lambda: g.scalar(depth), array=False)}", 2.5 * a.mag)
    a = _operand(g, shape, depth)
    return Expr(f"{a} / {positive(g, lambda: g.array(shape, depth), array=True)}", 2.5 * a.mag)


@rule("array_power", 1.2)
def _power(g: Generation, shape: Shape, depth: int) -> Expr:
    if g.chance(0.5):
        a = g.settle(g.array(shape, depth), 2.0, array=True)
        return Expr(f"{a} ** {g.pick((2, 2, 3))}", max(a.mag, 0.1) ** 3)
    exponent = g.pick(("0.5", "1.5", "-1", str(g.settle(g.scalar(0), 2.0))))
    return Expr(f"{positive(g, lambda: g.array(shape, depth), array=True)} ** {exponent}", 5)


@rule("array_abs", 0.5)
def _abs(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array(shape, depth)
    return Expr(f"{g.pick(('abs', 'np.abs', 'np.fabs'))}{a}", a.mag)


@rule("array_negate", 0.6)
def _negate(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array(shape, depth)
    return Expr(f"-{a}", a.mag)


@rule("array_helper", 6, when=lambda g, s: any(h.result == s and not h.mutates for h in g.helpers))
def _helper(g: Generation, shape: Shape, depth: int) -> Expr:
    helper = g.pick([h for h in g.helpers if h.result == shape and not h.mutates])
    args = [g.settle(g.value(s, depth - 1), 2.0, bool(s)).text for s in helper.params]
    return Expr(f"{helper.name}({', '.join(args)})", 3)
