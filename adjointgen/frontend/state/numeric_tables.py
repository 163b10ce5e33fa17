"""Tables of the module that hold numbers, as arrays."""

from __future__ import annotations

from adjointgen.frontend.domain.module_tables import as_array
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.ir.nodes import Operand, Value


def numeric(ctx: Context, operand: Operand) -> Operand:
    """A table of the module as the array that NumPy makes of it, if it is one of numbers."""
    table = ctx.tables.get(operand.name) if isinstance(operand, Value) else None
    type = as_array(table)
    if type is None:
        return operand
    ctx.imports["import numpy as np"] = None
    return verbatim(ctx, "np.asarray(_0_)", (operand,), type, pure=True)
