"""Comparisons: of numbers and arrays by NumPy, of lists, tuples and dicts by Python.

What is known entirely is compared at once.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from functools import partial
from types import NoneType
from typing import Any

from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import (
    VIEWS,
    Abstract,
    Class,
    Method,
    Module,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
    Zipped,
)
from adjointgen.frontend.expressions import array_instances
from adjointgen.frontend.expressions.arithmetic import numbers_of
from adjointgen.frontend.expressions.identity import (
    equals_itself,
    identical,
    identity,
    same_class,
)
from adjointgen.frontend.expressions.instances import is_instance
from adjointgen.frontend.expressions.known_comparisons import known_outcome
from adjointgen.frontend.expressions.membership import answered, found_in, is_run_over, negated
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.expressions.view_comparisons import views_are_equal
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.dict_keys import known_key
from adjointgen.frontend.state.held_values import as_held, as_tuple
from adjointgen.frontend.state.module_objects import holds
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import BOOL, OBJECT, Dim, Type, never_one
from adjointgen.rules.framework.builder import const

COMPARE: dict[type[ast.cmpop], tuple[str, str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("lt", "<", operator.lt),
    ast.LtE: ("le", "<=", operator.le),
    ast.Gt: ("gt", ">", operator.gt),
    ast.GtE: ("ge", ">=", operator.ge),
    ast.Eq: ("eq", "==", operator.eq),
    ast.NotEq: ("ne", "!=", operator.ne),
    ast.Is: ("is", "is", operator.is_),
    ast.IsNot: ("is_not", "is not", operator.is_not),
    ast.In: ("in", "in", lambda a, b: a in b),
    ast.NotIn: ("not_in", "not in", lambda a, b: a not in b),
}


def all_of(ctx: Context, tests: Iterable[Callable[[], Abstract]]) -> Abstract:
    """Whether all tests hold; those after one that is known to fail are left out."""
    return _joined(ctx, tests, True)


def any_of(ctx: Context, tests: Iterable[Callable[[], Abstract]]) -> Abstract:
    """Whether one of the tests holds; those after one that is known to hold are left out."""
    return _joined(ctx, tests, False)


def _joined(ctx: Context, tests: Iterable[Callable[[], Abstract]], neutral: bool) -> Abstract:
    result: Abstract = const(neutral)
    for make in tests:
        before = truth(ctx, result)
        if before is not None and before != neutral:
            return result
        test = make()
        after = truth(ctx, test)
        if before is not None or (after is not None and after != neutral):
            result = test
        elif after is None:
            result = ctx.apply("and" if neutral else "or", read(ctx, result), read(ctx, test))
    return result


def comparison(
    ctx: Context, kind: type[ast.cmpop], left: Abstract, right: Abstract, tested: bool = False
) -> Abstract:
    """`left op right`; of what is `tested` only the truth counts, which an array may have, too."""
    left, right = _made(ctx, left), _made(ctx, right)
    if kind in (ast.Eq, ast.NotEq):
        if is_run_over(left) or is_run_over(right):
            return _of_iterators(ctx, kind, left, right)
        if (equal := views_are_equal(ctx, left, right)) is not None:
            return const(equal == (kind is ast.Eq))
    return _compared(ctx, kind, left, right, tested)


def _compared(
    ctx: Context, kind: type[ast.cmpop], left: Abstract, right: Abstract, tested: bool
) -> Abstract:
    op = COMPARE[kind][0]
    if (found := compared(ctx, op, left, right)) is not None:
        return found
    if kind in (ast.In, ast.NotIn):
        equals = partial(comparison, ctx, ast.Eq, left)
        if (there := found_in(ctx, right, equals)) is not None:
            return const(there == (kind is ast.In))
    if kind is ast.NotEq:
        equal = compared(ctx, COMPARE[ast.Eq][0], left, right)
        if equal is not None:
            return negated(ctx, equal)
    if kind in _SAMES and equals_itself(ctx, left) and equals_itself(ctx, right):
        kind = _SAMES[kind]
    if kind in _SAMES and (_is_alone(ctx, left, right) or _is_alone(ctx, right, left)):
        return const(kind is ast.NotEq)
    if kind in _IDENTITY:
        found = identity(ctx, kind, left, right)
        return _of_values(ctx, kind, left, right, tested) if found is None else found
    again = lambda plain, _: _of_values(ctx, kind, plain[0], plain[1], tested)  # noqa: E731
    made = array_instances.computed(ctx, COMPARE[kind][2], (left, right), again)
    return made or _of_values(ctx, kind, as_held(ctx, left), as_held(ctx, right), tested)


def _is_alone(ctx: Context, value: Abstract, other: Abstract) -> bool:
    """Whether an instance equals itself alone, and the other is a number, a text, a list or the
    like, whose class knows nothing of it."""
    if value == const(None) or not equals_itself(ctx, value):
        return False
    known = content(ctx, other)
    plain = isinstance(known, Const | Value) and known.type.is_scalar
    text = isinstance(known, Const) and isinstance(known.value, str | NoneType)
    return plain or text or isinstance(known, Seq)


_SAMES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.Is, ast.NotEq: ast.IsNot}


def _of_values(
    ctx: Context, kind: type[ast.cmpop], left: Abstract, right: Abstract, tested: bool
) -> Abstract:
    """A comparison that no class of the user's says anything of."""
    op, symbol, function = COMPARE[kind]
    if op in _SYMBOLS:
        left, right = as_tuple(ctx, left), as_tuple(ctx, right)
    a, b = content(ctx, left), content(ctx, right)
    if op in ("eq", "ne") and (same := _alike(a, b)) is not None:
        return const(same == (op == "eq"))
    if (decided := known_outcome(function, a, b)) is not None:
        return const(decided)
    lists = isinstance(a, Seq) and isinstance(b, Seq) and op in _SYMBOLS
    if lists and (found := _in_order(ctx, kind, a, b)) is not None:
        return found
    if (found := _of_containers(ctx, op, left, right)) is not None:
        return found
    if any(isinstance(v, Named | Module | Class) for v in (a, b)) or _with_object(ctx, a, b):
        return _as_written(ctx, left, symbol, right)
    x, y = numbers_of(ctx, left, right)
    if "object" in (x.type.kind, y.type.kind) or x.type.kind == y.type.kind == "list":
        if kind in _ORDERS and _are_unordered(x, y):
            return fails_in(ctx, f"_0_ {symbol} _1_", x, y)
        return _of_objects(ctx, kind, (x, y), tested)
    decided = _lengths(function, x.type, y.type) if op in _SYMBOLS else None
    return const(decided) if decided is not None else ctx.apply(op, x, y)


def _made(ctx: Context, value: Abstract) -> Abstract:
    """A list that is known by what it was made from, as a list."""
    if isinstance(value, Zipped) and value.listed and value.how not in VIEWS:
        made: Abstract = ctx.actions.as_list(ctx, value)
        return made
    return value


def _of_iterators(ctx: Context, kind: type[ast.cmpop], left: Abstract, right: Abstract) -> Abstract:
    """Whether iterators are equal, or one and a list, tuple or number."""
    other = content(ctx, right if is_run_over(left) else left)
    if left is right or isinstance(other, Const | Seq):
        return const((left is right) == (kind is ast.Eq))
    return ctx.refuse("AG102", "an iterator is compared", "compare a list of its entries")


def _of_objects(
    ctx: Context, kind: type[ast.cmpop], sides: tuple[Operand, Operand], tested: bool
) -> Value:
    """A comparison as it is written: objects compare as they like, and may fail."""
    op, symbol, _ = COMPARE[kind]
    arrays = not tested and op in _SYMBOLS and all(map(_may_be_array, sides))
    pure = kind in _IDENTITY or not any(map(_is_object, sides))
    code, type = f"_0_ {symbol} _1_", OBJECT if arrays else BOOL
    return verbatim(ctx, code, sides, type, **_purely(pure))


def _is_object(operand: Operand) -> bool:
    return isinstance(operand, Value) and operand.type.kind == "object"


_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _are_unordered(*sides: Operand) -> bool:
    """Whether numbers are compared with a text or None: neither is more than the other."""
    texts = [isinstance(o, Const) and (o.value is None or isinstance(o.value, str)) for o in sides]
    return any(texts) and not any(map(_is_object, sides))


def _purely(pure: bool) -> dict[str, Any]:
    return {"pure": True} if pure else {}


def _may_be_array(operand: Operand) -> bool:
    """Whether a comparison with this may give an array: one of texts and None gives one test."""
    plain = isinstance(operand, Const) and operand.type.dtype == "object"
    return not plain and operand.type.kind != "list"


def _alike(a: Abstract, b: Abstract) -> bool | None:
    """Whether two values are equal, where their kinds say so."""
    return False if unequal(a, b) else same_class(a, b)


def _of_containers(ctx: Context, op: str, left: Abstract, right: Abstract) -> Abstract | None:
    """A comparison with a list, tuple or dict; None where there is none, or an array."""
    a, b = content(ctx, left), content(ctx, right)
    if op in ("in", "not_in") and isinstance(b, Seq):
        if not b.items:
            return const(op == "not_in")
        if any(is_instance(ctx, value) for value in (left, *b.items)):
            within = any_of(ctx, [partial(is_entry, ctx, left, i) for i in b.items])
        elif any(_containers(ctx, a, content(ctx, item)) for item in b.items):
            within = any_of(ctx, [partial(comparison, ctx, ast.Eq, left, i) for i in b.items])
        else:
            return None
        return within if op == "in" else negated(ctx, within)
    kinds = _containers(ctx, a, b) if op in _SYMBOLS else None
    if kinds is None:
        return None
    python_number = any(isinstance(v, Const) for v in (a, b))
    if op in ("eq", "ne") and (python_number or ("" not in kinds and len({*kinds}) > 1)):
        return const(op == "ne")
    symbol = next(row[1] for row in COMPARE.values() if row[0] == op)
    return _as_written(ctx, left, symbol, right)


def is_entry(ctx: Context, value: Abstract, entry: Abstract) -> Abstract:
    """Whether a value is an entry of a list, or equal to it: the entry is asked first."""
    if identical(ctx, entry, value):
        return const(True)
    return comparison(ctx, ast.Eq, entry, value)


def _as_written(ctx: Context, left: Abstract, symbol: str, right: Abstract) -> Value:
    holes = Holes(ctx)
    code = f"{holes.fill(left)} {symbol} {holes.fill(right)}"
    if symbol.startswith(("<", ">")):
        # Entries that have no order raise, read or not.
        return verbatim(ctx, code, holes.operands, BOOL, raises="TypeError")
    pure = not any(map(_is_object, holes.operands))
    return verbatim(ctx, code, holes.operands, BOOL, **_purely(pure))


def _containers(ctx: Context, a: Abstract, b: Abstract) -> tuple[str, str] | None:
    """The kinds of what is compared where one is a list, tuple or dict and none an array.

    Beside an array a list is one, too. The kind of what is no container is empty.
    """
    kinds: list[str] = []
    for value in (a, b):
        if isinstance(value, Seq):
            kinds.append(value.kind)
        elif isinstance(value, Struct) and value.kind == "dict":
            kinds.append("dict")
        elif isinstance(value, Value | Const | Ref):
            type = read(ctx, value).type
            if type.kind in ("array", "object"):
                return None
            kinds.append("list" if type.kind == "list" else "")
        else:
            return None
    return (kinds[0], kinds[1]) if any(kinds) else None


_IDENTITY = (ast.Is, ast.IsNot)
_SYMBOLS = ("lt", "le", "gt", "ge", "eq", "ne")


def _in_order(ctx: Context, kind: type[ast.cmpop], a: Abstract, b: Abstract) -> Abstract | None:
    """Tuples and lists of numbers, entry by entry: the first that differs decides."""
    assert isinstance(a, Seq) and isinstance(b, Seq)
    if a.kind != b.kind:
        return const(kind is ast.NotEq) if kind in (ast.Eq, ast.NotEq) else None
    if not all(_is_number(item) for item in (*a.items, *b.items)):
        return _by_constants(kind, a, b) if kind in _ORDERS else None
    if kind in (ast.Eq, ast.NotEq):
        if len(a.items) != len(b.items):
            return const(kind is ast.NotEq)
        joined = all_of if kind is ast.Eq else any_of
        pairs = zip(a.items, b.items, strict=True)
        return joined(ctx, [partial(comparison, ctx, kind, p, q) for p, q in pairs])
    if not a.items or not b.items:
        return const(bool(COMPARE[kind][2](len(a.items), len(b.items))))
    (p, *rest), (q, *more) = a.items, b.items
    after = partial(comparison, ctx, kind, Seq(tuple(rest), a.kind), Seq(tuple(more), b.kind))
    strict = ast.Lt if kind in (ast.Lt, ast.LtE) else ast.Gt
    first = partial(comparison, ctx, strict, p, q)
    same = partial(comparison, ctx, ast.Eq, p, q)
    return any_of(ctx, [first, lambda: all_of(ctx, [same, after])])


def _by_constants(kind: type[ast.cmpop], a: Seq, b: Seq) -> Const | None:
    """The order of two tuples or lists where constants decide before anything that is none."""
    for p, q in zip(a.items, b.items, strict=False):
        if isinstance(p, Class | Named) and p == q:
            continue
        if not (isinstance(p, Const) and isinstance(q, Const)):
            return None
        if type(p.value) is not type(q.value) or not isinstance(p.value, int | float | str):
            return None
        if p.value != q.value:
            return const(bool(COMPARE[kind][2](p.value, q.value)))
    return const(bool(COMPARE[kind][2](len(a.items), len(b.items))))


def _with_object(ctx: Context, a: Abstract, b: Abstract) -> bool:
    """Whether a tuple is compared with an object, whose class decides what that means.

    An attribute that nothing is known of is one, as the shape of an array of unknown rank.
    """
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Seq) and isinstance(other, Value | Outside | Method | Ref):
            return isinstance(other, Method) or read(ctx, other).type.kind == "object"
    return False


def _is_number(value: Abstract) -> bool:
    return isinstance(value, Value | Const) and value.type.is_scalar


def _lengths(function: Callable[[Any, Any], Any], a: Type, b: Type) -> bool | None:
    """A comparison of lengths that is known: `len(x) == 1` for an axis of another length."""
    if a.value is None or b.value is None:
        return None
    if a.value.symbol == b.value.symbol:
        low = min(a.value.offset, b.value.offset) if a.value.symbol else 0
        # A length below zero is zero.
        return None if low < 0 else bool(function(a.value.offset, b.value.offset))
    for one, other in ((a.value, b.value), (b.value, a.value)):
        if one == Dim("", 1) and never_one(other) and function in (operator.eq, operator.ne):
            return function is operator.ne
    return None


def unequal(a: Abstract, b: Abstract) -> bool:
    """Whether one is a number, list, tuple or dict and the other, a string or None, is none."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const) and (one.value is None or isinstance(one.value, str)):
            if isinstance(other, Seq) or (isinstance(other, Struct) and other.kind == "dict"):
                return True
            return isinstance(other, Value) and other.type.is_scalar
    return False


def compared(ctx: Context, op: str, left: Abstract, right: Abstract) -> Abstract | None:
    """`left op right` by a method of one of them; `in` a dict by its keys."""
    known, inside = content(ctx, right), op in ("in", "not_in")
    if inside and isinstance(known, Struct) and known.kind == "dict":
        key = known_key(ctx, left)
        return None if key is None else const((key[0] in known.keys) == (op == "in"))
    sure = holds(ctx, known, left) if inside else None
    if sure is not None:
        return const(sure != op.startswith("not"))
    rows = [(right, left, "contains") if inside else (left, right, op)]
    if op in _MIRRORED:
        rows.append((right, left, _MIRRORED[op]))
    for own, other, name in rows:
        method = special(ctx, own, f"__{name}__")
        if method is not None:
            node = ctx.node or ast.Pass()
            result = inline(ctx, method, [own, other], {}, node)
            if isinstance(result, Named) and result.spelling == "builtins.NotImplemented":
                continue
            return answered(ctx, op, result) if inside else result
    return None


_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
