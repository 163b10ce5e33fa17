"""What the function stores into an array that an object holds: the object has it from there on.

    LOG.append(y)
    y[0] = 1.0          y_2 = store(y_1, 1.0, 0);  statement(y_2) [shared=(0,)]

The statement has no text. It stands where what is read of objects may have to come after it; its
operand is in the storage that the object holds, and flows into objects (`object_flow.py`).
"""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Seq, Struct, Whole
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.reachability import reachable
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.rules.framework.opaque_writes import ANYTHING


def publish(ctx: Context, cell: int, before: Operand | Whole) -> None:
    """Let the objects that may hold a cell have its present version, in place of the one before."""
    if isinstance(before, Seq | Struct):
        ctx.outlines.facts.changed = True
    held = ctx.state.cells[cell]
    if not isinstance(held, Value) or ctx.state.dead:
        return
    objects = _objects(ctx)
    options: dict[str, object] = {"code": "", "shared": (0,), "outside": (ANYTHING,)}
    options |= {"shown": f"{held.root or 'an array'}, read of an object that holds it"}
    options |= {"because": "read it by its name, or put a .copy() of it into the object"}
    options |= {"keeps": tuple(range(1, len(objects) + 1))} if objects else {}
    operands = (held, *objects)
    ctx.add(Apply((), "statement", operands, tuple(sorted(options.items())), ctx.span()))


def _objects(ctx: Context) -> list[Operand]:
    """The objects that the function has names for."""
    names = list(ctx.state.names.values())
    held = (ctx.state.cells.get(cell) for cell in reachable(names, ctx.state.cells))
    every = (v for v in (*names, *held) if isinstance(v, Value) and v.type.kind == "object")
    return list(dict.fromkeys(every))
