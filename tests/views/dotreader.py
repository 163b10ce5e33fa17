"""A reader of the part of DOT that is written here, from the grammar of the language.

    graph      digraph ID { statement* }
    statement  ID attributes | ID -> ID attributes | ID = ID | subgraph ID { statement* }

What does not fit is an error, so reading a text back is a test of all of its quoting.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

TOKEN = re.compile(
    r'\s*(?:(?P<word>[A-Za-z_]\w*|-?\d+(?:\.\d+)?)|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<html><)'
    r"|(?P<mark>->|[{}\[\]=;,]))"
)


@dataclass
class Graph:
    """What a text says: attributes of nodes by key, edges, and clusters with what is in them."""

    name: str = ""
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    clusters: dict[str, list[str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)


def tokens(text: str) -> Iterator[str]:
    at = 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        assert found, f"no token at {text[at : at + 40]!r}"
        at = found.end()
        if found["html"]:
            depth, start = 1, at - 1
            while depth:
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1
            yield text[start:at]
        elif found["quoted"]:
            yield '"' + re.sub(r"\\(.)", r"\1", found["quoted"][1:-1])
        else:
            yield found["word"] or found["mark"]


def plain(label: str) -> list[str]:
    """The lines of a label; markup in it that is not balanced is an error."""
    if not label.startswith("<"):
        return [label.removeprefix('"')]
    lines, opened = [""], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            assert tag == "font", tag
            opened.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None:
            assert tag == "br", tag
            lines.append("")

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

        def handle_data(self, data: str) -> None:
            lines[-1] += data

    reader = Reader(convert_charrefs=True)
    reader.feed(label[1:-1])
    reader.close()
    assert not opened
    return lines


class _Reader:
    """The tokens that are left, and what they have said so far."""

    def __init__(self, text: str) -> None:
        self.graph = Graph()
        self.rest = [*tokens(text)][::-1]

    def take(self, wanted: str = "") -> str:
        token = self.rest.pop()
        assert not wanted or token == wanted, f"{token!r} in place of {wanted!r}"
        return token

    def attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        if self.rest[-1] == "[":
            self.take()
            while self.rest[-1] != "]":
                name = self.take()
                self.take("=")
                found[name] = self.take()
                if self.rest[-1] == ",":
                    self.take()
            self.take("]")
        return found

    def statements(self, cluster: str) -> None:
        self.graph.clusters[cluster] = []
        self.take("{")
        while self.rest[-1] != "}":
            first = self.take()
            if first == "subgraph":
                name = self.take()
                self.graph.clusters[cluster].append(name)
                self.statements(name)
            else:
                self.statement(first, cluster)
                self.take(";")
        self.take("}")

    def statement(self, first: str, cluster: str) -> None:
        if self.rest[-1] == "=":
            self.take()
            value = self.take()
            if first == "label":
                self.graph.titles[cluster] = value
        elif self.rest[-1] == "->":
            self.take()
            self.graph.edges.append((first, self.take(), self.attributes()))
        elif first in ("graph", "node", "edge"):
            self.attributes()
        else:
            assert first not in self.graph.nodes, f"{first} is there twice"
            self.graph.nodes[first] = self.attributes()
            self.graph.clusters[cluster].append(first)


def read_dot(text: str) -> Graph:
    reader = _Reader(text)
    reader.take("digraph")
    reader.graph.name = reader.take()
    reader.statements("")
    assert not reader.rest
    return reader.graph
