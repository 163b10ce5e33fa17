"""Statements that write memory: elements, slices, masks, fancy indices, views, aliases, `out=`."""

from dataclasses import replace

from tests.fuzz.assignments import bind_array, rule
from tests.fuzz.conditions import mask
from tests.fuzz.elementary import positive
from tests.fuzz.grammar import CALM, Expr, Generation, Shape, Var
from tests.fuzz.places import Place, choose, places

ROOM = 10.0


def targets(g: Generation) -> list[Var]:
    return g.writable("array")


def has_target(g: Generation) -> bool:
    return bool(targets(g))


def part_shape(g: Generation, var: Var) -> Shape:
    """A shape that a part of `var` may have."""
    if len(var.shape) == 1:
        return g.pick(((), (), (), (g.rng.randint(1, var.shape[0]),)))
    m, n = var.shape
    below = (g.rng.randint(1, m), g.rng.randint(1, n))
    return g.pick(((), (), (n,), (m,), (g.rng.randint(1, n),), below))


def write(g: Generation, var: Var, target: str, shape: Shape, operators: tuple[str, ...]) -> str:
    """`target op= e`, with `e` such that the bound of the memory grows by little."""
    operator = g.pick(operators)
    g.tag(f"store_{operator}")
    give: Shape = shape if shape == () or g.chance(0.7) else ()
    if shape != give:
        g.tag("store_broadcast")
    lib = "np." if give or g.chance(0.5) else g.math
    if operator == "*=":
        g.touch(var)
        factor = g.pick((g.number(0.4, 1.1), f"{lib}cos{g.value(give, 1)}"))
        return f"{target} *= {factor}"
    if operator == "/=":
        g.touch(var)
        below = positive(g, lambda: g.value(give, 1), array=bool(give))
        return f"{target} /= 0.6 + {below}"
    if operator == "=":
        e = g.calm(g.value(give, 2), array=bool(give))
        g.grow(var, e.mag)
        return f"{target} = {e.text}"
    e = g.settle(g.value(give, 2), max(ROOM - g.mag(var), 1.0) / g.trips, array=bool(give))
    g.grow(var, g.mag(var) + g.trips * e.mag)
    return f"{target} {operator} {e.text}"


ALL = ("=", "=", "=", "+=", "+=", "-=", "*=", "/=")
INPLACE = ("+=", "-=", "*=", "/=")


@rule("store_part", 8, when=has_target, inside=12)
def _store_part(g: Generation) -> list[str]:
    var = g.recent(targets(g))
    shape = part_shape(g, var)
    found = [p for p in places(g, var, shape) if p.store]
    return [write(g, var, choose(g, found), shape, ALL)]


@rule("store_chained", 0.9, when=has_target)
def _store_chained(g: Generation) -> list[str]:
    var = g.recent(targets(g))
    found = [p for p in places(g, var, ()) if p.store]
    e = g.calm(g.scalar(2))
    g.grow(var, e.mag)
    name = g.declare(Var(g.fresh("float"), "float"), e.mag).name
    return [f"{choose(g, found)} = {name} = {e.text}"]


@rule("store_swap", 0.7, when=has_target)
def _store_swap(g: Generation) -> list[str]:
    """Exchange two elements; both right-hand reads happen before the stores."""
    var = g.recent(targets(g))
    a, b = (choose(g, places(g, var, ())) for _ in range(2))
    g.touch(var)
    return [f"{a}, {b} = {b}, {a}"]


@rule("store_mask", 1.2, when=has_target)
def _store_mask(g: Generation) -> list[str]:
    var = g.recent(targets(g))
    test = mask(g, var.shape)
    target = f"{var.name}[{test}]"
    if g.chance(0.3):
        g.tag("store_mask_gather")
        source = g.recent([v for v in g.find("array") if v.shape == var.shape])
        g.grow(var, g.mag(source))
        return [f"{target} = {g.number(0.3, 0.9)} * {source.name}[{test}]"]
    return [write(g, var, target, (), ALL)]


@rule("add_at", 0.9, when=lambda g: any(len(v.shape) == 1 for v in targets(g)))
def _add_at(g: Generation) -> list[str]:
    var = g.recent([v for v in targets(g) if len(v.shape) == 1])
    n = g.rng.randint(2, 4)
    places_hit = [g.rng.randrange(var.shape[0]) for _ in range(n)]
    e = g.settle(g.array((n,), 1), 1.0, array=True)
    g.grow(var, g.mag(var) + n * e.mag * g.trips)
    return [f"np.add.at({var.name}, {places_hit}, {e.text})"]


@rule("store_whole", 2, when=has_target)
def _store_whole(g: Generation) -> list[str]:
    var = g.recent(targets(g))
    full = ":" if len(var.shape) == 1 or g.chance(0.5) else ":, :"
    return [write(g, var, f"{var.name}[{g.pick((full, full, '...'))}]", var.shape, ALL)]


@rule("augmented_array", 2.5, when=has_target)
def _augmented_array(g: Generation) -> list[str]:
    """`y += e` writes y's memory, which aliases see; `y = y + e` would not."""
    var = g.recent(targets(g))
    return [write(g, var, var.name, var.shape, INPLACE)]


@rule("out_argument", 0.9, when=has_target)
def _out(g: Generation) -> list[str]:
    var = g.recent(targets(g))
    a = g.settle(g.array(var.shape, 1), 1.5, array=True)
    b = g.settle(g.value(g.pick((var.shape, ())), 1), 1.5, array=True)
    function = g.pick(("multiply", "add", "subtract"))
    g.grow(var, 3.0)
    if g.chance(0.3):
        return [f"np.{g.pick(('sin', 'tanh', 'cos'))}({a.text}, out={var.name})"]
    return [f"np.{function}({a.text}, {b.text}, out={var.name})"]


@rule("view", 2.5, cost=2, when=has_target)
def _view(g: Generation) -> list[str]:
    """Name a part of an array, then write through the name."""
    var = g.recent(targets(g))
    lines, view = _take_view(g, var)
    if g.chance(0.35):
        g.tag("nested_view")
        more, inner = _take_view(g, view)
        lines += more
        lines.append(_through(g, inner))
    if g.chance(0.85):
        g.tag("write_through_view")
        lines.append(_through(g, view))
    return lines


def _take_view(g: Generation, var: Var) -> tuple[list[str], Var]:
    shapes: list[Shape] = [part_shape(g, var) or var.shape]
    if len(var.shape) == 2:
        shapes += [(var.shape[1], var.shape[0]), (var.shape[0] * var.shape[1],)]
    elif var.shape[0] in (4, 6):
        shapes.append((2, var.shape[0] // 2))
    shape = g.pick(shapes)
    found = [p for p in places(g, var, shape) if p.view]
    if not found:
        shape, found = var.shape, [Place("slice_full", True, True, lambda: f"{var.name}[:]")]
    text = choose(g, found)
    name = g.fresh("view")
    view = g.declare(Var(name, "array", shape, storage=var.storage))
    return [f"{name} = {text}"], view


def _through(g: Generation, view: Var) -> str:
    if g.chance(0.4):
        return write(g, view, view.name, view.shape, INPLACE)
    if g.chance(0.4):
        return write(g, view, f"{view.name}[:]", view.shape, ALL)
    shape = part_shape(g, view)
    found = [p for p in places(g, view, shape) if p.store]
    return write(g, view, choose(g, found), shape, ALL)


@rule("alias", 1.2, cost=2, when=has_target)
def _alias(g: Generation) -> list[str]:
    var = g.recent(targets(g))
    name = g.fresh("array" if len(var.shape) == 1 else "matrix")
    alias = g.declare(replace(var, name=name))
    first, second = (var, alias) if g.chance(0.4) else (alias, var)
    lines = [f"{name} = {var.name}", _through(g, first)]
    return [*lines, _through(g, second)] if g.chance(0.4) else lines


@rule("chained_alias", 1, cost=2, inside=0.1)
def _chained_alias(g: Generation) -> list[str]:
    shape = g.shape()
    a = bind_array(g, shape, 1.0)
    b = g.declare(replace(a, name=g.fresh("matrix" if len(shape) == 2 else "array")))
    lines = [f"{a.name} = {b.name} = np.ones({shape[0] if len(shape) == 1 else shape})"]
    return [*lines, _through(g, a)]


@rule("alias_by_branch", 2.5, cost=2, when=lambda g: _pairs(g) != [])
def _alias_by_branch(g: Generation) -> list[str]:
    """Which memory the name means depends on a test: to be handled or refused, never guessed."""
    a, b = g.pick(_pairs(g))
    test, name = g.test(1), g.fresh("view")
    view = g.declare(Var(name, "array", a.shape, storage=a.storage))
    g.tag("conditional")
    return [f"{name} = {a.name} if {test} else {b.name}", _through(g, view)]


def _pairs(g: Generation) -> list[tuple[Var, Var]]:
    found = targets(g)
    return [(a, b) for a in found for b in found if a.name != b.name and a.shape == b.shape]


@rule("empty_then_written", 0.8, cost=2, inside=0.2)
def _empty(g: Generation) -> list[str]:
    shape = g.shape()
    like = [v for v in g.find("array") if v.shape == shape]
    e = g.calm(g.array(shape, 2), array=True)
    dims = str(shape[0]) if len(shape) == 1 else str(shape)
    made = f"np.empty_like({g.pick(like).name})" if like and g.chance(0.7) else f"np.empty({dims})"
    parts = [[f"[:] = {e.text}"], [f"[...] = {e.text}"]]
    if shape[0] > 1:
        rest = g.calm(g.array((shape[0] - 1, *shape[1:]), 1), array=True)
        first = g.calm(g.scalar(1))
        parts += [[f"[0] = {first.text}", f"[1:] = {rest.text}"]] * 2
    name = bind_array(g, shape, CALM).name
    return [f"{name} = {made}", *(f"{name}{line}" for line in g.pick(parts))]


@rule("zeros_then_written", 1.5, cost=2, inside=0.4)
def _zeros(g: Generation) -> list[str]:
    shape = g.shape()
    like = [v for v in g.find("array") if v.shape == shape]
    dims = str(shape[0]) if len(shape) == 1 else str(shape)
    made = f"np.zeros_like({g.pick(like).name})" if like and g.chance(0.7) else f"np.zeros({dims})"
    g.tag("zeros_like" if "like" in made else "zeros")
    var = bind_array(g, shape, 0.5)
    part = part_shape(g, var)
    found = [p for p in places(g, var, part) if p.store]
    return [f"{var.name} = {made}", write(g, var, choose(g, found), part, ("=", "=", "+="))]


def copied(g: Generation, shape: Shape) -> tuple[list[str], Var]:
    """A fresh array of `shape`, from an argument or an expression, for a pattern to work on."""
    like = [v for v in g.find("array") if v.shape == shape]
    if like and g.chance(0.8):
        source = g.recent(like)
        e = Expr(g.pick((f"{source.name}.copy()", f"np.copy({source.name})")), g.mag(source))
    else:
        e = g.calm(g.array(shape, 2), array=True)
        e = e if "(" in e.text else Expr(f"{e}.copy()", e.mag)
    var = bind_array(g, shape, e.mag)
    return [f"{var.name} = {e.text}"], var
