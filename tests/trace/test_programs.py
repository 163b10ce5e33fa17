"""The program of a run returns what the run returned; drawings are well formed."""

import math
import xml.etree.ElementTree
from typing import Any

import numpy as np
import pytest

from adjointgen import trace
from adjointgen.errors import AdjointgenError
from adjointgen.opt.program import unload
from tests.fuzz.whole.outcome import unlike
from tests.goldens import PATHS, as_program, read
from tests.trace.calls import calls, program
from tests.trace.compare import KINDS, fresh

CALLS = [text for text, code in calls() if not code]


def rewritten(one: Any) -> str | None:
    """Where the result of the program of a run differs from that of the run."""
    _, f, args = fresh(one)
    try:
        with np.errstate(all="ignore"):
            t = trace(f, *args, wrt=one.wrt)
    except Exception:
        return None
    finally:
        unload(one)
    try:
        text = t.to_program()
    except AdjointgenError as error:
        assert error.code == "AG163"
        return None
    names: dict[str, Any] = {"__name__": "traced"}
    with np.errstate(all="ignore"):
        exec(compile(text, "<traced>", "exec"), names)
        found = names[f.__name__](*one.fresh_args())
    place = unlike(t.value, found)
    return None if place is None else f"{place}: {t.value} became {found}\n{one.source}\n{text}"


@pytest.mark.fuzz
@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [100, 120])
def test_random_programs(kind: str, first: int) -> None:
    wrong = [text for k in range(first, first + 20) if (text := rewritten(KINDS[kind](k)))]
    assert not wrong, wrong[0]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_goldens(path: Any) -> None:
    assert (wrong := rewritten(as_program(read(path)))) is None, wrong


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(0, len(CALLS), 20))
def test_calls(number: int) -> None:
    for k, text in enumerate(CALLS[number : number + 20]):
        assert (wrong := rewritten(program(20_000 + number + k, text))) is None, wrong


def f(x: Any, v1: Any) -> Any:
    v1[0] = x
    return {"a": v1, "b": [np.sum(v1[:2]) * -2.0, math.sin(x) ** -1.5]}


def test_the_text_is_plain() -> None:
    t = trace(f, 0.5, np.ones(3))
    text = t.to_program()
    assert text.startswith("import math\n\nimport numpy as np\n\n\ndef f(x, v1):\n")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "<traced>", "exec"), names)
    found = names["f"](0.5, np.ones(3))
    np.testing.assert_array_equal(found["a"], [0.5, 1.0, 1.0])
    assert found["b"] == t.value["b"]


def test_drawings() -> None:
    t = trace(lambda a: np.sum(a * np.exp(a[::-1])) + a[0] ** 2, np.array([0.5, 1.5])).backward()
    picture = xml.etree.ElementTree.fromstring(t.svg)
    boxes = picture.findall(".//{http://www.w3.org/2000/svg}rect")
    lines = picture.findall(".//{http://www.w3.org/2000/svg}path[@fill='none']")
    edges = sum(len(one.parents) for one in t.records)
    assert len(boxes) == len(t.records) + 1 and len(lines) == edges
    assert t.dot.count(" -> ") == edges == t.mermaid.count(" --> ")
    assert t._repr_svg_() == t.svg


def test_boxes_do_not_overlap() -> None:
    t = trace(lambda x: sum(x * k + math.sin(x * k) for k in range(12)), 0.5)
    picture = xml.etree.ElementTree.fromstring(t.svg)
    boxes = [
        [float(box.get(name, "0")) for name in ("x", "y", "width", "height")]
        for box in picture.findall(".//{http://www.w3.org/2000/svg}rect")[1:]
    ]
    for k, (x, y, wide, tall) in enumerate(boxes):
        for left, top, width, height in boxes[:k]:
            apart = x + wide <= left or left + width <= x or y + tall <= top or top + height <= y
            assert apart


def test_names_cannot_break_a_drawing() -> None:
    t = trace(lambda state: state['<"&%%{'] * 2.0, {'<"&%%{': 1.0})
    xml.etree.ElementTree.fromstring(t.svg)
    assert "&lt;" in t.dot and "%%{" not in t.mermaid
