"""Random programs: from an integer, a valid, terminating, smooth Python function with arguments.

`generate(seed)` is a pure function of its seed. It draws attempts until one runs: finite, not too
steep, of a size that a person would read, and, in four cases of five, not constant. The modules
beside this one state what the text is made of; this one puts a program together.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from adjointgen.opt.program import FUNCTION, Program, flatten
from tests.fuzz import (
    control,
    functions,
    patterns,
    patterns_calls,
    patterns_dicts,
    patterns_flow,
    patterns_functions,
    patterns_kinds,
    patterns_lists,
    patterns_matrix,
    patterns_objects,
    patterns_tuples,
    scalars,
    stores,
    structure,
    trivia,
)
from tests.fuzz.elementary import BINARY, UNARY
from tests.fuzz.grammar import Generation, Shape, Var, indent
from tests.fuzz.oracle import Primal, Rejected, steepness

TABLES: Final = (
    control,
    functions,
    patterns,
    patterns_calls,
    patterns_dicts,
    patterns_flow,
    patterns_functions,
    patterns_kinds,
    patterns_lists,
    patterns_matrix,
    patterns_objects,
    patterns_tuples,
    scalars,
    stores,
    structure,
    trivia,
)
LINES: Final = 25
STEEP: Final = 300.0
LARGE: Final = 1e4
ATTEMPTS: Final = 40

ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "array": ("x", "x", "u0", "data", "field"),
    "matrix": ("X", "W", "K"),
    "float": ("a", "c", "alpha", "theta", "kappa"),
    "int": ("n", "order_n", "nt"),
    "list": ("coeffs", "knots"),
}


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter with its value; `default` is the text of a default that the call overrides."""

    name: str
    value: Any
    annotation: str
    default: str
    active: bool


def generate(seed: int) -> Program:
    """The program of a seed."""
    for attempt in range(ATTEMPTS):
        program = draft(seed, attempt)
        found = judge(program)
        if isinstance(found, Primal):
            return replace(program, features=tuple(sorted({*program.features, *effects(found)})))
    raise RuntimeError(f"seed {seed}: no runnable program in {ATTEMPTS} attempts")


def judge(program: Program) -> Primal | str:
    """The program as it runs, or why it is not handed out."""
    if len(ast.unparse(_function(program.source)).splitlines()) > LINES + 1:
        return "long"
    try:
        primal = Primal(program)
        slope = steepness(primal)
    except Rejected as error:
        return str(error)
    if np.any(np.abs(primal.base) > LARGE):
        return "large"
    if slope > STEEP:
        return "steep"
    return "flat" if slope == 0.0 and program.seed % 5 else primal


def effects(primal: Primal) -> Iterator[str]:
    """Tags that only a run shows."""
    pairs = zip(primal.after, primal.program.args, strict=True)
    if any(not np.array_equal(flatten(now), flatten(before)) for now, before in pairs):
        yield "mutated_argument"
    if steepness(primal) == 0.0:
        yield "flat"


def draft(seed: int, attempt: int) -> Program:
    """One attempt: whatever the tables give, not yet run."""
    g = Generation(f"{seed}:{attempt}")
    _constants(g)
    for _ in range(g.weighted((0, 1, 2, 3), (5, 4, 2, 1))):
        functions.define(g)
    arguments = _arguments(g)
    g.result = _signature(g)
    with functions.function(g, {a.name for a in arguments}, g.result, g.rng.randint(2, 16)):
        _declare(g, arguments)
        body = _statements(g, [a.name for a in arguments])
    head = f"def {FUNCTION}({', '.join(map(_parameter, arguments))}):"
    text = "\n".join([*_imports(g), "", *g.module, head, *indent(body)])
    source = trivia.decorate(g, ast.unparse(ast.parse(text)), FUNCTION)
    wrt = _wrt(g, arguments)
    tags = sorted(g.tags | trivia.observed(source, FUNCTION))
    names, values = tuple(a.name for a in arguments), tuple(a.value for a in arguments)
    return Program(seed, source, names, values, wrt, tuple(tags), attempt)


def _statements(g: Generation, names: list[str]) -> list[str]:
    lines: list[str] = []
    while g.budget > 0:
        lines += g.statement()
    texts = [_final(g, shape) for shape in g.result]
    terms = _unread(g, names, "\n".join([*lines, *texts]))
    if terms and g.chance(0.8):
        texts[0] = " + ".join([f"({texts[0]})", *terms])
    return [*lines, f"return {', '.join(texts)}"]


def _unread(g: Generation, names: list[str], text: str) -> list[str]:
    """The arguments that nothing has read so far, as terms of a sum."""
    unread = [g.scope[n] for n in names if not re.search(rf"\b{n}\b", text)]
    return [f"({_term(g, v)})" for v in unread if v.kind in ("float", "array")]


def _final(g: Generation, shape: Shape) -> str:
    """A result that reads what was written last, so that little of the program is dead."""
    if g.chance(0.02):
        g.tag("constant_result")
        return "1.5" if shape == () else f"np.ones({shape if len(shape) == 2 else shape[0]})"
    return _live(g, shape)


def _live(g: Generation, shape: Shape) -> str:
    if g.chance(0.15):
        return g.value(shape, 2).text
    ranked = sorted(g.scope.values(), key=lambda v: -g.stamps.get(v.name, 0))
    seen = [v for v in ranked if v.kind in ("float", "array") and v.name not in g.constants][:4]
    if shape == ():
        terms = [_term(g, v) for v in seen[: g.rng.randint(1, 4)]] or [g.scalar(1).text]
        return f" {g.pick(('+', '+', '*'))} ".join(f"({t})" for t in terms)
    same = [v for v in seen if v.shape == shape]
    if same and g.chance(0.5):
        return same[0].name
    scale = [_term(g, v) for v in seen[:2] if v.shape != shape]
    base = same[0].name if same else g.value(shape, 2).text
    return f"({base}) * ({scale[0]})" if scale else base


def _term(g: Generation, var: Var) -> str:
    """A name as a scalar."""
    x = var.name
    if var.kind == "float":
        return g.pick((x, x, f"{x} * {x}"))
    return g.pick((f"np.sum({x} * {x})", f"{x}.sum()", f"np.mean({x})", f"np.sum(np.sin({x}))"))


def _signature(g: Generation) -> tuple[Shape, ...]:
    def one() -> Shape:
        return () if g.chance(0.6) else g.shape()

    count = g.weighted((1, 2, 3), (8, 2, 0.6))
    if count > 1:
        g.tag("several_results")
    signature = tuple(one() for _ in range(count))
    g.tag(*("array_result" if shape else "scalar_result" for shape in signature))
    return signature


def _imports(g: Generation) -> list[str]:
    lines = ["import math", "import numpy as np"]
    if g.math == "":
        rows = sorted({r.scalar for r in (*UNARY, *BINARY) if r.scalar} | {"fabs"})
        lines[0] = f"from math import {', '.join(rows)}"
    text = "\n".join(g.module)
    if "@dataclass" in text:
        lines.append("from dataclasses import dataclass")
    if "(NamedTuple)" in text:
        lines.append("from typing import NamedTuple")
    if "stop_gradient" in g.tags:
        lines.append("from adjointgen import stop_gradient")
    return lines


def _constants(g: Generation) -> None:
    """Constants of the module, read by all of its functions."""
    if g.chance(0.12):
        g.tag("from_math")
        g.math = ""
    if g.chance(0.25):
        g.tag("module_constant")
        text = g.number(0.3, 1.5)
        g.module += [f"SCALE = {text}", ""]
        g.declare(Var("SCALE", "float", fixed=True), float(text))
    if g.chance(0.08):
        g.tag("module_array")
        shape = g.shape(1)
        items = ", ".join(g.number(-1, 1) for _ in range(shape[0]))
        g.module += [f"TABLE = np.array([{items}])", ""]
        table = g.declare(Var("TABLE", "array", shape, fixed=True), 1.0)
        g.frozen.add(table.storage)
    if g.chance(0.06):
        g.tag("module_tuple")
        g.module += [f"WEIGHTS = ({g.number(0, 1)}, {g.number(0, 1)}, {g.number(-1, 0)})", ""]
        g.declare(Var("WEIGHTS", "list", (3,), fixed=True), 1.0)
    g.constants = set(g.scope)


def _arguments(g: Generation) -> list[Argument]:
    kinds = ["array" if g.chance(0.75) else "float"]
    for _ in range(g.weighted((0, 1, 2, 3), (3, 4, 3, 1))):
        kinds.append(g.weighted(("array", "float", "matrix", "int", "list"), (3, 4, 2.2, 1.2, 0.4)))
    used: set[str] = set()
    arguments: list[Argument] = []
    for kind in kinds:
        name = g.pick([n for n in ARGUMENTS[kind] if n not in used] or [f"{kind}_{len(used)}"])
        used.add(name)
        arguments.append(_argument(g, kind, name))
    if arguments[-1].annotation in ("float", "int") and len(arguments) > 1 and g.chance(0.3):
        g.tag("default_argument")
        last = arguments[-1]
        default = "1.25" if last.active else "2"
        arguments[-1] = Argument(last.name, last.value, last.annotation, default, last.active)
    if g.chance(0.2):
        g.tag("annotations")
        return arguments
    return [Argument(a.name, a.value, "", a.default, a.active) for a in arguments]


def _argument(g: Generation, kind: str, name: str) -> Argument:
    match kind:
        case "float":
            low = 0.3 if g.chance(0.3) else -1.5
            return Argument(name, _real(g, low), "float", "", True)
        case "int":
            return Argument(name, g.pick(g.shapes)[0], "int", "", False)
        case "list":
            g.tag("list_argument")
            values = [_real(g, -1.5) for _ in range(g.rng.randint(2, 4))]
            return Argument(name, values, "list[float]", "", True)
    shape = g.shape(1 if kind == "array" else 2)
    if 1 in shape:
        g.tag("length_1_axis")
    numbers = [_real(g, -1.5) for _ in range(int(np.prod(shape)))]
    return Argument(name, np.array(numbers).reshape(shape), "np.ndarray", "", True)


def _real(g: Generation, low: float) -> float:
    """A number with four decimals, the last of which no constant of a program has."""
    return round(round(g.rng.uniform(low, 1.5), 3) + 0.0007, 4)


def _parameter(a: Argument) -> str:
    annotation = f": {a.annotation}" if a.annotation else ""
    return f"{a.name}{annotation}" + (f" = {a.default}" if a.default else "")


def _declare(g: Generation, arguments: list[Argument]) -> None:
    writes = g.chance(0.3)
    g.arguments = {a.name for a in arguments}
    for a in arguments:
        g.take(a.name)
        match a.value:
            case int():
                g.declare(Var(a.name, "int", lo=a.value, hi=a.value, fixed=True))
            case float():
                var = g.declare(Var(a.name, "float"), abs(a.value))
                if a.value > 0.3 and g.chance(0.5):
                    g.positive.add(var.storage)
            case list():
                g.declare(Var(a.name, "list", (len(a.value),)), 1.5)
            case _:
                var = g.declare(Var(a.name, "array", a.value.shape), 1.5)
                if not writes:
                    g.frozen.add(var.storage)


def _wrt(g: Generation, arguments: list[Argument]) -> tuple[str, ...]:
    """A non-empty choice of the float arguments, in the order of the signature."""
    names = [a.name for a in arguments if a.active]
    if len(names) > 1 and g.chance(0.25):
        g.tag("some_arguments_fixed")
        kept = set(g.rng.sample(names, g.rng.randint(1, len(names) - 1)))
        return tuple(name for name in names if name in kept)
    return tuple(names)


def _function(source: str) -> ast.FunctionDef:
    found = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    return next(n for n in found if n.name == FUNCTION)
