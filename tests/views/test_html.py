"""The page: well-formed, closed in itself, and its links lead to the lines that they name."""

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import pytest

from adjointgen.api.inspect.stages import Stages
from adjointgen.api.programs.build_program import Step, follow
from adjointgen.emit.write.module import emit, format
from adjointgen.errors import Span
from adjointgen.ir.text import read
from adjointgen.views.html import html
from adjointgen.views.listing import Line, Listing, program_listing, ssa_listing
from adjointgen.views.markup import listing, plain, python
from adjointgen.views.tables import Row, Table
from tests.views.programs import HOSTILE, NAMES, stages

VOID = {"meta", "br"}


@dataclass(eq=False)
class Element:
    """A tag with what is in it."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = None
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self) -> "list[Element]":
        return [self, *(e for child in self.children for e in child.all())]

    def words(self, tag: str) -> str:
        """The text of the elements with a tag, markup in it left out."""
        return "".join(e.everything() for e in self.all() if e.tag == tag)

    def everything(self) -> str:
        return self.text + "".join(child.everything() for child in self.children)


class Reader(HTMLParser):
    """A strict reader: every tag is closed, in order, and no attribute comes twice."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.at = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        made = Element(tag, {k: v or "" for k, v in attrs}, self.at)
        self.at.children.append(made)
        if tag not in VOID:
            self.at = made

    def handle_endtag(self, tag: str) -> None:
        assert self.at.tag == tag, f"</{tag}> closes <{self.at.tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        # The text of an element, in which the order among its children does not matter here.
        self.at.children.append(Element("#text", {}, self.at, [], data))


def read_page(text: str) -> list[Element]:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.at is reader.root, f"<{reader.at.tag}> is open"
    return reader.root.all()


def by_id(elements: list[Element]) -> dict[str, Element]:
    found = [e for e in elements if "id" in e.attributes]
    named = {e.attributes["id"]: e for e in found}
    assert len(named) == len(found)
    return named


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_the_page(name: str) -> None:
    given = stages(name)
    elements = read_page(given.html)
    named = by_id(elements)
    assert {"source", "tangent", "adjoint", "ssa", "activity", "tape"} <= named.keys()
    # Nothing from outside, and nothing that runs.
    assert not {e.tag for e in elements} & {"script", "link", "img", "iframe", "object", "base"}
    attributes = {key for e in elements for key in e.attributes}
    assert attributes <= {"lang", "charset", "name", "content", "href", "id", "class", "title"}
    style = next(e for e in elements if e.tag == "style").everything()
    assert "url(" not in style and "@import" not in style
    # All links lead to something on the page.
    links = [e.attributes["href"] for e in elements if e.tag == "a"]
    assert {link[1:] for link in links} <= named.keys() and all(link[0] == "#" for link in links)
    assert html_of(given) == given.html


def html_of(given: Stages) -> str:
    return Stages(given.source, given.function, given.wrt).html


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_the_programs_are_what_is_generated(name: str) -> None:
    given = stages(name)
    named = by_id(read_page(given.html))
    for kind in ("tangent", "adjoint"):
        program = follow(given.function, (Step(kind, given.wrt),))  # type: ignore[arg-type]
        lines = [e.everything() for e in named[kind].all() if e.tag == "code"]
        assert "\n".join(lines) + "\n" == format(emit([program])).lstrip("\n")
    ssa = [e.everything() for e in named["ssa"].all() if e.tag == "code"]
    assert "\n".join(ssa) + "\n" == given.ssa


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_number_beside_a_line_is_the_line_that_it_comes_from(name: str) -> None:
    elements = read_page(stages(name).html)
    named = by_id(elements)
    lines = {e: None for e in elements if _is_line(e)}
    for line in lines:
        number = line.attributes["class"].rpartition(" l")[2]
        gutter = next(e for e in line.all() if e.attributes.get("class") == "at")
        assert gutter.everything() == number
        assert gutter.attributes["href"] == f"#source-{number}"
        # The emitter says the same, where it says it.
        said = re.search(r"  # \w+\.py:(\d+)$", line.words("code"))
        assert said is None or said[1] == number
    # What can be jumped to is the first of its panel.
    panels = {key.rpartition("-")[0] for key in named} - {""}
    own = {panel: [e for e in named[panel].all() if e in lines] for panel in panels}
    for key, element in named.items():
        panel, _, number = key.rpartition("-")
        if panel:
            of_number = (e for e in own[panel] if e.attributes["class"].endswith(f" l{number}"))
            assert next(of_number) is element


def _is_line(element: Element) -> bool:
    return element.attributes.get("class", "").startswith(("line l", "row l"))


def places(given: Listing) -> list[tuple[int, str]]:
    return [(line.place.line, line.text.strip()) for line in given.lines if line.place]


def test_the_lines_of_an_adjoint() -> None:
    program = follow(stages("newton").function, (Step("adjoint", ("a",)),))
    found = places(program_listing("adjoint", "Adjoint", program))
    # What leaves a loop belongs to the loop.
    starts = {"while ": 5, "trips +=": 5, "x_tape.": 5, "x = ": 6, "steps +=": 7, "if ": 5}
    for start, number in starts.items():
        assert {line for line, text in found if text.startswith(start)} == {number}, start
    assert {line for line, text in found if ".pop()" in text} == {5}
    assert {line for line, text in found if text == "a_bar += ratio"} == {6}
    lines = [line.text.strip() for line in program_listing("adjoint", "", program).lines]
    body = lines[lines.index("# Forward sweep.") :]
    unplaced = [x for x in body if x and x[0] != "#" and x not in {text for _, text in found}]
    assert [text.partition(" ")[0] for text in unplaced[-1:]] == ["return"]


def test_what_is_popped_comes_from_where_it_was_pushed() -> None:
    program = follow(stages("kepler.py::true_anomaly").function, (Step("adjoint", None),))
    found = places(program_listing("adjoint", "Adjoint", program))
    pushed = [line for line, text in found if ".append(" in text]
    assert sorted(line for line, text in found if ".pop()" in text) == sorted(pushed)
    assert len(set(pushed)) > 1


def test_the_parts_of_the_source() -> None:
    given = stages("helper")
    named = by_id(read_page(given.html))
    numbers = [key for key in named if key.startswith("source-")]
    # The method with its decorator, then the function that it calls; nothing of `unused`.
    assert numbers == [f"source-{n}" for n in (8, 9, 10, 11, 12, 13, 4, 5)]
    dots = [e.parent for e in named["source"].all() if e.attributes.get("class") == "dot"]
    found = {line.attributes["id"] for line in dots if line is not None}
    assert found == {"source-11", "source-12", "source-5"}


MARKED = r"""function f(x: float64, note: object) -> (y)
  statement(note) [code="if _0_:\n    # @4\n    print('# @4')\n    # @6 # @@8\n    print(_0_)"]
  t': float64 = sin(x)
  y: float64 = mul(t, t)
  return y
"""


def test_comments_that_look_like_marks() -> None:
    function = read(MARKED)
    stmts = tuple(
        replace(stmt, span=Span("f.py", 10 * k, 0, 10 * k, 1))
        for k, stmt in enumerate(function.body.stmts, 1)
    )
    function = replace(function, body=replace(function.body, stmts=stmts))
    found = places(program_listing("f", "f", function))
    assert [line for line, text in found if "note" in text or "print" in text] == [10, 10, 10]
    assert {line for line, text in found if text.endswith(" = np.sin(x)")} == {20}
    assert not any(text.startswith("#") for _, text in found)


def test_a_place_in_another_file() -> None:
    here, there = Span("here.py", 1, 0, 1, 5), Span("lib/there.py", 1, 0, 1, 5)
    source = Listing("source", "here.py::f", (Line("x = 1", here, 1),))
    lines = (Line("y = 1", there), Line("z = 1", here), Line("w = 1"))
    made = html(source, Listing("tangent", "", lines), Listing("adjoint", "", lines), ())
    panel = by_id(read_page(made))["tangent"]
    gutters = [e for e in panel.all() if e.attributes.get("class") == "at"]
    assert [e.tag for e in gutters] == ["span", "a", "span"]
    assert [e.attributes.get("title") for e in gutters] == ["there.py:1", None, None]


def test_active_rows_are_marked() -> None:
    panel = by_id(read_page(stages("kepler.py::true_anomaly").html))["activity"]
    rows = [e.parent.parent for e in panel.all() if e.attributes.get("class") == "v" and e.parent]
    active = {row.children[1].everything() for row in rows if row is not None}
    assert {"eccentricity", "slope", "residual_3"} <= active
    assert not {"tolerance", "t_4", "t_5", "trips"} & active


def test_active_names_are_marked() -> None:
    given = stages("heat.py::heat")
    made = ssa_listing(given.function, given.facts())
    line = next(x.text for x in made.lines if "t_7" in x.text)
    assert listing(line, made.names).count('<span class="v">') == 3
    assert "[u0.0-2]" in listing(line, made.names)


def test_hostile_text() -> None:
    lines = tuple(
        Line(f"x = {name!r}  # {name}".replace("\n", " "), Span(name, k, 0, k, 1), k, True)
        for k, name in enumerate(HOSTILE, 1)
    )
    panels = (
        Listing("ssa", HOSTILE[2], lines, "ssa", frozenset(HOSTILE)),
        Table("tape", HOSTILE[1], HOSTILE[:2], (Row(HOSTILE[:2], Span(HOSTILE[2], 3, 0, 3, 1)),)),
        Table("activity", "Activity", ("a",), (), HOSTILE[2]),
    )
    source = Listing("source", HOSTILE[2], lines)
    made = html(source, Listing("tangent", "", lines), Listing("adjoint", "", lines), panels)
    elements = read_page(made)
    assert not {e.tag for e in elements} & {"script", "b"}
    assert not any("onclick" in e.attributes for e in elements)
    assert made.encode("utf-8")
    assert "<script>alert(1)</script>" in by_id(elements)["source"].everything()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if x:", '<span class="k">if</span> x:'),
        (
            "y = '<b>'  # a & b",
            'y = <span class="s">&#x27;&lt;b&gt;&#x27;</span>  <span class="c"># a &amp; b</span>',
        ),
        ("x = 1.5 * é", 'x = <span class="n">1.5</span> * é'),
        # What is no Python on its own is left plain.
        ("lambda x: (x", "lambda x: (x"),
        ("\tx = '", "\tx = &#x27;"),
        ("", ""),
    ],
)
def test_python(text: str, expected: str) -> None:
    assert python([text]) == [expected]


def test_a_string_over_several_lines() -> None:
    assert python(['x = """a', "", 'if"""', "    y"]) == [
        'x = <span class="s">&quot;&quot;&quot;a</span>',
        '<span class="s"></span>',
        '<span class="s">if&quot;&quot;&quot;</span>',
        "    y",
    ]


def test_what_cannot_be_printed() -> None:
    assert plain("a\tb\x00\ud800") == "a\tb\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"
