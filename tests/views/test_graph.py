"""Graphs: the text reads back, its edges are the program's dataflow, and no name breaks out."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from adjointgen.api.inspect.stages import Stages
from adjointgen.errors import SourceError
from adjointgen.frontend.lower import infer_arguments, lower
from adjointgen.frontend.source.source import source_from_file
from adjointgen.ir.nodes import Function, Value, operands_of, walk
from adjointgen.ir.text import read
from adjointgen.pipeline import derive
from adjointgen.program import primal
from adjointgen.views.dot import ACTIVE
from adjointgen.views.drawing import clusters_of, draw, nodes_of
from adjointgen.views.graph import graph
from adjointgen.views.spelling import WIDTH, short
from tests.views.dotreader import Graph, plain, read_dot
from tests.views.programs import HOSTILE, NAMES, ROOT, hostile, stages

needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")


def named(found: Graph) -> dict[str, str]:
    """The keys of a graph by the first line of their labels."""
    return {plain(node["label"])[0]: key for key, node in found.nodes.items()}


def arrows(function: Function) -> set[tuple[str, str]]:
    """The edges of a graph, by label."""
    found = read_dot(graph(function))
    labels = {key: plain(node["label"])[0] for key, node in found.nodes.items()}
    return {(labels[a], labels[b]) for a, b, _ in found.edges}


@pytest.mark.parametrize("name", NAMES)
def test_the_text_reads_back(name: str) -> None:
    given = stages(name)
    for function in (
        given.function,
        derive(primal(given.function), "tangent", given.wrt).function,
        derive(primal(given.function), "adjoint", given.wrt).function,
    ):
        drawing, found = draw(function), read_dot(graph(function))
        nodes = list(nodes_of(drawing.items))
        assert [*found.nodes] == [node.key for node in nodes]
        assert len({node.key for node in nodes}) == len(nodes)
        assert found.clusters.keys() == {
            "",
            *(f"cluster_{c.key}" for c in clusters_of(drawing.items)),
        }
        assert len(found.edges) == len(drawing.edges)
        assert all({a, b} <= found.nodes.keys() for a, b, _ in found.edges)


@pytest.mark.parametrize("name", NAMES)
def test_every_read_of_a_statement_is_an_edge(name: str) -> None:
    function = stages(name).function
    sources = {re.sub(r"^for (\w+) in .*|^(\w+) = .*", r"\1\2", a) for a, _ in arrows(function)}
    reads = [o for stmt in walk(function.body) for o in operands_of(stmt) if isinstance(o, Value)]
    assert {value.name for value in reads} <= sources


def test_a_loop() -> None:
    text = """
    function f(x: float64, n: int64) -> (s)
      s: float64 = loop i: int64 from (1, n, 2) carry (s_2: float64 = 0.0):
        t': float64 = mul(x, s_2)
        s_3: float64 = add(t, i)
        yield s_3
      return s
    """
    text = textwrap.dedent(text).strip()
    head = "for i in range(1, n, 2)"
    assert arrows(read(text)) == {
        ("n", head),
        ("0.0", "s_2"),
        ("x", "t = x * s_2"),
        ("s_2", "t = x * s_2"),
        ("t = x * s_2", "t + i"),
        (head, "t + i"),
        ("t + i", "s_3"),
        ("s_3", "s_2"),
        ("s_3", "s"),
        ("s", "return s"),
    }
    found = read_dot(graph(read(text)))
    keys = named(found)
    assert {keys[k] for k in (head, "s_2", "t = x * s_2", "t + i", "s_3")} == {
        *found.clusters["cluster_c1"]
    }
    (back,) = [a for a in found.edges if a[:2] == (keys["s_3"], keys["s_2"])]
    assert back[2]["constraint"] == "false"


def test_a_branch() -> None:
    text = """function f(x: float64, c: bool) -> (y)
  y: float64, z: float64 = if c:
    t': float64 = sin(x)
    yield t, x
  else:
    yield 1.0, x
  return y
"""
    # Nothing reads z, so it is left out.
    assert arrows(read(text)) == {
        ("c", "if c"),
        ("x", "t = sin(x)"),
        ("t = sin(x)", "y"),
        ("1.0", "y"),
        ("if c", "y"),
        ("y", "return y"),
    }
    found = read_dot(graph(read(text)))
    keys = named(found)
    assert [found.titles[c] for c in found.clusters] == ['"f', '"branch', '"then', '"else']
    assert found.clusters["cluster_c2"] == [keys["1.0"]]
    assert {e[2].get("label") for e in found.edges if e[1] == keys["y"]} == {
        '"then',
        '"else',
        None,
    }


def test_a_tape() -> None:
    given = stages("newton")
    program = derive(primal(given.function), "adjoint", given.wrt).function
    found = read_dot(graph(program))
    tapes = {key for key, node in found.nodes.items() if node["shape"] == '"cylinder'}
    assert tapes
    for tape in tapes:
        assert any(b == tape for _, b, _ in found.edges)
        assert any(a == tape for a, _, _ in found.edges)
    assert not any("comment" in label for label in named(found))


def test_active_values_are_coloured() -> None:
    given = stages("kepler.py::true_anomaly")
    found = read_dot(given.graph)
    coloured = {
        plain(node["label"])[0]
        for node in found.nodes.values()
        if node.get("color") == f'"{ACTIVE}'
    }
    assert {"eccentricity", "slope", "t_6 = cos(anomaly_2)", "return result"} <= coloured
    assert not {"tolerance", "while t_5", "t_4 = abs(residual_3)"} & coloured
    assert ACTIVE not in graph(given.function)


def test_hostile_names() -> None:
    found = read_dot(graph(hostile()))
    assert len(found.nodes) == 3 * len(HOSTILE) + 1
    assert found.name == found.titles[""] == f'"{HOSTILE[0]}'
    labels = [plain(node["label"])[0] for node in found.nodes.values()]
    clean = [re.sub("[\ud800\x00\x1b\n]", "\N{REPLACEMENT CHARACTER}", name) for name in HOSTILE]
    assert labels[: len(HOSTILE)] == clean
    assert graph(hostile()).encode("utf-8")


MERMAID = re.compile(
    r"flowchart TB|  +end|  +subgraph c\d+\[\"[^\"]*\"\]"
    r"|  +n\d+[\[({]+\"(?:[^\"<]|<br/>|</?small>)*\"[\])}]+"
    r"|  n\d+ -\.?->(\|\"[^\"<]*\"\|)? n\d+"
    r"|  (classDef|class|linkStyle) [\w, :#-]+"
)


@pytest.mark.parametrize("name", NAMES)
def test_mermaid(name: str) -> None:
    given = stages(name)
    lines = given.mermaid.splitlines()
    assert all(MERMAID.fullmatch(line) for line in lines)
    assert sum(line.strip() == "end" for line in lines) == given.mermaid.count("subgraph ")
    defined = set(re.findall(r"^ +(n\d+)[\[({]", given.mermaid, re.MULTILINE))
    edges = re.findall(r"^  (n\d+) -\.?->(?:\S*) (n\d+)$", given.mermaid, re.MULTILINE)
    assert {key for edge in edges for key in edge} <= defined
    assert len(edges) == len(draw(given.function).edges)
    # Edges are coloured by number.
    coloured = re.search(r"linkStyle ([\d,]+) ", given.mermaid)
    assert coloured is not None
    assert max(map(int, coloured[1].split(","))) < len(edges)


def test_hostile_names_in_mermaid() -> None:
    lines = graph(hostile(), "mermaid").splitlines()
    assert [line for line in lines if not MERMAID.fullmatch(line)] == []
    assert "%%" not in "".join(lines) and "`" not in "".join(lines)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("attribute", ["graph", "mermaid", "html"])
def test_the_text_is_the_same_in_every_run(attribute: str) -> None:
    code = (
        "import sys; from tests.views.programs import stages; s = stages('newton');"
        f"sys.stdout.buffer.write(s.{attribute}.encode())"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {getattr(stages("newton"), attribute).encode()}


def test_no_path_of_the_machine() -> None:
    text = (ROOT / "examples" / "heat.py").read_text("utf-8")
    source = source_from_file("/somewhere/heat.py", "heat", text)
    given = Stages(source, lower(source, infer_arguments(source, {})), ("u0",))
    for made in (given.graph, given.mermaid, given.html):
        assert "somewhere" not in made
    assert 'tooltip="heat.py:10:9"' in given.graph and "heat.py::heat" in given.html


@pytest.mark.parametrize(
    ("text", "expected"), [("a  b\n c", "a b c"), ("x" * 60, "x" * (WIDTH - 1) + "…")]
)
def test_labels_are_short(text: str, expected: str) -> None:
    assert short(text) == expected


# Pictures


@needs_dot
@pytest.mark.parametrize("name", ["kepler.py::true_anomaly", "early"])
def test_a_picture(name: str) -> None:
    root = ElementTree.fromstring(stages(name).svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    groups = root.findall(".//{*}g[@class='node']")
    assert len(groups) == len(list(nodes_of(draw(stages(name).function).items)))


@needs_dot
def test_a_picture_of_hostile_names() -> None:
    text = "".join(ElementTree.fromstring(graph(hostile(), "svg")).itertext())
    for name in ("<b>&amp;</b>", "</style><script>alert(1)</script>", "]]>", "é✓"):
        assert name in text


def test_a_picture_without_graphviz(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="install Graphviz") as caught:
        _ = stages("branch").svg
    assert caught.value.code == "AG008"


def test_a_graphviz_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho no plugin >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SourceError, match="no plugin") as caught:
        _ = stages("branch").svg
    assert caught.value.code == "AG008"
