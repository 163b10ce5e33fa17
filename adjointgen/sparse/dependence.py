"""The sets of inputs that every value of an executed graph depends on, record by record.

The content of a storage is one array of sets, which writes change in place as they did with the
numbers: a view or a part that is read has the sets that stand there then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjointgen.sparse.local_patterns import NOTHING, Sets, empty, local
from adjointgen.tracing.arguments import Named, numbers_of, parts
from adjointgen.tracing.handle import Trace
from adjointgen.tracing.tape import Part, Record


class Dependence:
    """The sets of the records of a trace, whose `inputs` are numbered entry by entry."""

    def __init__(self, trace: Trace) -> None:
        self.records = trace.records
        self.sets: dict[int, Sets] = {}
        self.content: dict[int, Sets] = {}
        self.count = 0
        for leaf in _leaves(trace.inputs):
            size = int(np.prod(leaf.shape))
            own = np.empty(size, object)
            own[:] = [frozenset((k,)) for k in range(self.count, self.count + size)]
            self.count += size
            self.sets[leaf.index] = own.reshape(leaf.shape)
        for record in self.records:
            self.visit(record)

    def visit(self, record: Record) -> None:
        if record.overwrites is not None:
            self.write(record)
            return
        if record.index not in self.sets:
            if not record.active or record.pull is None:
                return
            self.sets[record.index] = self.computed(record)
        if record.storage is not None and record.storage.base is record.live:
            self.content[id(record.storage)] = self.sets[record.index].reshape(-1)

    def computed(self, record: Record) -> Sets:
        """The sets of what an operation gave; those of a part are where it was read."""
        first = self.records[record.parents[0]]
        if record.operation.startswith("item ") and isinstance(first.live, tuple):
            return self.sets[first.index][int(record.operation.split()[1])]
        if record.operation in ("read", "view") or self.is_view(record):
            assert record.pull is not None
            (part,) = record.pull(None, record.kept)
            assert isinstance(part, Part)
            positions = np.ravel(part.positions)
            return self.of(first).reshape(-1)[positions].reshape(record.shape)
        return local(record, [self.of_active(self.records[k]) for k in record.parents])

    def is_view(self, record: Record) -> bool:
        """Whether a record reads the memory of its parent, as `reshape` does."""
        return record.storage is not None and record.storage.base is not record.live

    def of(self, record: Record) -> Sets:
        """The sets of what a record stands for: after a write, the whole storage."""
        storage = record.storage
        if storage is not None and record.overwrites is not None:
            return self.content[id(storage)].reshape(storage.base.shape)
        found = self.sets.get(record.index)
        return empty(record.shape) if found is None else found

    def of_active(self, record: Record) -> Sets | None:
        return self.of(record) if record.active else None

    def write(self, record: Record) -> None:
        """Put the sets of what is written where it is written."""
        storage = record.storage
        assert storage is not None
        if id(storage) not in self.content:
            self.content[id(storage)] = empty((storage.base.size,))
        if not record.active:
            return
        positions = record.kept[1]
        value = self.of_active(self.records[record.parents[1]]) if len(record.parents) > 1 else None
        shape = np.shape(positions)
        given = empty(()) if value is None else value
        # An assignment takes no notice of leading axes of length one.
        given = given.reshape(given.shape[max(given.ndim - len(shape), 0) :])
        self.content[id(storage)][np.ravel(positions)] = np.broadcast_to(given, shape).ravel()


def result_sets(trace: Trace) -> tuple[list[frozenset[int]], int]:
    """The inputs that each number of the result depends on, and how many inputs there are."""
    found = Dependence(trace)
    rows: list[frozenset[int]] = []
    for leaf in numbers_of(trace.outputs):
        if isinstance(leaf, Named):
            rows += list(np.ravel(found.of(leaf.record)))
        else:
            rows += [NOTHING] * int(np.size(leaf))
    return rows, found.count


def _leaves(tree: Any) -> Iterator[Record]:
    """The inputs, in order."""
    if isinstance(tree, Record):
        yield tree
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from _leaves(part)
    else:
        for _, part in parts(tree):
            yield from _leaves(part)
