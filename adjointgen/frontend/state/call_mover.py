"""Calls out of a statement, with all that Python evaluates before them.

    y = a[0] + put(a)       part_value = a[0];  put_value = put(a);  y = part_value + put_value
    a[i] += put(a)          part_value = a[i];  put_value = put(a);  part_value += put_value;
                            a[i] = part_value

What stands before a call may raise, so that the call is not reached, and the call may change what
it reads. Parts are taken in the order in which Python evaluates them: a value before its targets, a
target of `op=` before the value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import count

from adjointgen.frontend.domain.abstract_values import Ref, Seq, Struct
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.ir.nodes import Const, Value

LAZY = (
    *(ast.Lambda, ast.IfExp, ast.BoolOp),
    *(ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp),
)
Place = tuple[ast.AST, str, int | None]
"""Where a part of a statement stands: in which node, in which field, and which of a list."""


def copied(node: ast.AST) -> ast.AST:
    """A copy down to what is lazy, so that the tree of the text stays as it is."""
    made = type(node)(**{name: _copied(value) for name, value in ast.iter_fields(node)})
    return ast.copy_location(made, node) if hasattr(node, "lineno") else made


def _copied(value: object) -> object:
    if isinstance(value, list):
        return [_copied(v) for v in value]
    return copied(value) if isinstance(value, ast.AST) and not isinstance(value, LAZY) else value


def _places(node: ast.AST) -> Iterator[Place]:
    """The parts of a node that are evaluated for a value, in order."""
    for parent, name, k in _children(node):
        part = _at((parent, name, k))
        stored = isinstance(getattr(part, "ctx", None), ast.Store)
        called = name == "func" and isinstance(part, ast.Attribute)
        if not isinstance(part, ast.expr | ast.Slice | ast.keyword):
            continue
        if called or stored or isinstance(part, ast.Starred | ast.Slice | ast.keyword):
            yield from _places(part)
        elif not (name == "func" and isinstance(part, ast.Name)):
            yield parent, name, k


def _children(node: ast.AST) -> Iterator[Place]:
    fields = list(node._fields)
    match node:
        case ast.Assign():
            fields = ["value", "targets"]
        case ast.AnnAssign():
            fields = ["value", "target"]
        case ast.FormattedValue():
            fields = ["value", "format_spec"]
        case ast.NamedExpr():
            fields = ["value"]
        case ast.Dict(keys=keys):
            for k, key in enumerate(keys):
                yield from [(node, "keys", k)] if key is not None else []
                yield node, "values", k
            return
    for name in fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            yield from ((node, name, k) for k in range(len(value)))
        elif isinstance(value, ast.AST):
            yield node, name, None


def _at(place: Place) -> ast.AST:
    node, name, k = place
    found: ast.AST = getattr(node, name) if k is None else getattr(node, name)[k]
    return found


def _put(place: Place, part: ast.AST) -> None:
    node, name, k = place
    if k is None:
        setattr(node, name, part)
    else:
        getattr(node, name)[k] = part


class Mover:
    """The calls of one statement, `moved` out of it with what is evaluated before them."""

    def __init__(self, ctx: Context, is_ours: Callable[[Context, ast.AST], bool]) -> None:
        self.ctx, self.is_ours = ctx, is_ours
        self.moved: list[ast.stmt] = []

    def calls(self, node: ast.AST | None) -> bool:
        return node is not None and any(self.is_ours(self.ctx, n) for n in ast.walk(node))

    def statement(self, stmt: ast.stmt) -> list[ast.stmt]:
        """What is left of a statement, after those that were moved."""
        match stmt:
            case ast.AugAssign() if self.calls(stmt.value):
                return self._augmented(stmt)
            case ast.Assign(targets=[_, _, *_]) if any(map(self.calls, stmt.targets)):
                return self._chained(stmt)
            case ast.Assign(targets=[ast.Tuple() | ast.List() as target]) if self.calls(target):
                self._refuse(target, "in a target that is one of several")
        made = copied(stmt)
        assert isinstance(made, ast.stmt)
        self.parts(made)
        return [made]

    def value(self, node: ast.expr) -> ast.expr:
        """An expression without its calls."""
        made = copied(node) if not isinstance(node, LAZY) else node
        assert isinstance(made, ast.expr)
        return self._visited(made)

    def named(self, node: ast.expr) -> ast.Name:
        """A name for an expression without its calls."""
        return self._named(self.value(node))

    def _augmented(self, stmt: ast.AugAssign) -> list[ast.stmt]:
        """`target op= value`, where the target is looked at before a value with calls."""
        target = copied(stmt.target)
        for place in _places(target):
            _put(place, self._named(self._visited(_at(place))))
        read = copied(target)
        read.ctx = ast.Load()  # type: ignore[attr-defined]
        old = self._named(read)
        value = self.value(stmt.value)
        now = ast.copy_location(ast.Name(old.id, ast.Store()), stmt)
        update = ast.copy_location(ast.AugAssign(now, stmt.op, value), stmt)
        assert isinstance(target, ast.expr)
        return [update, ast.copy_location(ast.Assign([target], old), stmt)]

    def _chained(self, stmt: ast.Assign) -> list[ast.stmt]:
        """`a = b = value`: one target after the other."""
        value = self._named(self.value(stmt.value))
        singles = [ast.copy_location(ast.Assign([t], value), stmt) for t in stmt.targets]
        for single in singles:
            self.moved += self.statement(single)
        return [self.moved.pop()]

    def parts(self, node: ast.AST) -> None:
        """Take the calls out of the parts of a node, and what is evaluated before the last."""
        places, ends, last = list(_places(node)), list[int](), 0
        for k, place in enumerate(places):
            before = len(self.moved)
            _put(place, self._visited(_at(place)))
            ends.append(len(self.moved))
            last = k if len(self.moved) > before else last
        for place, end in reversed([*zip(places[:last], ends[:last], strict=True)]):
            part = _at(place)
            if self._may_change(part):
                assert isinstance(part, ast.expr)
                _put(place, self._named(part, end))

    def _visited(self, node: ast.AST) -> ast.expr:
        assert isinstance(node, ast.expr)
        several = isinstance(node, ast.Compare) and len(node.ops) > 1
        if isinstance(node, ast.BoolOp | ast.IfExp) and self.calls(node):
            return self._chosen(node)
        if isinstance(node, LAZY) or several:
            inside = node.comparators[1:] if isinstance(node, ast.Compare) else [node]
            if any(map(self.calls, inside)):
                self._refuse(node, "under a condition here")
            if not several:
                return node
        ours = self.is_ours(self.ctx, node)
        self.parts(node)
        return self._named(node) if ours else node

    def _chosen(self, node: ast.BoolOp | ast.IfExp) -> ast.Name:
        """A name for the value that a condition chooses, which statements compute."""
        name = self.name(node)
        read = ast.copy_location(ast.Name(name, ast.Load()), node)

        def put(value: ast.expr) -> ast.stmt:
            target = ast.copy_location(ast.Name(name, ast.Store()), node)
            return ast.copy_location(ast.Assign([target], value), value)

        def rest(values: list[ast.expr]) -> list[ast.stmt]:
            if not values:
                return []
            assert isinstance(node, ast.BoolOp)
            is_or = isinstance(node.op, ast.Or)
            test = ast.copy_location(ast.UnaryOp(ast.Not(), read), node) if is_or else read
            inner = [put(values[0]), *rest(values[1:])]
            return [ast.copy_location(ast.If(test, inner, []), node)]

        if isinstance(node, ast.BoolOp):
            self.moved.append(put(self.value(node.values[0])))
            self.moved += rest(node.values[1:])
        else:
            arms = [put(node.body)], [put(node.orelse)]
            self.moved.append(ast.copy_location(ast.If(self.value(node.test), *arms), node))
        return read

    def _refuse(self, node: ast.AST, where: str) -> None:
        what = f"a function is called {where}, inside `try`"
        self.ctx.refuse("AG101", what, "call it in a statement of its own", node=node)

    def _may_change(self, part: ast.AST) -> bool:
        """Whether what follows may change a part, or is not reached if the part raises."""
        if isinstance(part, ast.Name):
            known = isinstance(lookup(self.ctx, part.id), Value | Const | Ref | Seq | Struct)
            return known and not any(_binds(stmt, part.id) for stmt in self.moved)
        return not isinstance(part, ast.Constant)

    def _named(self, node: ast.AST, place: int | None = None) -> ast.Name:
        """A name for a value, which is computed at this place among what is moved."""
        assert isinstance(node, ast.expr)
        name = self.name(node)
        target = ast.copy_location(ast.Name(name, ast.Store()), node)
        made = ast.copy_location(ast.Assign([target], node), node)
        self.moved.insert(len(self.moved) if place is None else place, made)
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def name(self, node: ast.expr) -> str:
        """A name that is not taken."""
        match node:
            case ast.Call(func=ast.Name(id=stem)) | ast.Name(id=stem):
                pass
            case _:
                stem = "call" if isinstance(node, ast.Call) else "part"
        moved = [s for s in (*self.ctx.frame.split, *self.moved) if isinstance(s, ast.Assign)]
        taken = {t.id for s in moved for t in s.targets if isinstance(t, ast.Name)}
        taken |= self.ctx.frame.locals
        names = (f"{stem}_value{k if k > 1 else ''}" for k in count(1))
        return next(name for name in names if name not in taken)


def _binds(stmt: ast.stmt, name: str) -> bool:
    """Whether a name is one of those that parts were given here."""
    return isinstance(stmt, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id == name for t in stmt.targets
    )
