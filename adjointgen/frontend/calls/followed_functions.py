"""Functions of SciPy without a row that are followed by their source.

    xp = array_namespace(x)       a function that computes in the namespace of its arguments, that
    return xp.sum(x * x)          is with arithmetic and functions of NumPy, is lowered as one of
                                  the user's
    x = xp_promote(x, xp=xp)      what serves such functions is lowered wherever it is called
    z = _relative_degree(z, p)    so is what the package calls itself, inside of its functions

They are where a float goes in, in programs that are refused otherwise (`Outlines.modelled`). What
cannot be lowered is called as it stands.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Final

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.calls.live_calls import lowered_or_copied
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.domain.abstract_values import Abstract, Named
from adjointgen.frontend.domain.numpy_namespace import PLACED, asks_namespace
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.functions.numpy_definitions import holds_floats
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.scope_lookup import live_resolver
from adjointgen.ir.nodes import Const

HELPERS: Final = (
    *("scipy._lib._array_api.", "scipy._lib.array_api_compat.", "scipy._lib.array_api_extra."),
)
"""Where the functions are that serve those which compute in a namespace."""


def followed(ctx: Context, node: ast.Call, function: Named, discarded: bool) -> Abstract:
    """The result of a call of a function without a row."""
    found = _function(function.spelling)
    resolver = live_resolver(ctx)
    if found is None or resolver is None:
        return unknown(ctx, node, discarded, function)
    inside = _is_scipys(ctx) or function.spelling.startswith(HELPERS)
    asks = ctx.outlines.modelled and not ctx.outlines.primal and asks_namespace(found)
    if not (inside or asks):
        return unknown(ctx, node, discarded, function)
    args, keywords = arguments(ctx, node, ours=True)
    ctx.node = node
    closure = resolver.followed(found)
    if closure is None or not (inside or holds_floats(ctx, (*args, *keywords.values()))):
        return unknown(ctx, node, discarded, function)

    def make() -> Abstract:
        return outline(ctx, closure, args, keywords, node)

    return lowered_or_copied(ctx, node, closure, make, function, discarded)


def _function(spelling: str) -> FunctionType | None:
    """A function of SciPy's that is written in Python."""
    found = live(spelling)[1] if spelling.startswith("scipy.") else None
    return found if isinstance(found, FunctionType) else None


def _is_scipys(ctx: Context) -> bool:
    """Whether the call stands in a function of SciPy's."""
    own = ctx.frame.source.resolver
    return isinstance(own, LiveResolver) and own.home == "scipy"


def in_one_place(
    spelling: str, args: list[Abstract], keywords: dict[str, Abstract]
) -> tuple[list[Abstract], dict[str, Abstract]]:
    """Arguments without `device=None` and `device="cpu"`, where all arrays of NumPy are."""
    module, _, name = spelling.rpartition(".")
    place = keywords.get("device")
    if module != "numpy" or name not in PLACED or not isinstance(place, Const):
        return args, keywords
    if place.value is not None and place.value != "cpu":
        return args, keywords
    return args, {key: value for key, value in keywords.items() if key != "device"}
