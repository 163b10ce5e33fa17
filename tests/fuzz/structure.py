"""Array expressions that change shape: reductions along axes, products, selections, joins."""

from tests.fuzz.arrays import is_matrix, is_vector, rule
from tests.fuzz.conditions import mask
from tests.fuzz.grammar import Expr, Generation, Shape


@rule("where", 1.5)
def _where(g: Generation, shape: Shape, depth: int) -> Expr:
    a, b = g.array(shape, depth), g.value(g.pick((shape, ())), depth)
    if g.chance(0.3):
        a, b = b, a
    return Expr(f"np.where({mask(g, shape)}, {a.text}, {b.text})", max(a.mag, b.mag))


@rule("clip", 0.7)
def _clip(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array(shape, depth)
    low, high = g.number(-1.5, -0.2), g.number(0.3, 1.5)
    return Expr(
        g.pick(
            (
                f"np.clip({a.text}, {low}, {high})",
                f"{a}.clip({low}, {high})",
                f"np.clip({a.text}, {low}, None)",
            )
        ),
        a.mag,
    )


@rule("maximum_scalar", 0.7)
def _maximum(g: Generation, shape: Shape, depth: int) -> Expr:
    a, b = g.array(shape, depth), g.scalar(0)
    name = g.pick(("maximum", "minimum"))
    return Expr(
        f"np.{name}({g.pick((f'{a.text}, {b.text}', f'{b.text}, {a.text}'))})", max(a.mag, b.mag)
    )


@rule("copy", 0.8)
def _copy(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array(shape, depth)
    return Expr(g.pick((f"{a}.copy()", f"np.copy{a}", f"np.array{a}")), a.mag)


@rule("axis_reduction", 2.5, when=is_vector)
def _axis(g: Generation, shape: Shape, depth: int) -> Expr:
    other = g.rng.randint(2, 3)
    axis = g.pick((0, 1, -1))
    a = g.array((other, *shape) if axis == 0 else (*shape, other), depth)
    how = g.pick(("sum", "sum", "mean", "max", "min"))
    text = f"np.{how}({a.text}, axis={axis})" if g.chance(0.6) else f"{a}.{how}(axis={axis})"
    return Expr(text, a.mag * (2 if how == "sum" else 1))


@rule("keepdims", 1.5, when=lambda _, s: 1 in s)
def _keepdims(g: Generation, shape: Shape, depth: int) -> Expr:
    if len(shape) == 1:
        a = g.array((3,), depth)
        return Expr(f"np.sum({a.text}, keepdims=True)", 3 * a.mag)
    axis = shape.index(1)
    full = tuple(3 if k == axis else n for k, n in enumerate(shape))
    a = g.array(full, depth)
    return Expr(f"{a}.{g.pick(('sum', 'mean'))}(axis={axis}, keepdims=True)", 2 * a.mag)


@rule("normalise_rows", 1, when=is_matrix)
def _normalise(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.calm(g.array(shape, depth), array=True)
    axis = g.pick((0, 1))
    return Expr(f"{a} - np.mean({a.text}, axis={axis}, keepdims=True)", 2 * a.mag)


@rule("matrix_vector", 2.5, when=is_vector)
def _matrix_vector(g: Generation, shape: Shape, depth: int) -> Expr:
    inner = g.rng.randint(2, 4)
    vector = g.array((inner,), depth)
    left = g.chance(0.5)
    matrix = g.array((*shape, inner) if left else (inner, *shape), depth)
    a, b = (matrix, vector) if left else (vector, matrix)
    return Expr(_product(g, a, b), 2 * a.mag * b.mag)


@rule("matrix_matrix", 2, when=is_matrix)
def _matrix_matrix(g: Generation, shape: Shape, depth: int) -> Expr:
    inner = g.rng.randint(2, 3)
    a, b = g.array((shape[0], inner), depth), g.array((inner, shape[1]), depth)
    return Expr(_product(g, a, b), 2 * a.mag * b.mag)


def _product(g: Generation, a: Expr, b: Expr) -> str:
    how = g.pick(("matmul", "matmul", "dot_function", "dot_method"))
    g.tag(how)
    if how == "matmul":
        return f"{a} @ {b}"
    return f"np.dot({a.text}, {b.text})" if how == "dot_function" else f"{a}.dot({b.text})"


@rule("cumsum", 1, when=is_vector)
def _cumsum(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array(shape, depth)
    return Expr(g.pick((f"np.cumsum{a}", f"{a}.cumsum()")), 3 * a.mag)


@rule("cumsum_axis", 0.6, when=is_matrix)
def _cumsum_axis(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array(shape, depth)
    return Expr(f"np.cumsum({a.text}, axis={g.pick((0, 1))})", 3 * a.mag)


@rule("concatenate", 1.2, when=lambda _, s: s[0] >= 2)
def _concatenate(g: Generation, shape: Shape, depth: int) -> Expr:
    cut = g.rng.randint(1, shape[0] - 1)
    a = g.array((cut, *shape[1:]), depth)
    b = g.array((shape[0] - cut, *shape[1:]), depth)
    axis = ", axis=0" if g.chance(0.3) else ""
    opened, closed = g.pick((("(", ")"), ("[", "]")))
    return Expr(f"np.concatenate({opened}{a.text}, {b.text}{closed}{axis})", max(a.mag, b.mag))


@rule("concatenate_columns", 0.9, when=lambda _, s: len(s) == 2 and s[1] >= 2)
def _columns(g: Generation, shape: Shape, depth: int) -> Expr:
    cut = g.rng.randint(1, shape[1] - 1)
    a, b = g.array((shape[0], cut), depth), g.array((shape[0], shape[1] - cut), depth)
    return Expr(f"np.concatenate(({a.text}, {b.text}), axis={g.pick((1, -1))})", max(a.mag, b.mag))


@rule("stack", 1.5, when=lambda _, s: len(s) == 2 and s[0] <= 3)
def _stack(g: Generation, shape: Shape, depth: int) -> Expr:
    rows = [g.array((shape[1],), depth) for _ in range(shape[0])]
    texts = ", ".join(r.text for r in rows)
    text = f"np.stack([{texts}])" if g.chance(0.6) else f"np.stack([{texts}], axis=0)"
    return Expr(text, max(r.mag for r in rows))


@rule("stack_columns", 0.8, when=lambda _, s: len(s) == 2 and s[1] <= 3)
def _stack_columns(g: Generation, shape: Shape, depth: int) -> Expr:
    columns = [g.array((shape[0],), depth) for _ in range(shape[1])]
    texts = ", ".join(c.text for c in columns)
    return Expr(f"np.stack(({texts},), axis={g.pick((1, -1))})", max(c.mag for c in columns))


@rule("transpose_expression", 0.7, when=is_matrix)
def _transpose(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array((shape[1], shape[0]), depth)
    return Expr(f"{a}.T", a.mag)


@rule("reshape_expression", 1.2, when=lambda _, s: len(s) == 2 and s[0] * s[1] <= 8)
def _reshape(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array((shape[0] * shape[1],), depth)
    return Expr(f"{a}.reshape({shape[0]}, {shape[1]})", a.mag)


@rule("slice_expression", 0.7, when=is_vector)
def _slice(g: Generation, shape: Shape, depth: int) -> Expr:
    a = g.array((shape[0] + 1,), depth)
    part = g.pick(("1:", ":-1", "-2::-1"))
    return Expr(f"{a}[{part}]", a.mag)
