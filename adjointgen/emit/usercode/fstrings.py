"""Formatted strings after a substitution: ``f"{x}"`` with ``d["k"]`` for ``x``.

Three things can go wrong in the braces that cannot elsewhere, and are put right here.  Before
Python 3.12 the quotes of the string end it, and a backslash is an error; an opening brace would
read as an escaped one; and ``{x=}`` prints the source text, which has to stay the user's.  What
fits between no quotes is formatted by ``"{}".format(...)``, which does the same.
"""

from collections.abc import Iterator

import libcst as cst

from adjointgen.emit.usercode.parentheses import parenthesised

_PRINTER = cst.Module(())


class _Unfit(Exception):
    """An expression that fits between no quotes."""


class Strings:
    """The formatted strings of one expression; those side by side are kept until all are there."""

    def __init__(self) -> None:
        self.depth = 0
        self._unfit: list[cst.FormattedString] = []

    def refit(
        self, original: cst.FormattedString, filled: cst.FormattedString
    ) -> cst.BaseExpression:
        """`filled`, made from `original` by replacing names, in a form that is the same string."""
        try:
            return _with_parts(original, filled, original.quote)
        except _Unfit:
            loose = _with_parts(original, filled, "")
        if not self.depth:
            return _format_call(loose)
        self._unfit.append(loose)
        return loose

    def rejoin(self, string: cst.ConcatenatedString) -> cst.BaseExpression:
        """Strings side by side, as a sum where one of them has become a call."""
        first, *rest = _side_by_side(string)
        if not any(part is loose for part in (first, *rest) for loose in self._unfit):
            return string
        total = self._alone(first)
        for part in rest:
            total = cst.BinaryOperation(total, cst.Add(), self._alone(part))
        return parenthesised(total)

    def _alone(self, part: cst.BaseExpression) -> cst.BaseExpression:
        loose = isinstance(part, cst.FormattedString) and any(part is u for u in self._unfit)
        return _format_call(part) if loose else part  # type: ignore[arg-type]


def _side_by_side(string: cst.BaseExpression) -> list[cst.BaseExpression]:
    if not isinstance(string, cst.ConcatenatedString):
        return [string]
    return [*_side_by_side(string.left), *_side_by_side(string.right)]


def _with_parts(
    original: cst.FormattedString, filled: cst.FormattedString, quotes: str
) -> cst.FormattedString:
    parts = [
        part
        for before, after in zip(original.parts, filled.parts, strict=True)
        for part in _part(before, after, quotes)
    ]
    return filled.with_changes(parts=parts)


def _format_call(string: cst.FormattedString) -> cst.BaseExpression:
    """`"...{!r:>{}}...".format(a, b)`."""
    arguments: list[cst.Arg] = []
    text = "".join(_field(part, arguments) for part in string.parts)
    prefix = string.start.lower().replace("f", "").rstrip("'\"")
    plain = cst.SimpleString(f"{prefix}{string.quote}{text}{string.quote}")
    return cst.Call(cst.Attribute(plain, cst.Name("format")), arguments)


def _field(part: cst.BaseFormattedStringContent, arguments: list[cst.Arg]) -> str:
    """A part of the text, its expressions added to the arguments."""
    if isinstance(part, cst.FormattedStringText):
        return part.value
    assert isinstance(part, cst.FormattedStringExpression)
    arguments.append(cst.Arg(part.expression))
    conversion = f"!{part.conversion}" if part.conversion else ""
    spec = "".join(_field(inner, arguments) for inner in part.format_spec or ())
    return f"{{{conversion}{':' if part.format_spec is not None else ''}{spec}}}"


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
    expression = _unquoted(after.expression, quotes) if quotes else after.expression
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
        raise _Unfit
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
