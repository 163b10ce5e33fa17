"""Methods of distributions of SciPy whose parameters have been given before.

d = norm(mu, sigma);  d.cdf(x)        norm.cdf(x, mu, sigma)

An object of the module, or one that is given, has its parameters in `args` and `kwds`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.domain.abstract_values import Abstract, Method, Module, Named, Outside
from adjointgen.frontend.domain.frozen_distributions import (
    Frozen,
    distribution_of,
    form_of,
    is_distribution,
)
from adjointgen.frontend.domain.module_tables import Living
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import keep, living
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import FLOAT, INT, OBJECT
from adjointgen.rules.framework.table import TABLE

Apply = Callable[[Context, ast.Call, Named, list[Abstract], dict[str, Abstract]], Abstract]
"""Calls a function that is known by name."""

_METHODS: Final = frozenset(
    {
        *("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "pmf", "logpmf"),
        *("mean", "var", "std", "median", "entropy"),
    }
)
"""Methods that take the parameters behind their own arguments."""


def frozen(ctx: Context, node: ast.Call, module: Module) -> Abstract | None:
    """`norm(mu, sigma)`; None for what is no distribution."""
    if not is_distribution(module) or ctx.outlines.primal:
        return None
    args, keywords = arguments(ctx, node)
    ctx.node = node
    holes = Holes(ctx)
    texts = [*map(holes.fill, args), *(f"{k}={holes.fill(v)}" for k, v in keywords.items())]
    code = f"{holes.fill(module)}({', '.join(texts)})"
    made = verbatim(ctx, code, holes.operands, OBJECT, pure=True, **_outside(holes))
    ctx.known[made.name] = Frozen(module, tuple(args), keywords)
    return made


def method(ctx: Context, node: ast.Call, called: Method, apply: Apply) -> Abstract | None:
    """A method of such a distribution; None for another object, and for what has no rule."""
    table = _table(ctx, called.owner)
    if table is None:
        return None
    spelling = f"{table.of.name}.{called.name}"
    if called.name not in _METHODS or TABLE.find(spelling) is None:
        return None
    args, keywords = arguments(ctx, node)
    ctx.node = node
    function = Named(spelling, f"{table.of.text}.{called.name}", table.of.line)
    return apply(ctx, node, function, [*args, *table.args], {**keywords, **table.keywords})


def _outside(holes: Holes) -> dict[str, Any]:
    return {"outside": tuple(holes.outside)} if holes.outside else {}


def _table(ctx: Context, owner: Abstract) -> Frozen | None:
    own = living(ctx, owner)
    if own is not None:
        return _of_living(ctx, owner, own)
    if isinstance(owner, Outside):
        return None
    held = read(ctx, owner)
    found = ctx.known.get(held.name) if isinstance(held, Value) else None
    return found if isinstance(found, Frozen) else _with_parameters(ctx, found, held)


def _of_living(ctx: Context, owner: Abstract, own: Living) -> Frozen | None:
    """One that the module has, for which another of its kind may be put."""
    if distribution_of(own.value) is None:
        return None
    keep(own, form_of, f"{own.steps} is frozen")
    return _with_parameters(ctx, own.value, read(ctx, owner))


def _with_parameters(ctx: Context, value: Any, held: Operand) -> Frozen | None:
    """An object that there is, by its parameters, which are read when the program runs."""
    name = distribution_of(value)
    if name is None:
        return None
    module, _, last = name.rpartition(".")

    def part(text: str, known: object) -> Abstract:
        type_ = INT if type(known) is int else FLOAT
        return verbatim(ctx, f"_0_.{text}", (held,), type_, pure=True)

    args = tuple(part(f"args[{k}]", known) for k, known in enumerate(value.args))
    keywords = {k: part(f"kwds[{k!r}]", known) for k, known in value.kwds.items()}
    return Frozen(Module(name, f"{module}.{last}", f"import {module}"), args, keywords)
