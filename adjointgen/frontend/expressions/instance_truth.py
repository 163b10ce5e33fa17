"""`bool(value)` of instances, which say it themselves, and of what may be None."""

from __future__ import annotations

import ast

from adjointgen.frontend.control import none_flags
from adjointgen.frontend.control.row_lists import columns_of, is_rows
from adjointgen.frontend.domain.abstract_values import Abstract, is_maybe
from adjointgen.frontend.expressions.method_results import as_python_takes
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content


def truth_of(ctx: Context, value: Abstract) -> Abstract:
    """What stands for a value that is asked for its truth."""
    if is_maybe(value):
        return none_flags.truth_of(ctx, value)
    if is_rows(known := content(ctx, value)):
        return columns_of(known)[0]
    for name in ("__bool__", "__len__"):
        if (method := special(ctx, value, name)) is not None:
            made = inline(ctx, method, [value], {}, ctx.node or ast.Pass())
            return as_python_takes(ctx, name, made)
    return value
