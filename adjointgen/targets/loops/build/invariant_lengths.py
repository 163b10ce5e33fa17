"""Arrays that are as long in all iterations of a loop as before it, which no type tells."""

from __future__ import annotations

from collections.abc import Iterator

from adjointgen.analysis.values.symbolic_lengths import Measures
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import Loop
from adjointgen.targets.loops.build.axis_lengths import Lengths, Shapes


def lasting(loop: Loop, measures: Measures, shapes: Shapes) -> Iterator[tuple[str, Lengths]]:
    """What a loop carries and leaves, by name, with the lengths of what it begins with."""
    for param, init, _, result in carried(loop):
        if not param.type.is_array or None not in (param.type.shape or ()):
            continue
        if not init.type.is_array or any(map(shapes.is_loose, (init, param))):
            continue
        if measures.of(param) == measures.of(init):
            yield param.name, shapes.of(init)
            yield result.name, shapes.of(init)
