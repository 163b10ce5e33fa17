"""Formatted strings after a substitution: ``f"{x}"`` with ``d["k"]`` for ``x``.

Three things can go wrong in the braces that cannot elsewhere, and are put right here.  Before
Python 3.12 the quotes of the string end it, and a backslash is an error; an opening brace would
read as an escaped one; and ``{x=}`` prints the source text, which has to stay the user's.
"""

from collections.abc import Iterator

import libcst as cst

from adjointgen.emit.parentheses import parenthesised

_PRINTER = cst.Module(())


def refit(original: cst.FormattedString, filled: cst.FormattedString) -> cst.FormattedString:
    """`filled`, made from `original` by replacing names, in a form that is the same string."""
    quotes = original.quote
    parts = [
        part
        for before, after in zip(original.parts, filled.parts, strict=True)
        for part in _part(before, after, quotes)
    ]
    return filled.with_changes(parts=parts)


def _part(
    before: cst.BaseFormattedStringContent, after: cst.BaseFormattedStringContent, quotes: str
) -> Iterator[cst.BaseFormattedStringContent]:
    if not isinstance(before, cst.FormattedStringExpression):
        yield after
        return
    assert isinstance(after, cst.FormattedStringExpression)
    old, new = _code(before.expression), _code(after.expression)
    if old == new:
        yield after
        return
    expression = _unquoted(after.expression, quotes)
    if new.startswith("{"):
        expression = parenthesised(expression)
    if after.equal is None:
        yield after.with_changes(expression=expression)
        return
    shown = _code(before.whitespace_before_expression) + old
    shown += _code(before.whitespace_after_expression) + _code(after.equal)
    yield cst.FormattedStringText(shown.replace("{", "{{").replace("}", "}}"))
    plain = after.conversion is None and after.format_spec is None
    yield after.with_changes(
        expression=expression, equal=None, conversion="r" if plain else after.conversion
    )


def _code(node: cst.CSTNode) -> str:
    return _PRINTER.code_for_node(node)


def _unquoted(expression: cst.BaseExpression, quotes: str) -> cst.BaseExpression:
    """`expression` without the quotes of the string around it, and without backslashes."""
    other = "'" if quotes[0] == '"' else '"'
    turned = expression.visit(_Turn(quotes[0], other))
    assert isinstance(turned, cst.BaseExpression)
    code = _code(turned)
    if quotes in code or "\\" in code:
        raise ValueError(f"{code} does not fit between the quotes of a formatted string")
    return turned


class _Turn(cst.CSTTransformer):
    """Writes plain strings in the other kind of quotes."""

    def __init__(self, quote: str, other: str) -> None:
        super().__init__()
        self._quote = quote
        self._other = other

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        if updated_node.quote != self._quote or self._other in updated_node.value:
            return updated_node
        return updated_node.with_changes(value=updated_node.value.replace(self._quote, self._other))
