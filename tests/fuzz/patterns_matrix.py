"""Matrix loops as numerical programs have them: products, triangular solves, elimination, rows."""

from tests.fuzz.assignments import bind_array, bind_float, rule
from tests.fuzz.grammar import CALM, Expr, Generation, Var, indent
from tests.fuzz.indices import size
from tests.fuzz.stores import copied, has_target, targets, write


def matrices(g: Generation) -> list[Var]:
    return g.find("array", 2)


def squares(g: Generation) -> list[Var]:
    return [v for v in matrices(g) if v.shape[0] == v.shape[1] > 1]


def has_matrix(g: Generation) -> bool:
    return bool(matrices(g)) and not g.loops


def has_square(g: Generation) -> bool:
    return bool(squares(g)) and not g.loops


@rule("matrix_vector_loop", 3, cost=3, when=has_matrix)
def _matrix_vector(g: Generation) -> list[str]:
    a = g.recent(matrices(g))
    m, n = a.shape
    x = g.calm(g.array((n,), 1), array=True)
    vector, y = bind_array(g, (n,), x.mag), bind_array(g, (m,), CALM)
    i, j = g.fresh("loop"), g.fresh("loop")
    body = f"{y.name}[{i}] += 0.3 * {a.name}[{i}, {j}] * {vector.name}[{j}]"
    head = [f"{vector.name} = {Expr(x.text, 1)} + 0.0", f"{y.name} = np.zeros({m})"]
    loops = [
        f"for {i} in range({size(g, m)}):",
        f"    for {j} in range({size(g, n)}):",
        f"        {body}",
    ]
    return [*head, *loops]


@rule("triangular_solve", 8, cost=4, when=has_square)
def _triangular(g: Generation) -> list[str]:
    a = g.recent(squares(g))
    n = a.shape[0]
    right = g.calm(g.array((n,), 1), array=True)
    i, j = g.fresh("loop"), g.fresh("loop")
    s = g.fresh("float")
    y = bind_array(g, (n,), CALM).name
    b = bind_array(g, (n,), right.mag).name
    up = g.chance(0.5)
    outer = f"range({n} - 1, -1, -1)" if up else f"range({size(g, n)})"
    inner = f"range({i} + 1, {n})" if up else f"range({i})"
    loop = [f"for {j} in {inner}:", f"    {s} -= 0.3 * {a.name}[{i}, {j}] * {y}[{j}]"]
    part = f"{i} + 1:" if up else f":{i}"
    row, known = f"{a.name}[{i}, {part}]", f"{y}[{part}]"
    dot = [f"{s} -= 0.3 * {g.pick((f'np.dot({row}, {known})', f'({row} @ {known})'))}"]
    body = [
        f"{s} = {b}[{i}]",
        *g.pick((loop, dot)),
        f"{y}[{i}] = {s} / (2.0 + {a.name}[{i}, {i}] ** 2)",
    ]
    head = [f"{b} = {Expr(right.text, 1)} * 1.0", f"{y} = np.zeros({n})"]
    return [*head, f"for {i} in {outer}:", *indent(body)]


@rule("elimination", 10, cost=5, when=has_square)
def _elimination(g: Generation) -> list[str]:
    """LU factors in place, of a matrix that its diagonal dominates."""
    a = g.recent(squares(g))
    n = a.shape[0]
    m = bind_array(g, a.shape, CALM).name
    k, i, j = (g.fresh("loop") for _ in range(3))
    by_row = [f"{m}[{i}, {k} + 1:] -= {m}[{i}, {k}] * {m}[{k}, {k} + 1:]"]
    by_cell = [
        f"for {j} in range({k} + 1, {n}):",
        f"    {m}[{i}, {j}] -= {m}[{i}, {k}] * {m}[{k}, {j}]",
    ]
    inner = [f"{m}[{i}, {k}] /= {m}[{k}, {k}]", *g.pick((by_row, by_cell, by_cell))]
    made = g.pick((f"0.3 * np.tanh({a.name})", f"0.2 * np.sin({a.name})"))
    diagonal = [f"for {k} in range({n}):", f"    {m}[{k}, {k}] += 2.0"]
    loops = [
        f"for {k} in range({size(g, n)}):",
        f"    for {i} in range({k} + 1, {n}):",
        *indent(indent(inner)),
    ]
    return [f"{m} = {made}", *diagonal, *loops]


@rule(
    "row_views",
    4,
    cost=3,
    when=lambda g: any(len(v.shape) == 2 for v in targets(g)) and not g.loops,
)
def _row_views(g: Generation) -> list[str]:
    a = g.recent([v for v in targets(g) if len(v.shape) == 2])
    m, n = a.shape
    i, row = g.fresh("loop"), g.fresh("view")
    s = bind_float(g, Expr("", 6.0))
    by_column = g.chance(0.3)
    taken = f"{a.name}[:, {i}]" if by_column else f"{a.name}[{i}]"
    update = g.pick(
        (
            f"{row} *= {g.number(0.4, 1.0)}",
            f"{row}[0] = {row}[-1] * 0.5",
            f"{row} -= 0.5 * {row}.mean()",
        )
    )
    g.touch(a)
    body = [f"{row} = {taken}", update, f"{s} += {g.pick((f'{row}.sum()', f'{row} @ {row}'))}"]
    return [f"{s} = 0.0", f"for {i} in range({size(g, n if by_column else m)}):", *indent(body)]


@rule(
    "grid_sweep",
    9,
    cost=4,
    when=lambda g: any(min(v.shape) >= 3 for v in matrices(g)) and not g.loops,
)
def _grid(g: Generation) -> list[str]:
    lines, u = copied(g, g.recent([v for v in matrices(g) if min(v.shape) >= 3]).shape)
    a, i, j = u.name, g.fresh("loop"), g.fresh("loop")
    m, n = size(g, u.shape[0]), size(g, u.shape[1])
    near = f"{a}[{i} - 1, {j}] + {a}[{i} + 1, {j}] + {a}[{i}, {j} - 1] + {a}[{i}, {j} + 1]"
    form = g.pick((f"0.25 * ({near})", f"np.sin({a}[{i} - 1, {j}] * {a}[{i}, {j} + 1])"))
    loops = [
        f"for {i} in range(1, {m} - 1):",
        f"    for {j} in range(1, {n} - 1):",
        f"        {a}[{i}, {j}] = {form}",
    ]
    rows, columns = f"{a}[:-2, 1:-1] + {a}[2:, 1:-1]", f"{a}[1:-1, :-2] + {a}[1:-1, 2:]"
    whole = [f"{a}[1:-1, 1:-1] = 0.25 * ({rows} + {columns})"]
    return [*lines, *g.pick((loops, loops, whole))]


@rule("power_iteration", 7, cost=3, when=has_square)
def _power_iteration(g: Generation) -> list[str]:
    a = g.recent(squares(g))
    v = bind_array(g, a.shape[:1], 1.0).name
    product = g.pick((f"{a.name} @ {v}", f"np.dot({a.name}, {v})", f"{a.name}.dot({v})"))
    body = [f"{v} = {product} + {v}", f"{v} = {v} / np.sqrt(1.0 + np.sum({v} * {v}))"]
    return [
        f"{v} = np.ones({a.shape[0]})",
        f"for {g.fresh('loop')} in range({g.rng.randint(1, 4)}):",
        *indent(body),
    ]


@rule("normalise_in_place", 0.6, cost=1, when=has_target)
def _normalise(g: Generation) -> list[str]:
    y = g.recent(targets(g))
    g.touch(y)
    norm = g.pick((f"np.sqrt(1.0 + np.sum({y.name} * {y.name}))", f"1.0 + abs({y.name}).max()"))
    return [f"{y.name} /= {norm}"]


@rule("errstate", 0.8, cost=2)
def _errstate(g: Generation) -> list[str]:
    state = g.pick(("over='ignore'", "divide='ignore', invalid='ignore'", "all='ignore'"))
    lines = [f"with np.errstate({state}):"]
    if has_target(g) and g.chance(0.5):
        var = g.recent(targets(g))
        return [*lines, "    " + write(g, var, f"{var.name}[:]", var.shape, ("=", "*="))]
    e = g.calm(g.scalar(2))
    return [*lines, f"    {bind_float(g, e)} = {e.text}"]
