"""A drawing in the DOT language of Graphviz.

Labels are HTML-like, so that names and types are told apart; text stands in them escaped, and
what cannot be printed is replaced. Keys are the drawing's own, so no name of the user's is one.
Sizes and colours are fixed: the text depends on the program alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from adjointgen.views.drawing import Drawing, Edge, Flow, Item, Kind, Node

INK: Final = "#1f2937"
FAINT: Final = "#6b7280"
ACTIVE: Final = "#c2410c"
FILL: Final = "#ffedd5"
FONT: Final = "DejaVu Sans Mono,Menlo,Consolas,monospace"

_HEAD: Final = f"""\
  graph [bgcolor="white", fontname="{FONT}", fontsize=10, fontcolor="{FAINT}", labeljust="l",
         color="#9ca3af", style="rounded", nodesep=0.25, ranksep=0.35];
  node [fontname="{FONT}", fontsize=11, fontcolor="{INK}", color="{FAINT}", fillcolor="white",
        style="filled", height=0.3, margin="0.1,0.05"];
  edge [fontname="{FONT}", fontsize=9, fontcolor="{FAINT}", color="{FAINT}", arrowsize=0.6];"""

_SHAPES: Final[Mapping[Kind, str]] = {
    "input": 'shape="ellipse", penwidth=2',
    "value": 'shape="ellipse"',
    "operation": 'shape="box"',
    "control": 'shape="octagon", fillcolor="#f3f4f6"',
    "constant": 'shape="plaintext", style=""',
    "tape": 'shape="cylinder"',
    "output": 'shape="box", peripheries=2',
}
_FLOWS: Final[Mapping[Flow, str]] = {
    "flow": "",
    "next": 'style="dashed", constraint=false',
    "tape": 'style="dashed"',
    "choice": 'style="dotted", arrowhead="empty"',
}


def dot(drawing: Drawing) -> str:
    """The text of the graph, which ends in a line break."""
    title = _quoted(drawing.title)
    lines = [f"digraph {title} {{", _HEAD, f'  label={title}; labelloc="t";']
    for item in drawing.items:
        lines += _item(item, "  ")
    lines += map(_edge, drawing.edges)
    return "\n".join([*lines, "}", ""])


def _item(item: Item, indent: str) -> Iterator[str]:
    if isinstance(item, Node):
        yield indent + _node(item)
        return
    yield f"{indent}subgraph cluster_{item.key} {{"
    yield f"{indent}  label={_quoted(item.title)};"
    for inner in item.items:
        yield from _item(inner, indent + "  ")
    yield f"{indent}}}"


def _node(node: Node) -> str:
    parts = [f"label={_label(node)}", _SHAPES[node.kind]]
    if node.place:
        parts.append(f"tooltip={_quoted(node.place)}")
    if node.active:
        parts.append(f'color="{ACTIVE}", fillcolor="{FILL}"')
    return f"{node.key} [{', '.join(parts)}];"


def _label(node: Node) -> str:
    small = f'<br/><font point-size="8" color="{FAINT}">{_text(node.note)}</font>'
    return f"<{_text(node.text)}{small if node.note else ''}>"


def _edge(edge: Edge) -> str:
    parts = [_FLOWS[edge.flow]] if _FLOWS[edge.flow] else []
    if edge.label:
        parts.append(f"label={_quoted(edge.label)}")
    if edge.active:
        parts.append(f'color="{ACTIVE}"')
    more = f" [{', '.join(parts)}]" if parts else ""
    return f"  {edge.source} -> {edge.target}{more};"


def printable(text: str) -> str:
    """The text without control characters and the like, which no format has a way to write."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _text(text: str) -> str:
    return escape(printable(text))


def _quoted(text: str) -> str:
    """A string of DOT; backslashes are doubled since labels read `\\n` and the like as escapes."""
    doubled = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{doubled}"'
