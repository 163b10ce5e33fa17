"""What a run reached, by place in the text: expressions, statements, and ways past a test.

Places are those of the instructions that ran (`code.co_positions()`), so they are those of the
syntax tree that the code was compiled from. What has no instruction of its own (a docstring,
a jump that the compiler has drawn into the test before it) is never said to be unreached.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable

from adjointgen.frontend.domain.untaken import Place, lies_in, place_of
from adjointgen.records import dataclass, field


@dataclass(frozen=True, slots=True)
class FileNotes:
    """What was reached in one file: all instructions of the functions that ran, those that ran,
    and the pairs that followed each other in one call."""

    present: tuple[Place, ...]
    ran: tuple[Place, ...]
    steps: tuple[tuple[Place, Place], ...]

    def entered(self, nodes: Iterable[ast.AST]) -> bool:
        """Whether any of the nodes ran; true where none has an instruction of its own."""
        nodes = list(nodes)
        places = (place_of(node) for node in nodes)
        is_code = any(place is not None and _inside(self.present, place) for place in places)
        return not is_code or self.ran_through_any(nodes)

    def ran_through_any(self, nodes: Iterable[ast.AST]) -> bool:
        """Whether an instruction of one of the nodes ran."""
        places = (place_of(node) for node in nodes)
        return any(place is not None and _inside(self.ran, place) for place in places)

    def passed_by(self, node: ast.If) -> bool:
        """Whether a test without `else` failed in some call."""
        test, whole = place_of(node.test), place_of(node)
        body = [place for stmt in node.body if (place := place_of(stmt)) is not None]
        if test is None or whole is None or not _inside(self.present, test) or not body:
            return True
        arm = (*body[0][:2], *body[-1][2:])

        def leaves(first: Place, second: Place) -> bool:
            # The jump of `if name:` stands where the whole statement does, and so does the
            # `return` that is not written out, if nothing follows.
            if lies_in(second, arm) or lies_in(second, test):
                return False
            return first == whole or (lies_in(first, test) and second != whole)

        return any(leaves(*step) for step in self.steps)


@dataclass(frozen=True, slots=True)
class Notes:
    """What one run reached, by file."""

    files: dict[str, FileNotes] = field(default_factory=dict)


def _inside(places: tuple[Place, ...], outer: Place) -> bool:
    """Whether one of the sorted places lies in another one."""
    k = bisect_left(places, (*outer[:2], 0, 0))
    while k < len(places) and places[k][:2] <= outer[2:]:
        if places[k][2:] <= outer[2:]:
            return True
        k += 1
    return False
