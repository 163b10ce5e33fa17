"""Classes of the module: data classes, named tuples, instances with methods and properties."""

from typing import Final

from tests.fuzz.grammar import Generation, indent
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

rule = topic("objects")

POINT: Final = (
    "class NAME(NamedTuple):",
    "    x: float",
    "    y: float = 1.0",
    "    def norm(self):",
    "        return np.sqrt(1.0 + self.x * self.x + self.y * self.y)",
)
WALKER: Final = (
    "class NAME:",
    "    gain = 0.5",
    "    def __init__(self, x, v=0.3):",
    "        self.x = x",
    "        self.v = v",
    "        self.steps = 0",
    "    def push(self, f):",
    "        self.v = self.v + self.gain * f",
    "        return self.v",
    "    def step(self, dt=0.2):",
    "        self.push(-self.x)",
    "        self.x += dt * self.v",
    "        self.steps += 1",
    "        return self",
    "    def energy(self):",
    "        if self.x > self.v:",
    "            return self.x * self.x",
    "        return self.x * self.v + self.steps",
)
DUAL: Final = (
    "class NAME:",
    "    def __init__(self, a, b):",
    "        self.a, self.b = a, b",
    "    def __add__(self, other):",
    "        return NAME(self.a + other.a, self.b + other.b)",
    "    def __mul__(self, other):",
    "        if isinstance(other, NAME):",
    "            return NAME(self.a * other.a, self.a * other.b + self.b * other.a)",
    "        return NAME(self.a * other, self.b * other)",
    "    def __rmul__(self, other):",
    "        return self * other",
    "    def __neg__(self):",
    "        return NAME(-self.a, -self.b)",
    "    def __call__(self, t):",
    "        return self.a + self.b * t",
    "    def __len__(self):",
    "        return 2",
)
FIELD: Final = (
    "class NAME:",
    "    def __init__(self, u, c):",
    "        self.u = u.copy()",
    "        self.c = c",
    "    def smooth(self):",
    "        for i in range(1, len(self.u)):",
    "            self.u[i] = 0.5 * self.u[i] + self.c * self.u[i - 1]",
    "    def total(self):",
    "        return np.sum(self.u * self.u)",
    "    def scaled(self, s):",
    "        return NAME(self.u * s, self.c)",
)
MASS: Final = (
    "class NAME:",
    "    def __init__(self, x, m=1.0):",
    "        self.x, self.m = x, m",
    "    def moved(self, d):",
    "        return NAME(self.x + d, self.m)",
)
SETTINGS: Final = (
    "class NAME:",
    "    def __init__(self, tol, order=2):",
    "        self.tol = tol",
    "        self.order = order",
)
SHAPE: Final = (
    "class NAME:",
    "    factor = 0.5",
    "    def __init__(self, size):",
    "        self.size = size",
    "    def area(self):",
    "        return self.factor * self.side() ** 2",
    "    def side(self):",
    "        return self.size",
)
ROUND: Final = (
    "    factor = 1.2",
    "    def __init__(self, size, bend=0.3):",
    "        super().__init__(size)",
    "        self.bend = bend",
    "    def side(self):",
    "        return super().side() * np.cos(self.bend)",
    "    @staticmethod",
    "    def unit(t):",
    "        return t / (1.0 + t * t)",
    "    @classmethod",
    "    def small(cls, t):",
    "        return cls(0.3 * t)",
)


def fresh(g: Generation) -> str:
    return g.fresh("list")


@rule("object_dataclass")
def _dataclass(g: Generation) -> list[str]:
    frozen = g.chance(0.4)
    name = define(
        g,
        "Spring",
        f"@dataclass{'(frozen=True)' if frozen else ''}",
        "class NAME:",
        "    k: float",
        "    rest: float = 0.5",
        "    def force(self, x):",
        "        return -self.k * (x - self.rest)",
        "    @property",
        "    def scale(self):",
        "        return self.k * self.rest",
    )
    o, k = fresh(g), small(g)
    made = g.pick((f"{name}({k})", f"{name}({k}, {small(g, 0)})", f"{name}(rest=0.3, k={k})"))
    change = g.pick(
        (
            [],
            [f"{o}.k = {o}.k * {g.number(0.3, 0.9)}"],
            [f"{o}.rest += {small(g, 0)}"],
            [f"if {g.test(1)}:", f"    {o}.k = {small(g)}"],
            ["for _ in range(2):", f"    {o}.k -= 0.3 * {o}.rest"],
        )
    )
    value = g.pick(
        (f"{o}.force({small(g, 0)})", f"{o}.scale + {o}.k", f"{o}.force({o}.k) * {o}.scale")
    )
    return [f"{o} = {made}", *([] if frozen else change), f"{new_float(g, 9.0)} = {value}"]


@rule("object_named_tuple")
def _named_tuple(g: Generation) -> list[str]:
    name = define(g, "Point", *POINT)
    o, x, y = fresh(g), small(g), small(g)
    value = g.pick(
        (
            f"{o}.x * {o}.y",
            f"{o}.norm()",
            f"{o}[0] + sum({o})",
            f"{o}._replace(x={y}).norm()",
            f"{name}(*{o}).norm() * {o}.y",
            f"sum(q_ * q_ for q_ in {o})",
        )
    )
    made = g.pick((f"{name}({x}, {y})", f"{name}({x})", f"{name}(y={y}, x={x})"))
    change = g.pick(
        (
            [],
            [f"{o} = {o}._replace(y={x})"],
            ["for _ in range(2):", f"    {o} = {name}({o}.y, {o}.x * 0.5)"],
            [f"if {g.test(1)}:", f"    {o} = {name}({y}, {x})"],
        )
    )
    return [f"{o} = {made}", *change, f"{new_float(g, 9.0)} = {value}"]


@rule("object_instance")
def _instance(g: Generation) -> list[str]:
    """State that methods change, one of them called by another."""
    name = define(g, "Walker", *WALKER)
    o, x = fresh(g), small(g)
    more = g.pick(("", f", {small(g, 0)}", f", v={small(g, 0)}"))
    calls = g.pick(
        (
            [f"{o}.step()"],
            [f"{o}.push({small(g, 0)})", f"{o}.step(0.1)"],
            ["for _ in range(3):", f"    {o}.step(dt={g.number(0.1, 0.4)})"],
            [f"{o}.step().step()"],
            [f"if {o}.x > 0.1:", f"    {o}.step()"],
            [f"while {o}.steps < 2:", f"    {o}.step()"],
        )
    )
    return [f"{o} = {name}({x}{more})", *calls, f"{new_float(g, 9.0)} = {o}.energy()"]


@rule("object_operators", weight=16)
def _operators(g: Generation) -> list[str]:
    name = define(g, "Dual", *DUAL)
    p, q = fresh(g), fresh(g)
    value = g.pick(
        (
            f"({p} * {q}).b + ({p} + {q}).a",
            f"({p} * {p} + {q} * 0.5).b",
            f"(2.0 * {p} + -{q})(0.3)",
            f"{p}({small(g, 0)}) * len({q})",
        )
    )
    return [
        f"{p} = {name}({small(g)}, {small(g)})",
        f"{q} = {name}({small(g, 0)}, 1.0)",
        f"{new_float(g, 9.0)} = {value}",
    ]


@rule("object_inherited", weight=16)
def _inherited(g: Generation) -> list[str]:
    base = define(g, "Shape", *SHAPE)
    derived = define(g, "Round", f"class NAME({base}):", *ROUND)
    a = small(g)
    value = g.pick(
        (
            f"{derived}({a}).area()",
            f"{derived}({a}, bend={small(g, 0)}).area() + {base}({a}).area()",
            f"{derived}.small({a}).area()",
            f"{derived}.unit({a})",
            f"sum(s_.area() for s_ in ({base}({a}), {derived}({small(g, 0)})))",
        )
    )
    return [f"{new_float(g, 9.0)} = {value}"]


@rule("object_with_arrays", when=vector_at_top)
def _arrays(g: Generation) -> list[str]:
    name = define(g, "Field", *FIELD)
    o, x = fresh(g), vector(g)
    y = new_array(g, x.shape)
    change = g.pick(
        (
            [f"{o}.smooth()"],
            [f"{o}.u[0] = {small(g, 0)}"],
            [f"{o}.u *= {small(g, 0)}"],
            [f"{o} = {o}.scaled({small(g, 0)})", f"{o}.smooth()"],
            ["for _ in range(2):", f"    {o}.smooth()", f"    {o}.c *= 0.5"],
        )
    )
    end = g.pick((f"{o}.u", f"{o}.u * {o}.total()", f"{o}.scaled(0.5).u + {o}.u"))
    return [f"{o} = {name}({x.name}, {small(g, 0)})", *change, f"{y} = 1.0 * ({end})"]


@rule("object_list", weight=16)
def _list(g: Generation) -> list[str]:
    name = define(g, "Mass", *MASS)
    items, t = fresh(g), new_float(g, 9.0)
    value = g.pick(
        (
            f"sum(o_.x * o_.m for o_ in {items})",
            f"{items}[0].x * {items}[1].m",
            f"max(o_.x for o_ in {items})",
            f"sum([o_.moved(0.3).x ** 2 for o_ in {items}])",
            f"sorted({items}, key=lambda o_: o_.x)[0].m",
        )
    )
    change = g.pick(
        (
            [],
            [f"{items}[0].x = {small(g)}"],
            [f"for o_ in {items}:", f"    o_.x = o_.x * {small(g, 0)}"],
            [f"{items}.append({name}({small(g, 0)}))"],
        )
    )
    entries = f"{name}({small(g)}), {name}({small(g)}, {small(g, 0)})"
    return [f"{items} = [{entries}]", *change, f"{t} = {value}"]


@rule("object_argument", when=has_vector)
def _argument(g: Generation) -> list[str]:
    """An instance is handed to a function, which reads and perhaps changes it."""
    name = define(g, "Settings", *SETTINGS)
    used = define(
        g,
        "run_with",
        "def NAME(v, settings=None):",
        "    total = 0.0",
        "    order = settings.order if settings is not None else 1",
        "    for e in v:",
        "        total += e ** order",
        "        if settings is not None and total > settings.tol:",
        "            total = total * 0.5",
        *g.pick(
            ([], indent(["if settings is not None:", "    settings.tol = settings.tol + total"]))
        ),
        "    return total",
    )
    o, x = fresh(g), vector(g).name
    calls = g.pick(
        (
            [f"{new_float(g, 9.0)} = {used}({x}, {o})"],
            [f"{new_float(g, 9.0)} = {used}({x}, settings={o}) * {o}.tol"],
            [f"{new_float(g, 9.0)} = {used}({x}) + {used}({x}, {o})"],
        )
    )
    more = g.pick(("", ", 3", ", order=1"))
    return [f"{o} = {name}({small(g)}{more})", *calls]
