"""The user's own code as templates: copied as it stands, with expressions in the place of names.

Code that no derivative reads is printed as the user wrote it, and so are index patterns; only the
names of variables change, or give way to the expressions that were folded into them. Most of it
mentions no variable, or is spaced as `printer` would space it, and is read with `ast` (`reading`).
libcst, whose import takes longer than all else of a first call, is there for the rest (`rewrite`).
"""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from adjointgen.emit.syntax.expression_trees import subscript
from adjointgen.emit.syntax.printer import text as printed
from adjointgen.emit.syntax.tree import Expression, Lines, Simple, Statement, Subscript
from adjointgen.emit.usercode import parse_user_code
from adjointgen.emit.usercode.parse_user_code import Excerpt, excerpt

Values = Mapping[str, Expression]


@lru_cache(maxsize=1024)
def variables(code: str) -> frozenset[str]:
    """The names that stand for variables in expressions or statements of the user's."""
    return parse_user_code.variables(_parsed(code))


@lru_cache(maxsize=1024)
def _parsed(code: str) -> ast.Module:
    try:
        return ast.parse(code.strip())
    except SyntaxError:
        return ast.parse(f"({code})")


def expression(code: str, values: Values) -> Expression:
    """The user's expression, with values for some of its names."""
    found = excerpt(code)
    used = _used(found.node, values)
    if not used:
        return parse_user_code.leaf(found)
    return parse_user_code.tree(found, used) or _rewritten(found, used)


def statements(code: str, values: Values) -> list[Statement]:
    """The user's statements, with values for some of their names."""
    text = code.strip()
    module = _parsed(text)
    used = _used(module, values)
    match module.body:
        case [only] if ast.get_source_segment(text, only) == text:
            found = _keyword(text, only, used) if used else _kept(text, only)
            if found is not None:
                return [found]
    return _rewritten_statements(code, used)


def filled(code: str, values: Values) -> str:
    """The text of statements with values for some of its names, definitions included."""

    def new(match: re.Match[str]) -> str:
        value = values.get(match[0])
        return match[0] if value is None else printed(value)

    text = re.sub(r"\b_b?\d+_\b", new, code)
    # A name that is bound to what it stands for anyway.
    return re.sub(r"^(\w+) = \1\n", "", text, flags=re.MULTILINE)


def _used(node: ast.AST, values: Values) -> Values:
    return {key: values[key] for key in parse_user_code.variables(node) if key in values}


def _kept(text: str, node: ast.stmt) -> Statement | None:
    """A statement as it stands, unless it has a block, which is to be indented."""
    if "\n" in text and hasattr(node, "body"):
        return None
    return Lines((text,), isinstance(node, ast.Raise))


def _keyword(text: str, node: ast.stmt, values: Values) -> Statement | None:
    """An expression alone, or after `raise` or `assert`."""

    def part(value: ast.expr) -> str:
        return ast.get_source_segment(text, value) or ""

    match node:
        case ast.Expr():
            return Simple("", (expression(text, values),))
        case ast.Raise(exc=ast.expr() as raised) if text == f"raise {part(raised)}":
            return Simple("raise", (expression(part(raised), values),))
        case ast.Assert(test=test, msg=None) if text == f"assert {part(test)}":
            return Simple("assert", (expression(part(test), values),))
        case ast.Assert(test=test, msg=ast.expr() as message) if (
            text == f"assert {part(test)}, {part(message)}"
        ):
            parts = (expression(part(each), values) for each in (test, message))
            return Simple("assert", tuple(parts))
    return None


def _rewritten(code: Excerpt, values: Values) -> Expression:
    from adjointgen.emit.usercode.libcst_rewrite import expression

    return expression(code.text, values)


def _rewritten_statements(code: str, values: Values) -> list[Statement]:
    from adjointgen.emit.usercode.libcst_rewrite import statements

    return [*statements(code, values)]


def index(owner: Expression, pattern: str, operands: Sequence[Expression]) -> Subscript:
    """``owner[pattern]``, with the operands in the place of the pattern's ``_``, in order."""
    return subscript(owner, parse_user_code.items(pattern, operands))
