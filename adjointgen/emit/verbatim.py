"""The user's own code as templates: parsed once, filled with expressions.

Code that no derivative reads is printed as the user wrote it, and so are index patterns; only the
names of variables change, or give way to the expressions that were folded into them (`substitute`).
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

import libcst as cst

from adjointgen.emit.precedence import Expression, Level, bare, level
from adjointgen.emit.statements import Statement, with_lines_above
from adjointgen.emit.substitute import substitute
from adjointgen.emit.syntax import literal, slice_, subscript

# A hole or a number, or a slice of these.
_PLAIN: Final = re.compile(r"_|-?\d+|(?:_|-?\d+)?:(?:_|-?\d+)?(?::(?:_|-?\d+))?")


def parse_expression(text: str) -> Expression:
    """The user's expression, without parentheses around the whole that it can do without."""
    text = text.strip()
    try:
        node = cst.parse_expression(text)
    except cst.ParserSyntaxError:
        # An excerpt may break lines that brackets around it had joined.
        return cst.parse_expression(f"({text})")
    inner = bare(node)
    return node if "\n" in text or level(inner) is Level.LOOSE else inner


def parse_statements(text: str) -> list[Statement]:
    """The user's statements, with the comments above them."""
    module = cst.parse_module(text)
    head = (with_lines_above(statement, module.header) for statement in module.body[:1])
    return [*head, *module.body[1:]]


def index(owner: Expression, pattern: str, operands: Sequence[Expression]) -> Expression:
    """``owner[pattern]``, with the operands in the place of the pattern's ``_``, in order."""
    values = {f"_{k}_": operand for k, operand in enumerate(operands)}
    items = _items(pattern)

    def filled(part: Expression | None) -> Expression | None:
        return None if part is None else substitute(part, values)

    return subscript(
        owner,
        [
            (
                slice_(filled(item.lower), filled(item.upper), filled(item.step))
                if isinstance(item, cst.Slice)
                else substitute(item, values)
            )
            for item in items
        ],
    )


@lru_cache(maxsize=1024)
def _items(pattern: str) -> tuple[Expression | cst.Slice, ...]:
    """The items of an index pattern, its k-th hole under the name ``_k_``."""
    texts = pattern.split(", ")
    if all(map(_PLAIN.fullmatch, texts)):
        # Most patterns are like this; the parser takes a hundred times as long.
        holes = count()
        return tuple(_plain(text, holes) for text in texts)
    numbered = cst.parse_expression(f"owner[{pattern}]").visit(_Numbering())
    assert isinstance(numbered, cst.Subscript)
    return tuple(
        part if isinstance(part, cst.Slice) else cst.ensure_type(part, cst.Index).value
        for part in (element.slice for element in numbered.slice)
    )


def _plain(text: str, holes: Iterator[int]) -> Expression | cst.Slice:
    """The item of a pattern that `_PLAIN` matches."""
    parts: list[Expression | None] = []
    for part in text.split(":"):
        hole = cst.Name(f"_{next(holes)}_") if part == "_" else None
        parts.append(literal(int(part)) if part and hole is None else hole)
    if len(parts) == 1 and parts[0] is not None:
        return parts[0]
    return slice_(*parts)


class _Numbering(cst.CSTTransformer):
    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        if original_node.value != "_":
            return updated_node
        self._count += 1
        return cst.Name(f"_{self._count - 1}_")
