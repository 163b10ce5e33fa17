"""A refusal reads as documented, in every format, and survives being copied and sent."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from adjointgen.errors import (
    AdjointgenError,
    CheckFailed,
    InternalError,
    NoRule,
    NotDifferentiable,
    SourceError,
    Span,
    TypeMismatch,
    Unsupported,
)

SOURCE = "\n" * 13 + "    h = np.interp(t, knots, heights)\n    return h\n"
FAMILIES = {
    SourceError: "AG0",
    Unsupported: "AG1",
    NoRule: "AG2",
    NotDifferentiable: "AG3",
    TypeMismatch: "AG4",
    CheckFailed: "AG5",
}


def no_rule(**changes: Any) -> NoRule:
    """The example of the documentation, with some fields changed."""
    fields: dict[str, Any] = {
        "code": "AG201",
        "span": Span("model.py", 14, 8, 14, 17),
        "source": SOURCE,
        "label": "heights depends on p (differentiated; through line 9)",
        "help": "stop here with stop_gradient(...)",
    }
    return NoRule("no derivative rule for numpy.interp", **{**fields, **changes})


def test_layout() -> None:
    assert str(no_rule()) == (
        "error[AG201]: no derivative rule for numpy.interp\n"
        "  --> model.py:14:9\n"
        "   |\n"
        "14 |     h = np.interp(t, knots, heights)\n"
        "   |         ^^^^^^^^^ heights depends on p (differentiated; through line 9)\n"
        "help: stop here with stop_gradient(...)"
    )


def test_gutter_is_as_wide_as_the_line_number() -> None:
    error = no_rule(span=Span("m.py", 7, 0, 7, 1), source="\n" * 6 + "x = 1\n", label="", help="")
    assert str(error).splitlines()[1:] == [" --> m.py:7:1", "  |", "7 | x = 1", "  | ^"]


@pytest.mark.parametrize(
    ("line", "span", "caret"),
    [
        ("\tx = é + 1", Span("m.py", 1, 5, 1, 6), "\t    ^"),
        ("数 = x", Span("m.py", 1, 4, 1, 5), "     ^"),
        ("f(数)", Span("m.py", 1, 2, 1, 3), "  ^^"),
        ("f(e\u0301, x)", Span("m.py", 1, 6, 1, 7), "     ^"),
        ("x = f(", Span("m.py", 1, 4, 3, 1), "    ^^"),
        ("x = 1", Span("m.py", 1, 5, 1, 5), "     ^"),
    ],
)
def test_caret_stands_under_its_text(line: str, span: Span, caret: str) -> None:
    error = no_rule(span=span, source=f"{line}\n)\n)\n", label="")
    assert str(error).splitlines()[4] == f"  | {caret}"


def test_without_a_place_or_its_text() -> None:
    assert str(no_rule(span=None, help="")) == "error[AG201]: no derivative rule for numpy.interp"
    assert str(no_rule(source="", help="")).splitlines()[1:] == [
        "  --> model.py:14:9",
        "   = heights depends on p (differentiated; through line 9)",
    ]
    assert str(no_rule(source="x\n", label="", help="")).splitlines()[1:] == ["  --> model.py:14:9"]


def test_line_ends_of_every_system() -> None:
    for end in ("\n", "\r\n", "\r"):
        error = no_rule(span=Span("m.py", 2, 0, 2, 1), source=f"a = 1{end}b = 2{end}", label="")
        assert str(error).splitlines()[3] == "2 | b = 2"


def test_json() -> None:
    assert json.loads(no_rule().as_json()) == {
        "code": "AG201",
        "message": "no derivative rule for numpy.interp",
        "label": "heights depends on p (differentiated; through line 9)",
        "help": "stop here with stop_gradient(...)",
        "span": {"file": "model.py", "line": 14, "column": 9, "end_line": 14, "end_column": 18},
    }
    assert json.loads(no_rule(span=None).as_json())["span"] is None
    assert "\n" not in no_rule().as_json()


def test_github() -> None:
    assert no_rule(label="50% sure").as_github() == (
        "::error file=model.py,line=14,col=9,title=AG201::no derivative rule for numpy.interp"
        "%0A50%25 sure%0Ahelp: stop here with stop_gradient(...)"
    )
    odd = no_rule(span=Span("a,b:c.py", 1, 0, 1, 1), label="", help="").as_github()
    assert odd.startswith("::error file=a%2Cb%3Ac.py,line=1,col=1,")
    assert no_rule(span=None, label="", help="").as_github().startswith("::error title=AG201::no")


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_survives_being_sent(again: Callable[[Exception], Exception]) -> None:
    error = again(no_rule())
    assert isinstance(error, NoRule) and error.args == no_rule().args
    assert error.as_dict() == no_rule().as_dict() and str(error) == str(no_rule())
    internal = again(InternalError("read of an undefined value", "x_1 = sin(x)"))
    assert isinstance(internal, InternalError) and internal.listing == "x_1 = sin(x)"


@pytest.mark.parametrize("kind", FAMILIES)
def test_each_class_has_its_own_codes(kind: type[AdjointgenError]) -> None:
    assert issubclass(kind, AdjointgenError)
    for prefix in FAMILIES.values():
        if prefix == FAMILIES[kind]:
            assert kind("m", code=f"{prefix}01").code == f"{prefix}01"
        else:
            with pytest.raises(ValueError, match=f"{kind.__name__} has codes"):
                kind("m", code=f"{prefix}01")


@pytest.mark.parametrize("code", ["AG1", "AG1000", "XX101", "ag101", ""])
def test_a_malformed_code_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="has codes AGxxx"):
        AdjointgenError("m", code=code)


def test_an_internal_error_is_no_refusal() -> None:
    assert not issubclass(InternalError, AdjointgenError)
    assert str(InternalError("bad", "f(x):\n  y = x")) == "internal error: bad\n\nf(x):\n  y = x"
    assert str(InternalError("bad")) == "internal error: bad"
