"""Operations that give entries in C order, whatever the order of their operands."""

from __future__ import annotations

from adjointgen.ir.nodes import Apply

_NEW = (
    *("zeros", "ones", "empty", "full", "arange", "linspace", "eye", "array", "identity"),
    "outer",
)


def is_made_in_order(made: Apply) -> bool:
    """Whether an operation gives entries in C order; others keep the order of their operands."""
    if made.op == "matmul":
        return all(arg.type.rank in (1, 2) for arg in made.args)
    return made.op in _NEW or (made.op == "copy" and made.option("spelling") == ".copy")
