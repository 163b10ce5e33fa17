"""Control flow: branches, loops over everything that can be looped over, jumps out of them."""

from dataclasses import dataclass

from tests.fuzz.assignments import ACCUMULATED, arrays, rule
from tests.fuzz.grammar import Expr, Generation, Shape, Var, indent
from tests.fuzz.indices import size


@dataclass(frozen=True, slots=True)
class Header:
    """A `for` header, the names that it binds, and how often the body runs at most."""

    tag: str
    text: str
    names: tuple[tuple[Var, float], ...]
    trips: int


def results(g: Generation, depth: int = 2) -> str:
    """The values of a `return`: each of the shape that the function promises."""
    return ", ".join(g.calm(g.value(s, depth), bool(s)).text for s in g.result)


@rule("if", 5, cost=2, inside=6)
def _if(g: Generation) -> list[str]:
    lines = [f"if {g.test(2)}:", *_suite(g, 2)]
    while g.chance(0.3) and g.budget > 1:
        g.tag("elif")
        lines += [f"elif {g.test(1)}:", *_suite(g, 2)]
    if g.chance(0.55):
        g.tag("else")
        lines += ["else:", *_suite(g, 2)]
    return lines


@rule("if_defines", 1, cost=3, inside=0.5)
def _if_defines(g: Generation) -> list[str]:
    """Both arms define a name that did not exist before."""
    shape: Shape = () if g.chance(0.6) else g.shape(1)
    name = g.fresh("array" if shape else "float")
    test, arms = g.test(2), []
    for _ in range(2):
        e = g.calm(g.value(shape, 2), bool(shape))
        text = e.text if not shape or "(" in e.text else f"{e}.copy()"
        arms.append([f"    {name} = {text}"])
    g.declare(Var(name, "array" if shape else "float", shape), 3.0)
    return [f"if {test}:", *arms[0], "else:", *arms[1]]


@rule("if_return", 0.9, cost=1, inside=2)
def _if_return(g: Generation) -> list[str]:
    inside = bool(g.loops)
    nested = len(g.loops) > 1
    g.tag("return_in_nested_loop" if nested else "return_in_loop" if inside else "early_return")
    return [f"if {g.test(2)}:", f"    return {results(g, 1)}"]


@rule("break", 3, cost=1, when=lambda g: bool(g.loops))
def _break(g: Generation) -> list[str]:
    if len(g.loops) > 1:
        g.tag("break_in_nested_loop")
    return [f"if {g.test(2)}:", *indent([*_maybe(g), "break"])]


@rule("continue", 3, cost=1, when=lambda g: bool(g.loops))
def _continue(g: Generation) -> list[str]:
    return [f"if {g.test(2)}:", *indent([*_maybe(g), "continue"])]


def _maybe(g: Generation) -> list[str]:
    if g.budget > 0 and g.chance(0.35):
        with g.nested():
            return _simple(g)
    return []


def _simple(g: Generation) -> list[str]:
    floats = [v for v in g.find("float") if not v.fixed and v.storage not in g.positive]
    if not floats:
        return []
    var = g.recent(floats)
    e = g.settle(g.scalar(1), max(ACCUMULATED - g.mag(var), 1.0) / g.trips)
    g.grow(var, g.mag(var) + g.trips * e.mag)
    return [f"{var.name} += {e.text}"]


def _suite(g: Generation, most: int) -> list[str]:
    with g.nested():
        return indent(g.body(most) if g.budget > 0 else _simple(g) or ["pass"])


@rule("for", 13, cost=3, when=lambda g: len(g.loops) < 2, inside=10)
def _for(g: Generation) -> list[str]:
    outer = dict(g.scope)
    header = _header(g)
    g.tag(header.tag)
    if g.loops:
        g.tag("nested_loop")
    with g.nested(header.trips):
        for var, mag in header.names:
            g.declare(var, mag)
        body = indent(g.body(3))
    lines = [f"for {header.text}:", *body]
    if g.chance(0.05):
        g.tag("loop_else")
        lines += ["else:", *_suite(g, 1)]
    g.scope = {name: var for name, var in g.scope.items() if name in outer}
    _leak(g, header)
    return lines


def _leak(g: Generation, header: Header) -> None:
    """A loop index outlives its loop, if the loop has run."""
    var = header.names[0][0]
    if g.level == 0 and header.trips > 0 and var.kind == "int" and g.chance(0.2):
        g.tag("index_after_loop")
        g.scope[var.name] = var


def _header(g: Generation) -> Header:
    kinds: list[tuple[float, str]] = [(6, "range"), (0.6, "zero"), (0.7, "tuple")]
    if arrays(g):
        kinds += [(2, "array"), (1, "zip"), (1.2, "enumerate"), (0.7, "reversed")]
    if g.find("list"):
        kinds.append((5, "list"))
    kind = g.weighted([k for _, k in kinds], [w for w, _ in kinds])
    match kind:
        case "range":
            return _range(g)
        case "zero":
            return _zero(g)
        case "tuple" | "list":
            return _items(g, kind)
        case "reversed":
            return _reversed(g)
        case _:
            return _over_array(g, kind)


def _index(g: Generation, lo: int, hi: int) -> Var:
    return Var(g.fresh("loop"), "int", lo=lo, hi=hi, fixed=True)


def _range(g: Generation) -> Header:
    n = g.recent(arrays(g)).shape[0] if arrays(g) and g.chance(0.85) else g.rng.randint(2, 5)
    text = size(g, n)
    inner = [v for v in g.find("int") if v.fixed and v.hi > v.lo and v.lo >= 0 and v.hi < n]
    if inner and g.chance(0.55):
        outer = g.pick(inner)
        if g.chance(0.5):
            i = _index(g, 0, max(outer.hi - 1, 0))
            return Header(
                "range_triangular", f"{i.name} in range({outer.name})", ((i, 1),), outer.hi
            )
        i = _index(g, outer.lo + 1, n - 1)
        head = f"{i.name} in range({outer.name} + 1, {text})"
        return Header("range_triangular", head, ((i, 1),), n - 1 - outer.lo)
    forms = [
        ("range_plain", f"{text}", range(n)),
        ("range_plain", f"{text}", range(n)),
        ("range_from", f"1, {text}", range(1, n)),
        ("range_inner", f"1, {text} - 1", range(1, n - 1)),
        ("range_short", f"{text} - 1", range(n - 1)),
        ("range_down", f"{text} - 1, -1, -1", range(n - 1, -1, -1)),
        ("range_down", f"{text} - 2, 0, -1", range(n - 2, 0, -1)),
        ("range_step", f"0, {text}, 2", range(0, n, 2)),
        ("range_step_down", f"{text} - 1, 0, -2", range(n - 1, 0, -2)),
    ]
    tag, bounds, run = g.pick([form for form in forms if len(form[2]) > 0])
    i = _index(g, min(run), max(run))
    return Header(tag, f"{i.name} in range({bounds})", ((i, 1),), len(run))


def _zero(g: Generation) -> Header:
    """A loop that never runs; its index may not be read outside, inside it is any number."""
    i = _index(g, 0, 0)
    bounds = g.pick(("0", "3, 1", "2, 2", "0, 3, -1"))
    return Header("range_zero_trips", f"{i.name} in range({bounds})", ((i, 1),), 0)


def _items(g: Generation, kind: str) -> Header:
    item = Var(g.fresh("item"), "float", fixed=True)
    if kind == "list":
        var = g.pick(g.find("list"))
        head = g.pick((var.name, f"{var.name}[1:]", f"reversed({var.name})"))
        return Header("for_list", f"{item.name} in {head}", ((item, 2),), var.shape[0])
    values = [g.number(-1, 1), g.scalar(0).text, g.number(0.1, 1)]
    opened, closed = g.pick((("(", ")"), ("[", "]")))
    text = f"{item.name} in {opened}{', '.join(values)}{closed}"
    return Header("for_tuple", text, ((item, 2),), 3)


def _reversed(g: Generation) -> Header:
    var = g.recent(arrays(g))
    n = var.shape[0]
    if len(var.shape) == 1 and g.chance(0.4):
        item = Var(g.fresh("item"), "float", fixed=True)
        text = f"{item.name} in reversed({var.name})"
        return Header("for_reversed", text, ((item, g.mag(var)),), n)
    i = _index(g, 0, n - 1)
    return Header("for_reversed", f"{i.name} in reversed(range({size(g, n)}))", ((i, 1),), n)


def _item_of(g: Generation, var: Var) -> Var:
    """What iteration over an array binds: elements of a vector, row views of a matrix."""
    if len(var.shape) == 1:
        return Var(g.fresh("item"), "float", fixed=True)
    g.tag("for_rows")
    return Var(g.fresh("item"), "array", var.shape[1:], storage=var.storage, fixed=False)


def _over_array(g: Generation, kind: str) -> Header:
    var = g.recent(arrays(g))
    n = var.shape[0]
    first = _item_of(g, var)
    if kind == "array":
        return Header("for_array", f"{first.name} in {var.name}", ((first, g.mag(var)),), n)
    if kind == "enumerate":
        i = _index(g, 0, n - 1)
        text = f"{i.name}, {first.name} in enumerate({var.name})"
        return Header("for_enumerate", text, ((i, 1), (first, g.mag(var))), n)
    partner = g.recent(arrays(g))
    second = _item_of(g, partner)
    text = f"{first.name}, {second.name} in zip({var.name}, {partner.name})"
    names = ((first, g.mag(var)), (second, g.mag(partner)))
    return Header("for_zip", text, names, min(n, partner.shape[0]))


@rule("while", 2, cost=4, when=lambda g: len(g.loops) < 2)
def _while(g: Generation) -> list[str]:
    """The counter moves first, so that `continue` cannot hang the loop."""
    k, most = g.fresh("int"), g.rng.randint(2, 4)
    test = f"{k} < {most}"
    if g.chance(0.5):
        g.tag("while_data")
        test = f"{test} and ({g.test(1)})"
    with g.nested(most):
        g.declare(Var(k, "int", lo=1, hi=most, fixed=True))
        body = [f"{k} += 1", *g.body(3)]
    g.declare(Var(k, "int", lo=0, hi=most, fixed=True))
    return [f"{k} = 0", f"while {test}:", *indent(body)]


@rule("while_true", 1.5, cost=4, when=lambda g: len(g.loops) < 2)
def _while_true(g: Generation) -> list[str]:
    k, most = g.fresh("int"), g.rng.randint(1, 4)
    stop = f"{k} >= {most}"
    if g.chance(0.5):
        stop = f"{stop} or ({g.test(1)})"
    with g.nested(most):
        g.declare(Var(k, "int", lo=0, hi=most, fixed=True))
        before = _simple(g) if g.chance(0.5) else []
        after = g.body(2)
    lines = [*before, f"if {stop}:", "    break", f"{k} += 1", *after]
    return [f"{k} = 0", "while True:", *indent(lines)]


@rule("while_shrinks", 0.6, cost=3, when=lambda g: len(g.loops) < 2)
def _while_shrinks(g: Generation) -> list[str]:
    """A loop whose number of trips depends on a differentiated value."""
    e = g.calm(g.scalar(2))
    t = g.declare(Var(g.fresh("float"), "float"), 3.0).name
    k = g.fresh("int")
    g.take(k)
    head = [f"{t} = {Expr(e.text, 1)} + {g.number(0.3, 1.5)}", f"{k} = 0"]
    step = [f"{t} *= {g.number(0.3, 0.7)}", f"{k} += 1"]
    return [*head, f"while {t} * {t} > {g.number(0.1, 0.4)} and {k} < 6:", *indent(step)]
