"""The reverse sweep over the records of a trace.

    for each record, last to first, once:  parent_bar += pull(record_bar)  for every parent

A record has one adjoint while the sweep runs; what has arrived when it is visited is complete,
since all that reads a record stands after it. A record that needs no gradient is not visited, and
takes none. A write hands the adjoint of its storage over to the version before, without the
elements that it has written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.tracing.apply import fitted
from adjointgen.tracing.tape import Part, Record, Tape


def sweep(tape: Tape, seeds: list[tuple[int, Any]]) -> None:
    """Add the adjoints of all records for these seeds of some."""
    work: dict[int, Any] = {}
    for index, seed in seeds:
        _add(work, tape.records[index], seed)
    for record in reversed(tape.records):
        bar = work.pop(record.index, None)
        if bar is None or not record.active:
            continue
        if record.overwrites is not None:
            bar = _written(work, tape, record, bar)
        elif record.pull is not None:
            if isinstance(record.kept[0], tuple):
                bar = _entries(record, bar)
            for parent, given in zip(record.parents, record.pull(bar, record.kept), strict=True):
                _add(work, tape.records[parent], given)
        _keep(tape, record.index, bar)


def _add(work: dict[int, Any], parent: Record, given: Any) -> None:
    """Add a contribution to the adjoint of a parent, if that needs one."""
    if given is None or not parent.active:
        return
    if isinstance(given, tuple):
        k, part = given
        entries = work.setdefault(parent.index, {})
        entries[k] = part if k not in entries else entries[k] + part
        return
    storage = parent.storage
    whole = parent.live if storage is None or parent.overwrites is None else storage.base
    if parent.index not in work:
        work[parent.index] = np.zeros(np.shape(whole), np.asarray(whole).dtype)
    bar = work[parent.index]
    if isinstance(given, Part):
        np.add.at(bar.reshape(-1), given.positions, given.value)
    else:
        bar += given


def _entries(record: Record, given: Any) -> list[Any]:
    """The adjoint of a tuple: zeros where an entry has none."""
    values = record.kept[0]
    return [given.get(k, np.zeros_like(part)) for k, part in enumerate(values)]


def _written(work: dict[int, Any], tape: Tape, record: Record, bar: Any) -> Any:
    """The adjoint of what was written; that of the version before takes the array over."""
    positions = record.kept[1]
    flat = bar.reshape(-1)
    part = flat[positions]
    flat[positions] = 0
    before = tape.records[record.parents[0]]
    if before.active:
        if before.index in work:
            work[before.index] += bar
        else:
            work[before.index] = bar
    if len(record.parents) > 1:
        once = part * record.kept[2] if record.kept[2] is not None else part
        _add(work, tape.records[record.parents[1]], fitted(once, record.kept[3]))
    return part


def _keep(tape: Tape, index: int, bar: Any) -> None:
    """Adjoints add up over sweeps, until they are cleared."""
    before = tape.adjoints[index]
    if isinstance(bar, list):
        tape.adjoints[index] = (
            bar if before is None else [a + b for a, b in zip(before, bar, strict=True)]
        )
    else:
        tape.adjoints[index] = bar if before is None else before + bar
