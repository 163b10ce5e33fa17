"""Dead-store elimination: writes to parts of arrays go where all that comes later reads others.

    t = y_bar[1]                               t = y_bar[1]
    y_bar[1] = 0.0                             s = y_bar[0]
    s = y_bar[0]

An adjoint is set to zero where the primal has overwritten an element. Where the array is read by
single parts from there on, only those that overlap need it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from adjointgen.analysis.values.liveness import uses
from adjointgen.costs import STORE_READERS
from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import STORES, Apply, Function, Operand, Value, walk
from adjointgen.optimize.rewrites.indexing import are_disjoint
from adjointgen.records import replace

Loads = tuple[Apply, ...]


def unread(function: Function, frozen: Collection[str]) -> Function:
    """The function without such writes, but those of `frozen` names."""
    writes = [s for s in walk(function.body) if isinstance(s, Apply) and s.op in STORES]
    if not writes:
        return function
    later = _later(function, writes)
    gone: dict[str, Operand] = {}
    for write in writes:
        name, loads = write.result.name, later[write.result.name]
        if loads is None or name in frozen or write.result.type != write.args[0].type:
            continue
        if all(are_disjoint(write, load) for load in loads):
            base = write.args[0]
            gone[name] = gone.get(base.name, base) if isinstance(base, Value) else base
    return replace(function, body=substitute_in(function.body, gone)) if gone else function


def _later(function: Function, writes: list[Apply]) -> dict[str, Loads | None]:
    """By what loads a version of an array and those after it are read, None if by anything else."""
    parts: defaultdict[str, list[Apply]] = defaultdict(list)
    for stmt in walk(function.body):
        if isinstance(stmt, Apply) and (stmt.op == "load" or stmt.op in STORES):
            base = stmt.args[0]
            if isinstance(base, Value):
                parts[base.name].append(stmt)
    counts = uses(function.body)
    found: dict[str, Loads | None] = {}
    for write in reversed(writes):
        name = write.result.name
        loads: Loads | None = () if len(parts[name]) == counts[name] else None
        for reader in parts[name]:
            more = found[reader.result.name] if reader.op in STORES else (reader,)
            loads = None if loads is None or more is None else loads + more
        found[name] = None if loads is None or len(loads) > STORE_READERS else loads
    return found
