"""`bool(value)` of instances, which say it themselves, and of what may be None."""

from __future__ import annotations

import ast

from adjointgen.frontend.control import none_flags
from adjointgen.frontend.domain.abstract_values import Abstract, is_maybe
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state.context import Context


def truth_of(ctx: Context, value: Abstract) -> Abstract:
    """What stands for a value that is asked for its truth."""
    if is_maybe(value):
        return none_flags.truth_of(ctx, value)
    method = special(ctx, value, "__bool__") or special(ctx, value, "__len__")
    return value if method is None else inline(ctx, method, [value], {}, ctx.node or ast.Pass())
