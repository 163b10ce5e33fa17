"""Expressions as a person would write them, spaced as black spaces them."""

import ast
import math

import black
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adjointgen.emit.syntax.expression_trees import (
    Literal,
    attribute,
    binary,
    boolean,
    call,
    compare,
    conditional,
    dict_,
    list_,
    literal,
    name,
    slice_,
    subscript,
    tuple_,
    unary,
)
from adjointgen.emit.syntax.printer import text as text_of
from adjointgen.emit.syntax.tree import Expression, Slice, Starred
from adjointgen.emit.usercode.verbatim import expression

a, b, c, d = (name(letter) for letter in "abcd")
one, two = literal(1), literal(2)


def at(*items: Expression | Slice) -> Expression:
    return subscript(a, items)


CASES: list[tuple[Expression, str]] = [
    (binary("-", a, binary("-", b, c)), "a - (b - c)"),
    (binary("-", binary("-", a, b), c), "a - b - c"),
    (binary("+", a, binary("+", b, c)), "a + (b + c)"),
    (binary("/", a, binary("*", b, c)), "a / (b * c)"),
    (binary("*", binary("/", a, b), c), "a / b * c"),
    (binary("@", a, binary("@", b, c)), "a @ (b @ c)"),
    (binary("-", a, literal(-1.0)), "a - -1.0"),
    (binary("*", literal(-2.0), a), "-2.0 * a"),
    (binary("**", literal(-2.0), two), "(-2.0) ** 2"),
    (binary("**", a, literal(-2.0)), "a**-2.0"),
    (binary("**", a, binary("**", b, c)), "a**b**c"),
    (binary("**", binary("**", a, b), c), "(a**b) ** c"),
    (binary("**", a, binary("**", b, call(c))), "a**b ** c()"),
    (binary("**", at(b), two), "a[b] ** 2"),
    (binary("**", call(a), two), "a() ** 2"),
    (binary("**", attribute(call(a), "T"), two), "a().T ** 2"),
    (binary("**", a, at(b)), "a ** a[b]"),
    (binary("**", name("np.e"), name("a.T")), "np.e**a.T"),
    (binary("**", a, unary("-", b)), "a**-b"),
    (binary("**", a, unary("-", at(b))), "a ** -a[b]"),
    (binary("**", a, unary("-", unary("-", b))), "a ** --b"),
    (binary("**", a, binary("+", b, c)), "a ** (b + c)"),
    (binary("**", a, unary("-", binary("**", b, c))), "a ** -(b**c)"),
    (unary("-", binary("**", a, two)), "-(a**2)"),
    (unary("-", binary("*", a, b)), "-(a * b)"),
    (unary("not", compare("is not", a, literal(None))), "not a is not None"),
    (unary("not", boolean("and", a, b)), "not (a and b)"),
    (compare("==", unary("not", a), b), "(not a) == b"),
    (compare("not in", binary("|", a, b), c), "a | b not in c"),
    (boolean("and", a, boolean("and", b, c)), "a and b and c"),
    (boolean("or", a, boolean("and", b, c)), "a or b and c"),
    (boolean("and", a, boolean("or", b, c)), "a and (b or c)"),
    (binary("*", conditional(a, b, c), d), "(b if a else c) * d"),
    (conditional(a, b, conditional(b, c, d)), "b if a else c if b else d"),
    (conditional(a, conditional(b, c, d), d), "(c if b else d) if a else d"),
    (call(a, [tuple_([b, c])], {"axis": literal(-1)}), "a((b, c), axis=-1)"),
    (call(attribute(binary("+", a, b), "dot"), [c]), "(a + b).dot(c)"),
    (call(a, [expression("(x for x in b)", {})]), "a(x for x in b)"),
    (call(a, [expression("(x for x in b)", {}), c]), "a((x for x in b), c)"),
    (call(a, [expression("(x for x in b)", {})], {"k": c}), "a((x for x in b), k=c)"),
    (attribute(one, "real"), "(1).real"),
    (attribute(literal(1.5), "real"), "(1.5).real"),
    (attribute(literal(2j), "real"), "2j.real"),
    (attribute(literal(-1), "real"), "(-1).real"),
    (subscript(a, [tuple_([b, c])]), "a[b, c]"),
    (subscript(a, [tuple_([b, c]), d]), "a[(b, c), d]"),
    (subscript(a, [tuple_([b])]), "a[(b,)]"),
    (subscript(a, [tuple_([])]), "a[()]"),
    (subscript(a, [..., None, slice_()]), "a[..., None, :]"),
    (at(slice_(b), slice_(None, b), slice_(None, None, literal(-1))), "a[b:, :b, ::-1]"),
    (at(slice_(one, two, literal(3)), slice_(one, None, two)), "a[1:2:3, 1::2]"),
    (at(slice_(binary("+", b, one)), slice_(None, binary("-", b, one))), "a[b + 1 :, : b - 1]"),
    (at(slice_(call(b), call(c), call(d))), "a[b() : c() : d()]"),
    (at(slice_(b, None, name("c.d"))), "a[b :: c.d]"),
    (list_([a, tuple_([b]), tuple_([])]), "[a, (b,), ()]"),
    (dict_([(literal("k"), a), (b, conditional(a, b, c))]), '{"k": a, b: b if a else c}'),
]


@pytest.mark.parametrize(("node", "text"), CASES, ids=[text for _, text in CASES])
def test_it_is_written_as_a_person_would(node: Expression, text: str) -> None:
    assert text_of(node) == text
    assert black.format_str(text, mode=black.Mode()) == text + "\n"


NUMBERS: dict[str, Literal] = {
    "0.1": 0.1,
    "-0.0": -0.0,
    "1e300": 1e300,
    "1e-05": 1e-5,
    "123456789012345678901234567890": 123456789012345678901234567890,
    'float("inf")': math.inf,
    '-float("inf")': -math.inf,
    'float("nan")': math.nan,
    "2j": 2j,
    "1.0 + 1e20j": complex(1.0, 1e20),
    "-1.5 + 2j": complex(-1.5, 2.0),
    "complex(0.0, -2.0)": complex(0.0, -2.0),
    "complex(-0.0, 2.0)": complex(-0.0, 2.0),
    'complex(0.0, float("inf"))': complex(0.0, math.inf),
    "(1, (True, None), ())": (1, (True, None), ()),
}


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_are_written_shortly(text: str) -> None:
    assert text_of(literal(NUMBERS[text])) == text


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text("ab'\"\\\n\t\0é", max_size=6),
    st.text(max_size=6),
)


@given(st.recursive(scalars, lambda inner: st.lists(inner, max_size=3).map(tuple)))
@example(complex(-0.0, -0.0))
@example(complex(math.nan, -0.0))
@example("'\"")
@settings(max_examples=300)
def test_a_literal_evaluates_to_its_value(value: Literal) -> None:
    text = text_of(literal(value))
    # repr tells signed zeros apart, and takes one NaN for another.
    assert repr(eval(text)) == repr(value)


@pytest.mark.parametrize("value", ["", "plain", "it's", 'say "a"', "'\"", "''\"", '\'""', "\\'\""])
def test_strings_have_the_quotes_that_black_gives_them(value: str) -> None:
    text = text_of(literal(value)) + "\n"
    assert black.format_str("x = " + text, mode=black.Mode()) == "x = " + text


def test_subclasses_of_numbers_are_written_as_numbers() -> None:
    class Meters(float):
        def __repr__(self) -> str:
            return "Meters()"

    assert text_of(literal(Meters(1.5))) == "1.5"


def test_starred_operands_stand_where_they_can() -> None:
    starred = Starred(binary("|", a, a))
    assert text_of(call(b, [starred])) == "b(*a | a)"
    assert text_of(list_([starred, b])) == "[*a | a, b]"
    assert ast.dump(ast.parse(text_of(subscript(b, [tuple_([starred, c])])))) == ast.dump(
        ast.parse("b[(*a | a, c)]")
    )


def test_what_has_no_literal_is_an_error() -> None:
    with pytest.raises(TypeError, match="bytes"):
        literal(b"")  # type: ignore[arg-type]
