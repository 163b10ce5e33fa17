"""Capture-avoiding substitution of expressions for names in code that the user wrote.

    substitute(e, {x: a}) = e[x := a]

in the sense of the lambda calculus: only free occurrences of ``x`` are replaced, a bound variable
that would capture a name of ``a`` is renamed, and ``a`` is parenthesised as its slot demands.  The
rest of the text, its spacing and comments included, stays as it is.  It stands in `emit` because
a hole is filled with whatever the emitter has folded into it, of any precedence.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar, cast

import libcst as cst

from adjointgen.emit.syntax.precedence import Level
from adjointgen.emit.usercode.fstrings import Strings
from adjointgen.emit.usercode.parentheses import (
    Expression,
    at,
    operand_levels,
    parenthesised,
    under_dot,
    under_unary,
)

Node = TypeVar("Node", bound=cst.CSTNode)
_Slot = tuple[type[cst.CSTNode], str]

# The least level of slots other than operands.  What is missing here takes a primary.
_SLOTS: Final[dict[_Slot, Level]] = {
    (cst.Comparison, "left"): Level.BIT_OR,
    (cst.ComparisonTarget, "comparator"): Level.BIT_OR,
    (cst.StarredElement, "value"): Level.BIT_OR,
    (cst.StarredDictElement, "value"): Level.BIT_OR,
    (cst.IfExp, "test"): Level.OR,
    (cst.IfExp, "body"): Level.OR,
    (cst.CompFor, "iter"): Level.OR,
    (cst.CompIf, "test"): Level.OR,
    (cst.FormattedStringExpression, "expression"): Level.TEST,
    (cst.IfExp, "orelse"): Level.LAMBDA,
    (cst.Lambda, "body"): Level.LAMBDA,
    (cst.Param, "default"): Level.LAMBDA,
    (cst.NamedExpr, "value"): Level.LAMBDA,
    (cst.Arg, "value"): Level.LAMBDA,
    (cst.Index, "value"): Level.LAMBDA,
    (cst.Slice, "lower"): Level.LAMBDA,
    (cst.Slice, "upper"): Level.LAMBDA,
    (cst.Slice, "step"): Level.LAMBDA,
    (cst.Element, "value"): Level.LAMBDA,
    (cst.DictElement, "key"): Level.LAMBDA,
    (cst.DictElement, "value"): Level.LAMBDA,
    (cst.DictComp, "key"): Level.LAMBDA,
    (cst.DictComp, "value"): Level.LAMBDA,
    (cst.ListComp, "elt"): Level.LAMBDA,
    (cst.SetComp, "elt"): Level.LAMBDA,
    (cst.GeneratorExp, "elt"): Level.LAMBDA,
    (cst.Yield, "value"): Level.LAMBDA,
    (cst.Expr, "value"): Level.LAMBDA,
    (cst.Assign, "value"): Level.LAMBDA,
    (cst.AnnAssign, "value"): Level.LAMBDA,
    (cst.AugAssign, "value"): Level.LAMBDA,
    (cst.Return, "value"): Level.LAMBDA,
    (cst.Raise, "exc"): Level.LAMBDA,
    (cst.From, "item"): Level.LAMBDA,
    (cst.Assert, "test"): Level.LAMBDA,
    (cst.Assert, "msg"): Level.LAMBDA,
    (cst.If, "test"): Level.LAMBDA,
    (cst.While, "test"): Level.LAMBDA,
    (cst.For, "iter"): Level.LAMBDA,
    (cst.WithItem, "item"): Level.LAMBDA,
}

# Names that are no variables.
_LABELS: Final[frozenset[_Slot]] = frozenset({(cst.Attribute, "attr"), (cst.Arg, "keyword")})

# Slots that bind a variable and so take nothing but one.
_BINDERS: Final[frozenset[_Slot]] = frozenset(
    {
        (cst.Param, "name"),
        (cst.NamedExpr, "target"),
        (cst.CompFor, "target"),
        (cst.AsName, "name"),
        (cst.NameItem, "name"),
    }
)

# Slots that are written to.
_TARGETS: Final[frozenset[_Slot]] = frozenset(
    {
        (cst.AssignTarget, "target"),
        (cst.AnnAssign, "target"),
        (cst.AugAssign, "target"),
        (cst.For, "target"),
        (cst.Del, "target"),
    }
)

_DEFINITIONS: Final = (cst.FunctionDef, cst.ClassDef, cst.Import, cst.ImportFrom)


def substitute(node: Node, values: Mapping[str, Expression]) -> Node:
    """`node` with its free names replaced by what `values` has for them.

    A name that the code binds can only be replaced by another name.  Nested functions, classes and
    imports that hold one of the names are refused: these are scopes and binders of their own.
    """
    if isinstance(node, cst.Name):
        return cast(Node, values.get(node.value, node))
    used = variables(node).intersection(values)
    if not used:
        return node
    return cast(Node, node.visit(_Substitution({key: values[key] for key in used})))


def variables(node: cst.CSTNode) -> set[str]:
    """The names in `node` that stand for variables, not for fields or keywords."""
    collector = _Variables()
    node.visit(collector)
    return collector.names


class _Variables(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self._slots: list[_Slot] = []

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        self._slots.append((type(node), attribute))

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        self._slots.pop()

    def visit_Name(self, node: cst.Name) -> None:
        if not self._slots or self._slots[-1] not in _LABELS:
            self.names.add(node.value)


def _clauses(node: cst.CSTNode) -> Iterator[cst.CompFor]:
    """The `for` clauses of a comprehension, outermost first."""
    clause = getattr(node, "for_in", None)
    while isinstance(clause, cst.CompFor):
        yield clause
        clause = clause.inner_for_in


def _bound(node: cst.CSTNode) -> set[str]:
    """The variables that a comprehension or a lambda binds."""
    if not isinstance(node, cst.Lambda):
        return set().union(*(variables(clause.target) for clause in _clauses(node)))
    own = node.params
    every = [*own.posonly_params, *own.params, *own.kwonly_params, own.star_arg, own.star_kwarg]
    return {parameter.name.value for parameter in every if isinstance(parameter, cst.Param)}


def _inside(node: cst.CSTNode, outside: Mapping[str, Expression]) -> dict[str, Expression]:
    """The replacements that hold inside a scope, renamings against capture among them."""
    bound = _bound(node)
    mentioned = variables(node)
    inside = {key: value for key, value in outside.items() if key in mentioned - bound}
    foreign = set().union(*(variables(value) for value in inside.values()))
    taken = mentioned | foreign
    for captured in sorted(bound & foreign):
        fresh = captured + "_"
        while fresh in taken:
            fresh += "_"
        taken.add(fresh)
        inside[captured] = cst.Name(fresh)
    return inside


class _Substitution(cst.CSTTransformer):
    """Knows the slot that it is in, and the replacements in each scope around it."""

    def __init__(self, values: Mapping[str, Expression]) -> None:
        super().__init__()
        self._slots: list[tuple[cst.CSTNode, str]] = []
        self._scopes = [values]
        self._outermost: list[cst.CSTNode] = []
        self._strings = Strings()

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        self._slots.append((node, attribute))
        if self._is_outer(node, attribute):
            self._scopes.append(self._scopes[-2])

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        self._slots.pop()
        if self._is_outer(original_node, attribute):
            self._scopes.pop()

    def _is_outer(self, node: cst.CSTNode, attribute: str) -> bool:
        """Is this evaluated outside of the scope that it stands in?

        The defaults of a lambda and the first iterable of a comprehension are.
        """
        if isinstance(node, cst.CompFor) and attribute == "iter":
            return node is self._outermost[-1]
        return isinstance(node, cst.Param) and attribute == "default"

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _DEFINITIONS):
            held = variables(node).intersection(self._scopes[-1])
            if held:
                raise ValueError(f"{min(held)} stands in a definition or an import")
        self._strings.depth += isinstance(node, cst.ConcatenatedString)
        if isinstance(node, cst.BaseComp | cst.Lambda):
            self._scopes.append(_inside(node, self._scopes[-1]))
            self._outermost.append(next(_clauses(node), node))
        return True

    def on_leave(self, original_node: Node, updated_node: Node) -> Node:
        if isinstance(original_node, cst.BaseComp | cst.Lambda):
            self._scopes.pop()
            self._outermost.pop()
        if isinstance(original_node, cst.Name):
            return cast(Node, self._replaced(original_node))
        if isinstance(original_node, cst.FormattedString):
            filled = cast(cst.FormattedString, updated_node)
            return cast(Node, self._strings.refit(original_node, filled))
        if isinstance(original_node, cst.ConcatenatedString):
            self._strings.depth -= 1
            if not self._strings.depth:
                joined = cast(cst.ConcatenatedString, updated_node)
                return cast(Node, self._strings.rejoin(joined))
        return updated_node

    def _replaced(self, variable: cst.Name) -> Expression:
        parent, field = self._slots[-1]
        slot = type(parent), field
        value = self._scopes[-1].get(variable.value)
        if value is None or slot in _LABELS:
            return variable
        if slot in _BINDERS and not isinstance(value, cst.Name):
            raise ValueError(f"{variable.value} is bound here and must stay a name")
        if slot in _TARGETS and not isinstance(value, cst.BaseAssignTargetExpression):
            raise ValueError(f"{variable.value} is written here and must stay a place in memory")
        fitted = _fit(parent, field, value)
        # The user's own parentheses stay: they may be what separates two words, as in `not(x)`.
        return parenthesised(fitted) if variable.lpar and not fitted.lpar else fitted


def _fit(parent: cst.CSTNode, field: str, value: Expression) -> Expression:
    match parent:
        case cst.BinaryOperation() | cst.BooleanOperation():
            left, right = operand_levels(parent.operator)
            return at(value, left if field == "left" else right)
        case cst.UnaryOperation():
            return under_unary(value, parent.operator)
        case cst.Attribute():
            return under_dot(value)
    return at(value, _SLOTS.get((type(parent), field), Level.PRIMARY))
