"""Random numbers: a draw is a constant, its place and scale are not.

    rng.normal(mu, sigma, n)      mu + sigma * rng.standard_normal(n)
    rng.uniform(a, b)             a + (b - a) * rng.random()
    rng.exponential(scale)        scale * rng.standard_exponential()
    rng.gamma(k, scale)           scale * rng.standard_gamma(k)

This is how NumPy computes them, from the same stream, so the numbers are the same. Where no float
goes in, the call is copied.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named, Seq
from adjointgen.frontend.functions.numpy_definitions import holds_floats
from adjointgen.frontend.library.array_attributes import shape
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.random_sources import is_random
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import Type
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import const


@dataclass(frozen=True, slots=True)
class Draw:
    """The parameters by position, what is drawn instead, and with which of the parameters."""

    names: tuple[str, ...]
    standard: str
    given: tuple[str, ...] = ()
    place: str = ""
    scale: str = ""
    end: str = ""


DRAWS = {
    "normal": Draw(("loc", "scale"), "standard_normal", (), "loc", "scale"),
    "uniform": Draw(("low", "high"), "random", (), "low", "", "high"),
    "exponential": Draw(("scale",), "standard_exponential", (), "", "scale"),
    "gamma": Draw(("shape", "scale"), "standard_gamma", ("shape",), "", "scale"),
}
DEFAULTS = {"loc": 0.0, "scale": 1.0, "low": 0.0, "high": 1.0}


def drawn(
    ctx: Context,
    owner: Abstract,
    name: str,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
) -> Abstract | None:
    """What a method of a generator gives; None where it is copied."""
    draw = DRAWS.get(name)
    if draw is None or not holds_floats(ctx, (*args, *keywords.values())):
        return None
    names = (*draw.names, "size")
    if len(args) > len(names) or keywords.keys() - {*names}:
        return None
    given = dict(zip(names, args, strict=False)) | {**keywords}
    size = given.pop("size", const(None))
    numbers = {n: read(ctx, given.get(n, const(DEFAULTS.get(n)))) for n in draw.names}
    if any(not (o.type.is_scalar or o.type.rank is not None) for o in numbers.values()):
        return None
    if size == const(None):
        size = _spread(ctx, list(numbers.values()))
    standard = _standard(ctx, owner, draw, numbers, size)
    scale = numbers[draw.scale] if draw.scale else numbers[draw.end]
    if draw.end:
        scale = ctx.apply("sub", scale, numbers[draw.place])
    scaled = ctx.apply("mul", scale, standard)
    return ctx.apply("add", numbers[draw.place], scaled) if draw.place else scaled


def _spread(ctx: Context, numbers: Sequence[Operand]) -> Abstract:
    """The shape that the parameters have together; None for numbers."""
    arrays = [n for n in numbers if n.type.is_array and n.type.rank]
    if not arrays:
        return const(None)
    whole = arrays[0]
    for other in arrays[1:]:
        whole = ctx.apply("add", whole, other)
    found = shape(ctx, whole)
    return const(None) if found is None else found


def _standard(
    ctx: Context, owner: Abstract, draw: Draw, numbers: Mapping[str, Operand], size: Abstract
) -> Operand:
    holes = Holes(ctx, writes=True)
    source = holes.fill(owner)
    texts = [holes.fill(numbers[name]) for name in draw.given]
    if size != const(None):
        texts.append(f"size={holes.fill(size)}")
    code = f"{source}.{draw.standard}({', '.join(texts)})"
    type = _type(ctx, size)
    return verbatim(ctx, code, holes.operands, type, holes.refs, **holes.keeping())


def _type(ctx: Context, size: Abstract) -> Type:
    if size == const(None):
        return Type("float64")
    known = content(ctx, size)
    if isinstance(known, Seq):
        return Type("float64", (None,) * len(known.items), "array")
    number = isinstance(known, Const) or read(ctx, size).type.is_scalar
    return Type("float64", (None,) if number else None, "array")


def of_module(call: Call) -> Abstract | None:
    """`np.random.normal(mu, sigma)`."""
    assert isinstance(call.function, Named)
    module, _, name = call.function.spelling.rpartition(".")
    text = call.function.text.rpartition(".")[0]
    if not text:
        return None
    owner = Named(module, text, call.function.line)
    return drawn(call.ctx, owner, name, call.args, call.keywords)


def of_object(ctx: Context, node: ast.Call, method: Method) -> Abstract | None:
    """`rng.normal(mu, sigma)` of an object that draws random numbers."""
    if method.name not in DRAWS or not is_random(ctx, method):
        return None
    args, keywords = arguments(ctx, node)
    ctx.node = node
    return drawn(ctx, method.owner, method.name, args, keywords)


OF_MODULE: dict[str, Special] = {f"numpy.random.{name}": of_module for name in DRAWS}
