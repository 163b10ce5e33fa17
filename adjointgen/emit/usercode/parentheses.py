"""Where a libcst node needs parentheses.

libcst prints a tree as it stands: a product node whose factor is a sum prints ``a * b + c``. So
what is put into the user's code is parenthesised first, by the levels of `precedence`.
"""

from typing import Final, cast, get_args

import libcst as cst

from adjointgen.emit.syntax.precedence import Level
from adjointgen.emit.syntax.precedence import operand_levels as levels_of_operands

Expression = cst.BaseExpression

_OPERATOR_LEVEL: Final[dict[type[cst.CSTNode], Level]] = {
    cst.Or: Level.OR,
    cst.And: Level.AND,
    cst.Not: Level.NOT,
    cst.BitOr: Level.BIT_OR,
    cst.BitXor: Level.BIT_XOR,
    cst.BitAnd: Level.BIT_AND,
    cst.LeftShift: Level.SHIFT,
    cst.RightShift: Level.SHIFT,
    cst.Add: Level.SUM,
    cst.Subtract: Level.SUM,
    cst.Multiply: Level.TERM,
    cst.Divide: Level.TERM,
    cst.FloorDivide: Level.TERM,
    cst.Modulo: Level.TERM,
    cst.MatrixMultiply: Level.TERM,
    cst.Minus: Level.UNARY,
    cst.Plus: Level.UNARY,
    cst.BitInvert: Level.UNARY,
    cst.Power: Level.POWER,
}

_KIND_LEVEL: Final[dict[type[cst.CSTNode], Level]] = {
    cst.NamedExpr: Level.LOOSE,
    cst.Yield: Level.LOOSE,
    cst.Tuple: Level.LOOSE,
    cst.GeneratorExp: Level.LOOSE,
    cst.StarredElement: Level.LOOSE,
    cst.Lambda: Level.LAMBDA,
    cst.IfExp: Level.TEST,
    cst.Comparison: Level.COMPARISON,
    cst.Await: Level.AWAIT,
    cst.Attribute: Level.PRIMARY,
    cst.Subscript: Level.PRIMARY,
    cst.Call: Level.PRIMARY,
}

_Operation = cst.BinaryOperation | cst.UnaryOperation | cst.BooleanOperation
_OPERATIONS: Final = frozenset(get_args(_Operation))

_LEFT: Final = (cst.LeftParen(),)
_RIGHT: Final = (cst.RightParen(),)


def level(node: Expression) -> Level:
    """Binding strength of `node` as it would be printed."""
    if node.lpar:
        return Level.ATOM
    kind = type(node)
    if kind in _OPERATIONS:
        return _OPERATOR_LEVEL[type(cast(_Operation, node).operator)]
    return _KIND_LEVEL.get(kind, Level.ATOM)


def operand_levels(operator: cst.CSTNode) -> tuple[Level, Level]:
    """The least levels of the left and right operand of a binary or boolean operator."""
    return levels_of_operands(_OPERATOR_LEVEL[type(operator)])


def parenthesised(node: Expression) -> Expression:
    """`node` in one more pair of parentheses."""
    if isinstance(node, cst.StarredElement):
        raise ValueError("a starred expression stands only in a call, a tuple or a list")
    return node.with_changes(lpar=(*_LEFT, *node.lpar), rpar=(*node.rpar, *_RIGHT))


def bare(node: Expression) -> Expression:
    """`node` without parentheses of its own."""
    return node.with_changes(lpar=(), rpar=()) if node.lpar else node


def at(node: Expression, least: Level) -> Expression:
    """`node` for a slot that takes expressions of at least this level."""
    return node if level(node) >= least else parenthesised(node)


def under_unary(node: Expression, operator: cst.BaseUnaryOp) -> Expression:
    """`node` as the operand of a unary operator.

    ``-x**2`` needs no parentheses by the grammar.  black writes ``-(x**2)``, for the reader, and
    what it would write is written here.
    """
    if isinstance(operator, cst.Not):
        return at(node, Level.NOT)
    return parenthesised(node) if level(node) is Level.POWER else at(node, Level.UNARY)


def under_dot(node: Expression) -> Expression:
    """`node` in front of an attribute's dot, where a bare number would swallow the dot."""
    if type(node) in (cst.Integer, cst.Float) and not node.lpar:
        return parenthesised(node)
    return at(node, Level.PRIMARY)
