"""A drawing in the language of Mermaid, which Markdown pages render.

Labels are quoted, and what is not plain text in them is written by its number, so that neither the
quotes nor a directive (`%%{`), an entity or Markdown of Mermaid's own can begin in one. Mermaid
draws an edge to the next iteration as any other, so it is dashed and labelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from adjointgen.views.dot import ACTIVE, FAINT, FILL, INK, printable
from adjointgen.views.drawing import (
    Cluster,
    Drawing,
    Edge,
    Flow,
    Item,
    Kind,
    Node,
    clusters_of,
    nodes_of,
)

_PLAIN: Final = re.compile(r"[^\w ,.:()\[\]=+\-/|]|__")
_SHAPES: Final[Mapping[Kind, tuple[str, str]]] = {
    "input": ("([", "])"),
    "value": ("(", ")"),
    "operation": ("[", "]"),
    "control": ("{{", "}}"),
    "constant": ("[", "]"),
    "tape": ("[(", ")]"),
    "output": ("[[", "]]"),
}
_ARROWS: Final[Mapping[Flow, str]] = {
    "flow": "-->",
    "next": "-.->",
    "tape": "-.->",
    "choice": "-.->",
}


def mermaid(drawing: Drawing) -> str:
    """The text of the flowchart, which ends in a line break."""
    lines = ["flowchart TB"]
    for item in drawing.items:
        lines += _item(item, "  ")
    lines += map(_edge, drawing.edges)
    lines += _styles(drawing)
    return "\n".join([*lines, ""])


def _item(item: Item, indent: str) -> Iterator[str]:
    if isinstance(item, Cluster):
        yield f'{indent}subgraph {item.key}["{_text(item.title)}"]'
        for inner in item.items:
            yield from _item(inner, indent + "  ")
        yield f"{indent}end"
    else:
        yield indent + _node(item)


def _node(node: Node) -> str:
    left, right = _SHAPES[node.kind]
    small = f"<br/><small>{_text(node.note)}</small>" if node.note else ""
    return f'{node.key}{left}"{_text(node.text)}{small}"{right}'


def _edge(edge: Edge) -> str:
    text = edge.label or ("next" if edge.flow == "next" else "")
    label = f'|"{_text(text)}"|' if text else ""
    return f"  {edge.source} {_ARROWS[edge.flow]}{label} {edge.target}"


def _styles(drawing: Drawing) -> Iterator[str]:
    """Classes of nodes, and the colour of edges, which Mermaid numbers in order."""
    nodes = list(nodes_of(drawing.items))
    yield f"  classDef part fill:none,stroke:{FAINT}"
    yield "  classDef constant fill:none,stroke:none"
    yield f"  classDef active fill:{FILL},stroke:{ACTIVE},color:{INK}"
    yield from _class("part", (c.key for c in clusters_of(drawing.items)))
    yield from _class("constant", (n.key for n in nodes if n.kind == "constant"))
    yield from _class("active", (n.key for n in nodes if n.active))
    edges = [str(k) for k, edge in enumerate(drawing.edges) if edge.active]
    if drawing.edges:
        yield f"  linkStyle default stroke:{FAINT}"
    if edges:
        yield f"  linkStyle {','.join(edges)} stroke:{ACTIVE}"


def _class(name: str, keys: Iterable[str]) -> Iterator[str]:
    joined = ",".join(keys)
    if joined:
        yield f"  class {joined} {name}"


def _text(text: str) -> str:
    return _PLAIN.sub(lambda found: "".join(map(_code, found[0])), printable(text))


def _code(character: str) -> str:
    """A character by its number; after a backslash, `n` would still be read as a line break."""
    return f"#{ord(character)};" + ("#8203;" if character == "\\" else "")
