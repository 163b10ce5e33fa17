"""The graph in the languages of Graphviz and Mermaid, and what all drawings have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from adjointgen.records import dataclass
from adjointgen.tracing.tape import Record
from adjointgen.tracing.tree import short, shown

INK: Final = "#1f2937"
FAINT: Final = "#6b7280"
ACTIVE: Final = "#c2410c"
FILL: Final = "#ffedd5"
LONGEST: Final = 34


@dataclass(frozen=True, slots=True)
class Node:
    """A record: the lines of its label, whether it is an argument, and whether it is active."""

    index: int
    lines: tuple[str, ...]
    leaf: bool
    active: bool
    place: str


def nodes(records: Sequence[Record]) -> list[Node]:
    """All records."""
    return [
        Node(
            one.index,
            tuple(_labels(one)),
            one.spelling is not None and one.spelling.form == "leaf",
            one.active,
            f"{one.file.rpartition('/')[2]}:{one.line}",
        )
        for one in records
    ]


def _labels(record: Record) -> Iterator[str]:
    yield _cut(record.operation)
    yield _cut(f"= {shown(record)}")
    if record.adjoint is not None:
        yield _cut(f"adjoint {short(record.adjoint)}")


def _cut(text: str) -> str:
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def edges(records: Sequence[Record]) -> list[tuple[int, int, bool]]:
    """From each parent to what is computed of it; active where both are."""
    return [
        (parent, one.index, one.active and records[parent].active)
        for one in records
        for parent in one.parents
    ]


def dot(records: Sequence[Record]) -> str:
    """The text of a graph for Graphviz, which ends in a line break."""
    lines = ["digraph {", '  node [fontname="monospace", fontsize=11, shape="box"];']
    for one in nodes(records):
        label = "<br/>".join(escape(line) for line in one.lines)
        shape = ', shape="ellipse"' if one.leaf else ""
        color = f', color="{ACTIVE}", style="filled", fillcolor="{FILL}"' if one.active else ""
        lines.append(
            f'  n{one.index} [label=<{label}>, tooltip="{_quoted(one.place)}"{shape}{color}];'
        )
    for parent, child, active in edges(records):
        color = f' [color="{ACTIVE}"]' if active else f' [color="{FAINT}"]'
        lines.append(f"  n{parent} -> n{child}{color};")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_PLAIN: Final = re.compile(r"[^\w ,.:()\[\]=+\-/]|__")


def mermaid(records: Sequence[Record]) -> str:
    """The text of a flowchart for Mermaid, which ends in a line break."""
    lines = ["flowchart TB"]
    for one in nodes(records):
        label = "<br/>".join(_PLAIN.sub(_code, line) for line in one.lines)
        left, right = ("([", "])") if one.leaf else ("[", "]")
        lines.append(f'  n{one.index}{left}"{label}"{right}')
    lines += [f"  n{parent} --> n{child}" for parent, child, _ in edges(records)]
    lines.append(f"  classDef active fill:{FILL},stroke:{ACTIVE},color:{INK}")
    marked = ",".join(f"n{one.index}" for one in nodes(records) if one.active)
    if marked:
        lines.append(f"  class {marked} active")
    return "\n".join([*lines, ""])


def _code(found: re.Match[str]) -> str:
    return "".join(f"#{ord(character)};" for character in found[0])
