"""Operations that give entries in C order, whatever the order of their operands."""

from __future__ import annotations

from adjointgen.ir.nodes import Apply
from adjointgen.rules.framework.table import TABLE

_NEW = ("arange", "linspace", "eye", "array", "identity", "outer")


def is_made_in_order(made: Apply) -> bool:
    """Whether an operation gives entries in C order; others keep the order of their operands."""
    row = TABLE[made.op]
    if row.contracts:
        return all(arg.type.rank in (1, 2) for arg in made.args)
    return row.sized or made.op in _NEW or made.option("spelling") == ".copy"
