"""The outcomes of tests that a forward sweep records and a reverse sweep replays."""

from __future__ import annotations

from adjointgen.ir.nodes import TAPES, Function, Record, Replay, walk
from adjointgen.ir.types import BOOL


def replayed_tests(function: Function) -> dict[str, set[str]]:
    """The truth values that are read from tapes, each with the names of what is recorded there."""
    tapes = [stmt for stmt in walk(function.body) if isinstance(stmt, TAPES)]
    records: dict[str, set[str]] = {}
    for stmt in tapes:
        if isinstance(stmt, Record):
            records.setdefault(stmt.slot, set()).add(getattr(stmt.value, "name", ""))
    bools = (s for s in tapes if isinstance(s, Replay) and s.result.type == BOOL)
    return {stmt.result.name: records.get(stmt.slot, set()) for stmt in bools}
