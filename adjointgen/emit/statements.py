"""Constructors of Python statements, functions and modules, laid out as black lays them out.

A statement is one libcst node.  Comments and blank lines are given to a finished statement, which
owns the lines above it; the blank lines that black demands around definitions and imports are put
by the block that holds the statement.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import Final, TypeVar, cast

import libcst as cst

from adjointgen.emit.precedence import Expression, Level, at, bare
from adjointgen.emit.syntax import NONE, SPACE

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
_Statement = TypeVar("_Statement", bound=Statement)

_NEWLINE: Final = cst.Newline()
_END: Final = cst.TrailingWhitespace(NONE, None, _NEWLINE)
_TWO_SPACES: Final = cst.SimpleWhitespace("  ")
BLANK: Final = cst.EmptyLine(False, NONE, None, _NEWLINE)
_AUGMENTED: Final[dict[str, cst.BaseAugOp]] = {
    "+": cst.AddAssign(SPACE, SPACE),
    "-": cst.SubtractAssign(SPACE, SPACE),
    "*": cst.MultiplyAssign(SPACE, SPACE),
    "/": cst.DivideAssign(SPACE, SPACE),
    "//": cst.FloorDivideAssign(SPACE, SPACE),
    "%": cst.ModuloAssign(SPACE, SPACE),
    "@": cst.MatrixMultiplyAssign(SPACE, SPACE),
    "**": cst.PowerAssign(SPACE, SPACE),
    "&": cst.BitAndAssign(SPACE, SPACE),
    "|": cst.BitOrAssign(SPACE, SPACE),
    "^": cst.BitXorAssign(SPACE, SPACE),
    "<<": cst.LeftShiftAssign(SPACE, SPACE),
    ">>": cst.RightShiftAssign(SPACE, SPACE),
}


def _line(statement: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine((statement,), (), _END)


def _open(node: Expression) -> Expression:
    """`node` where a tuple needs no parentheses; a tuple of one is clearer with them."""
    if type(node) is cst.Tuple:
        return bare(node) if len(node.elements) > 1 else node
    return bare(node) if type(node) is cst.Yield else at(node, Level.LAMBDA)


def _test(node: Expression) -> Expression:
    """`node` behind ``if`` or ``while``, where an assignment needs no parentheses either."""
    return bare(node) if type(node) is cst.NamedExpr else at(node, Level.LAMBDA)


def assign(
    targets: Expression | Sequence[Expression], value: Expression
) -> cst.SimpleStatementLine:
    """``target = value``, or ``first = second = value`` for a sequence of targets.

    To unpack, give a tuple as the target.
    """
    every = (targets,) if isinstance(targets, cst.BaseExpression) else tuple(targets)
    unpacks = any(type(target) is cst.Tuple for target in every)
    keeps = type(value) is cst.Tuple and not unpacks
    return _line(
        cst.Assign(
            tuple(cst.AssignTarget(_target(target), SPACE, SPACE) for target in every),
            at(value, Level.LAMBDA) if keeps else _open(value),
        )
    )


def _target(node: Expression) -> cst.BaseAssignTargetExpression:
    if not isinstance(node, cst.BaseAssignTargetExpression):
        raise TypeError(f"cannot assign to a {type(node).__name__}")
    opened = _open(node)
    assert isinstance(opened, cst.BaseAssignTargetExpression)
    return opened


def augmented(target: Expression, operator: str, value: Expression) -> cst.SimpleStatementLine:
    """``target operator= value``, the operator as in `syntax.binary`."""
    return _line(cst.AugAssign(_target(target), _AUGMENTED[operator], at(value, Level.LAMBDA)))


def expression_statement(value: Expression) -> cst.SimpleStatementLine:
    """An expression for its effect."""
    return _line(cst.Expr(_open(value)))


def return_(value: Expression | None = None) -> cst.SimpleStatementLine:
    """``return``, ``return value``, ``return first, second``."""
    if value is None:
        return _line(cst.Return(None))
    return _line(cst.Return(_open(value), SPACE))


def raise_(
    exception: Expression | None = None, cause: Expression | None = None
) -> cst.SimpleStatementLine:
    """``raise``, ``raise exception``, ``raise exception from cause``."""
    if exception is None:
        return _line(cst.Raise())
    origin = None if cause is None else cst.From(at(cause, Level.LAMBDA), SPACE, SPACE)
    return _line(cst.Raise(at(exception, Level.LAMBDA), origin, SPACE))


def pass_() -> cst.SimpleStatementLine:
    """``pass``."""
    return _line(cst.Pass())


def break_() -> cst.SimpleStatementLine:
    """``break``."""
    return _line(cst.Break())


def continue_() -> cst.SimpleStatementLine:
    """``continue``."""
    return _line(cst.Continue())


def delete(targets: Sequence[Expression]) -> cst.SimpleStatementLine:
    """``del first, second``."""
    items = [at(target, Level.PRIMARY) for target in targets]
    elements = tuple(cst.Element(item) for item in items)
    target = items[0] if len(items) == 1 else cst.Tuple(elements, (), ())
    assert isinstance(target, cst.BaseDelTargetExpression)
    return _line(cst.Del(target, SPACE))


def block(body: Sequence[Statement]) -> cst.IndentedBlock:
    """The body of a compound statement; libcst prints an empty one as ``pass``."""
    return cst.IndentedBlock(spaced(body, 1), _END)


def if_(test: Expression, body: Sequence[Statement], orelse: Sequence[Statement] = ()) -> cst.If:
    """``if test: body else: orelse``; an `orelse` that is just one ``if`` becomes ``elif``."""
    rest: cst.If | cst.Else | None
    match orelse:
        case [cst.If() as only] if not only.leading_lines:
            rest = only
        case _:
            rest = _else(orelse)
    return cst.If(_test(test), block(body), rest, (), SPACE, NONE)


def for_(
    target: Expression,
    iterable: Expression,
    body: Sequence[Statement],
    orelse: Sequence[Statement] = (),
) -> cst.For:
    """``for target in iterable: body else: orelse``."""
    return cst.For(
        target=_target(target),
        iter=_open(iterable),
        body=block(body),
        orelse=_else(orelse),
        whitespace_after_for=SPACE,
        whitespace_before_in=SPACE,
        whitespace_after_in=SPACE,
        whitespace_before_colon=NONE,
    )


def while_(
    test: Expression, body: Sequence[Statement], orelse: Sequence[Statement] = ()
) -> cst.While:
    """``while test: body else: orelse``."""
    return cst.While(_test(test), block(body), _else(orelse), (), SPACE, NONE)


def _else(body: Sequence[Statement]) -> cst.Else | None:
    return cst.Else(block(body), (), NONE) if body else None


def with_trailing_comment(statement: _Statement, comment: str) -> _Statement:
    """`statement` with ``# comment`` at the end of its (first) line."""
    end = cst.TrailingWhitespace(_TWO_SPACES, cst.Comment(comment), _NEWLINE)
    changes: dict[str, cst.CSTNode] = {"trailing_whitespace": end}
    if isinstance(statement, cst.BaseCompoundStatement):
        changes = {"body": statement.body.with_changes(header=end)}
    return cast(_Statement, statement.with_changes(**changes))


def with_leading_comments(
    statement: _Statement, comments: Sequence[str], blank: bool = False
) -> _Statement:
    """`statement` below ``# comments``, one line each, and below a blank line if asked for."""
    lines = comment_lines(comments)
    return with_lines_above(statement, (BLANK, *lines) if blank else lines)


def with_blank_line(statement: _Statement) -> _Statement:
    """`statement` below a blank line; comments above it stay with it."""
    return with_lines_above(statement, (BLANK,))


def comment_lines(comments: Iterable[str]) -> tuple[cst.EmptyLine, ...]:
    """Lines that hold one comment each."""
    return tuple(cst.EmptyLine(True, NONE, cst.Comment(comment), _NEWLINE) for comment in comments)


def with_lines_above(statement: _Statement, lines: Sequence[cst.EmptyLine]) -> _Statement:
    """`statement` below these lines, which are blank or hold a comment."""
    leading = (*lines, *statement.leading_lines)
    return cast(_Statement, statement.with_changes(leading_lines=leading))


def spaced(body: Sequence[Statement], blanks: int) -> tuple[Statement, ...]:
    """`body` with blank lines around definitions, this many, and one after imports.

    A definition that opens the body of an ``if`` or a loop is left to black.
    """
    return (*body[:1], *(_below(above, own, blanks) for above, own in pairwise(body)))


def _below(above: Statement, own: Statement, blanks: int) -> Statement:
    wanted = 0
    if isinstance(above, cst.FunctionDef) or isinstance(own, cst.FunctionDef):
        wanted = blanks
    elif _is_import(above) and not _is_import(own):
        wanted = 1
    present = sum(1 for _ in takewhile(lambda line: line.comment is None, own.leading_lines))
    return with_lines_above(own, (BLANK,) * (wanted - present)) if wanted > present else own


def _is_import(statement: Statement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], cst.Import | cst.ImportFrom
    )
