"""The user's code keeps its text and its meaning when its names are filled in."""

import ast

import pytest

from adjointgen.emit.syntax.expression_trees import literal, name
from adjointgen.emit.syntax.printer import lines
from adjointgen.emit.syntax.printer import text as text_of
from adjointgen.emit.syntax.tree import Code, Expression
from adjointgen.emit.usercode import libcst_rewrite
from adjointgen.emit.usercode.verbatim import expression, index, statements, variables

VALUES = {
    "s": expression("a + b", {}),
    "i": expression("j + 1", {}),
    "jj": expression("j + j_", {}),
    "k": expression('d["k"]', {}),
    "u": expression("'it\\'s'", {}),
    "v": expression('"it\'s"', {}),
    "e": expression("{1: 2}", {}),
    "w": expression("lambda: q", {}),
    "n": literal(3),
    "r": name("renamed"),
}


def filled(text: str) -> str:
    """The text, rewritten if it has one of the names; and the same where it could be read."""
    rewritten = text_of(libcst_rewrite.expression(text.strip(), VALUES))
    assert text_of(expression(text, VALUES)) == rewritten
    return rewritten


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s", "a + b"),
        ("s*2", "(a + b)*2"),
        ("not(s)", "not(a + b)"),
        ("a if(r)else b", "a if(renamed)else b"),
        ("n.real", "(3).real"),
        ("f(s, s=s, *s)  ", "f(a + b, s=a + b, *a + b)"),
        ("s.s", "(a + b).s"),
        ("[s,  # one\n *s]", "[a + b,  # one\n *a + b]"),
        ("untouched( x )", "untouched( x )"),
    ],
)
def test_holes_are_filled_and_the_rest_stays(text: str, expected: str) -> None:
    assert filled(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[i for i in i]", "[i for i in j + 1]"),
        ("[i + j for j in r]", "[j + 1 + j_ for j_ in renamed]"),
        ("[i + j for j in i]", "[j + 1 + j_ for j_ in j + 1]"),
        ("[jj for j in r]", "[j + j_ for j__ in renamed]"),
        ("[i for j in i for q in j]", "[j + 1 for j_ in j + 1 for q in j_]"),
        ("{q: i for i in r for q in i}", "{q: i for i in renamed for q in i}"),
        ("[[i for j in r] + j for q in r]", "[[j + 1 for j_ in renamed] + j for q in renamed]"),
        ("sum(i for _, j in i)", "sum(j + 1 for _, j_ in j + 1)"),
        ("lambda i, q=i: i", "lambda i, q=j + 1: i"),
        ("lambda j, q=i: i", "lambda j_, q=j + 1: j + 1"),
        ("lambda *i, **q: i + s", "lambda *i, **q: i + (a + b)"),
        ("(r := n)", "(renamed := 3)"),
    ],
)
def test_scopes_are_respected(text: str, expected: str) -> None:
    assert filled(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'{k}'", "f'{d[\"k\"]}'"),
        ('f"{k}"', "f\"{d['k']}\""),
        ('f"{s=}"', 'f"s={a + b!r}"'),
        ('f"{s = :>{n}} {{}}"', 'f"s = {a + b:>{3}} {{}}"'),
        ('f"{ {s} =!s}"', 'f" {{s}} ={ ({a + b})!s}"'),
        ('f"{e}"', 'f"{({1: 2})}"'),
        ('f"{w}"', 'f"{(lambda: q)}"'),
        ('f"{x=} {n}"', 'f"{x=} {3}"'),
    ],
)
def test_formatted_strings_stay_the_same_string(text: str, expected: str) -> None:
    assert filled(text) == expected
    ast.parse(expected)


@pytest.mark.parametrize("text", ['f"{v}"', 'f"{u}"', "f'{u}'", "f'a {u!r:>9}' 'b'"])
def test_a_formatted_string_that_cannot_hold_its_filling_is_a_call(text: str) -> None:
    made = filled(text)
    assert ".format(" in made
    ast.parse(made)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r[0] += s  # why\n", "renamed[0] += a + b  # why\n"),
        ("k = s\n", 'd["k"] = a + b\n'),
        ("# above\nprint(r)\n", "# above\nprint(renamed)\n"),
        (
            "for r in w:\n  # first\n  if n: pass\n",
            "for renamed in lambda: q:\n    # first\n    if 3: pass\n",
        ),
        ("with s as r: pass\n", "with a + b as renamed: pass\n"),
        ("raise s from s\n", "raise a + b from a + b\n"),
        ("import x.y as z\n", "import x.y as z\n"),
    ],
)
def test_statements_are_filled(text: str, expected: str) -> None:
    for found in (libcst_rewrite.statements(text, VALUES), statements(text, VALUES)):
        assert "".join(f"{line}\n" for line in lines(found)) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(s := 1)\n", "stay a name"),
        ("s = 1\n", "place in memory"),
        ("s += 1\n", "place in memory"),
        ("global s\n", "stay a name"),
        ("def f(q):\n    return q + s\n", "a definition"),
        ("class C:\n    x = s\n", "a definition"),
        ("import s.x\n", "an import"),
        ("from x import y as s\n", "an import"),
    ],
)
def test_what_cannot_be_filled_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        list(libcst_rewrite.statements(text, VALUES))


def test_definitions_without_holes_are_kept() -> None:
    text = "def f(q):\n    return q\n"
    for found in (libcst_rewrite.statements(text, VALUES), statements(text, VALUES)):
        assert "".join(f"{line}\n" for line in lines(found)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a + b)", "a + b"),
        ("((a, b))", "(a, b)"),
        ("(a +\n b)", "(a +\n b)"),
        ("a +\n b", "(a +\n b)"),
        ("(yield)", "(yield)"),
    ],
)
def test_parentheses_around_an_excerpt(text: str, expected: str) -> None:
    assert text_of(expression(text, {})) == expected


@pytest.mark.parametrize(
    ("pattern", "operands", "expected"),
    [
        ("1:-1", [], "a[1:-1]"),
        ("_, 2:_", ["i", "n"], "a[i, 2:n]"),
        ("_:_, ::-1, ..., None", ["i + 1", "n"], "a[i + 1 : n, ::-1, ..., None]"),
        ("_, _, _", ["i", "j", "k"], "a[i, j, k]"),
        ("_", ["(i, j)"], "a[i, j]"),
        ("_, _", ["(i, j)", "lambda: 0"], "a[(i, j), lambda: 0]"),
        ("_ + 1", ["p if q else r"], "a[(p if q else r) + 1]"),
        ("'key'", [], "a['key']"),
    ],
)
def test_index_patterns(pattern: str, operands: list[str], expected: str) -> None:
    node = index(name("a"), pattern, [expression(each, {}) for each in operands])
    assert text_of(node) == expected


def test_variables_are_neither_fields_nor_keywords() -> None:
    assert variables("a.b((c,), d=e)") == {"a", "c", "e"}


def test_no_statement_has_no_nodes() -> None:
    assert statements("", {}) == []


READ: dict[str, str] = {
    "print(r, s, end='')": "print(renamed, a + b, end='')",
    "r.T[i, s:, 0]": "renamed.T[j + 1, a + b :, 0]",
    "[s, *r]": "[a + b, *renamed]",
    "{s: r, 1: [x for x in y]}": "{a + b: renamed, 1: [x for x in y]}",
    "s**2 if n < s <= i else -s": "(a + b) ** 2 if 3 < a + b <= j + 1 else -(a + b)",
    "f(s, lambda: x)": "f(a + b, lambda: x)",
    "s, r": "(a + b, renamed)",
}


@pytest.mark.parametrize("text", READ)
def test_what_is_spaced_as_usual_needs_no_libcst(text: str) -> None:
    found = expression(text, VALUES)
    assert text_of(found) == READ[text] and not isinstance(found, Code)


SPACED = [
    "print( s )",
    "f((s))",
    "s  + r",
    "f'{s}'",
    "[s for x in y]",
    "f(**s)",
    "lambda: s",
    "s,r",
]


@pytest.mark.parametrize("text", SPACED)
def test_everything_else_is_rewritten(text: str) -> None:
    assert isinstance(expression(text, VALUES), Code)


@pytest.mark.parametrize(
    "text", ["print(_0_)", "raise ValueError(_0_)", "assert _0_ > 0", "assert _0_, _1_"]
)
def test_usual_statements_are_the_same_rewritten(text: str) -> None:
    values: dict[str, Expression] = {"_0_": VALUES["s"], "_1_": VALUES["w"]}
    found = [
        [*lines(each)]
        for each in (statements(text, values), libcst_rewrite.statements(text, values))
    ]
    assert found[0] == found[1] != [text]


def test_lines_are_indented_and_what_continues_them_is_not() -> None:
    text = 'for r in x:\n\n  if y:\n    # why\n    z = """\n a"""\n'
    (found,) = statements(text, VALUES)
    inside = [*lines([found], "  ")]
    assert "\n".join(inside) == (
        '  for renamed in x:\n\n      if y:\n          # why\n          z = """\n a"""'
    )


@pytest.mark.parametrize(
    "text",
    [
        '("a {0} "\n "b".format(s))',
        "(q\n + p + s)",
        '("a"\n "b").join',
        '("a"\n "b")',
        "(q\n .p)(n)",
    ],
)
def test_an_expression_of_several_lines_stands_alone(text: str) -> None:
    given = text_of(expression(text, VALUES))
    plain = text.replace("s", "(a + b)").replace("(n)", "(3)")
    assert ast.dump(ast.parse(f"t = {given}")) == ast.dump(ast.parse(f"t = {plain}"))
