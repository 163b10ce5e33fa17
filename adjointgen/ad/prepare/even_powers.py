"""Even powers of a root or a modulus are differentiated as what they are: powers of its argument.

    y = sqrt(t),  p = y**2                p has the derivatives of t
    y = norm(x),  p = (c * y) * y         of c * sum(x * x)
    p = maximum(a, b) * minimum(a, b)     of a * b

A length, a modulus and a standard deviation have no derivative at 0, and their squares are smooth
there: `x / y` would be 0 / 0. What is multiplied together is known as a product of powers, so that
other factors may stand between. The value stays what the user wrote: `through(p, t)` is p with the
derivatives of t, and is p again once these are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjointgen.ad.prepare.smoother import differentiated_as
from adjointgen.ir.nodes import Apply, Const, Function, Operand, Value, walk
from adjointgen.records import dataclass, field
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.framework.table import TABLE

LARGEST = 64
"""No product of more factors is looked at."""
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Root:
    """The result of an operation that is not smooth, and what tells which of its kind it is."""

    stmt: Apply
    key: Key


@dataclass(frozen=True, slots=True)
class Product:
    """Powers of values, and of the results of operations that are not smooth."""

    factors: tuple[tuple[Operand, int], ...]
    roots: tuple[tuple[Root, int], ...] = ()

    def times(self, other: Product) -> Product:
        roots = [*self.roots]
        for root, power in other.roots:
            same = (k for k, (r, _) in enumerate(roots) if r.key == root.key)
            place = next(same, len(roots))
            before = roots.pop(place)[1] if place < len(roots) else 0
            roots.insert(place, (root, before + power))
        return Product((*self.factors, *other.factors), tuple(roots))

    def power(self, n: int) -> Product:
        scaled = tuple((f, k * n) for f, k in self.factors)
        return Product(scaled, tuple((r, k * n) for r, k in self.roots))


@dataclass(frozen=True, slots=True)
class Known:
    """Values that are products, and what tells values that are the same: value numbering."""

    products: dict[str, Product] = field(default_factory=dict)
    values: dict[str, Key] = field(default_factory=dict)

    def product(self, operand: Operand) -> Product:
        found = self.products.get(operand.name) if isinstance(operand, Value) else None
        return found or Product(((operand, 1),))

    def key(self, operand: Operand) -> object:
        name = operand.name if isinstance(operand, Value) else None
        return operand if name is None else self.values.get(name, name)

    def keys(self, stmt: Apply) -> Key:
        return tuple(map(self.key, stmt.args))


def squared(function: Function) -> Function:
    """The function with derivatives of its even powers by the arguments of the roots."""
    if not any(isinstance(s, Apply) and _is_root(s) for s in walk(function.body)):
        return function
    known = Known()
    return differentiated_as(function, lambda builder, stmt: _smoother(builder, stmt, known))


def _is_root(stmt: Apply) -> bool:
    """Whether the square of a result, or its product with another, is smoother than it."""
    if stmt.op == "pow":
        return _number(stmt.args[1]) == 0.5
    row = TABLE.rows.get(stmt.op)
    return row is not None and (row.square is not None or bool(row.opposites))


def _number(operand: Operand | None) -> object:
    return operand.value if isinstance(operand, Const) else None


def _smoother(builder: Builder, stmt: Apply, known: Known) -> Operand | None:
    """The same product by what its roots are taken of, if some are there twice."""
    if len(stmt.results) != 1:
        return None
    row = TABLE.rows.get(stmt.op)
    if row is not None and (row.kind == "elementwise" or row.loop == "part"):
        known.values[stmt.result.name] = (stmt.op, known.keys(stmt), stmt.options)
    product = _product(stmt, known)
    if product is None or not product.roots or len(product.factors) > LARGEST:
        return None
    smooth = [*_smooth(builder, product)]
    if not smooth:
        known.products[stmt.result.name] = product
        return None
    total = smooth[0]
    for part in smooth[1:]:
        total = total * part
    return builder.lower(total)


def _product(stmt: Apply, known: Known) -> Product | None:
    """A result as a product; None for what is none."""
    of = known.product
    if _is_root(stmt):
        key = (stmt.op, known.keys(stmt), stmt.options)
        return Product((), ((Root(stmt, key), 1),))
    match stmt:
        case Apply(op="mul", args=(a, b)):
            return of(a).times(of(b))
        case Apply(op="neg", args=(a,)):
            return of(a).times(Product(((const(-1.0), 1),)))
        case Apply(op="square", args=(a,)):
            return of(a).power(2)
        case Apply(op="pow", args=(a, Const(value=int() | float() as n))) if n > 0 and n % 2 == 0:
            return of(a).power(int(n))
    return None


def _smooth(builder: Builder, product: Product) -> Iterator[Any]:
    """The factors of a product, its roots by their squares; none where all stand there once."""
    parts, changed = [_raised(builder.handle(f), k) for f, k in product.factors], False
    left = [*product.roots]
    while left:
        root, power = left.pop(0)
        opposite = next((k for k, (r, _) in enumerate(left) if _are_opposite(root, r)), None)
        if opposite is not None and left[opposite][1] == power:
            del left[opposite]
            parts += [_raised(builder.handle(a), power) for a in root.stmt.args]
            changed = True
            continue
        square = _square(builder, root.stmt) if power > 1 else None
        if power > 1 and square is None:
            return
        changed |= power > 1
        parts += [_raised(square, power // 2)] if square is not None else []
        parts += [builder.handle(root.stmt.result)] * (power % 2)
    yield from parts if changed else ()


def _raised(a: Any, n: int) -> Any:
    return a if n == 1 else a**n


def _are_opposite(one: Root, other: Root) -> bool:
    """Whether one is the greater and the other the smaller of the same two."""
    if other.stmt.op not in TABLE[one.stmt.op].opposites:
        return False
    return {*_operands(one)} == {*_operands(other)}


def _operands(root: Root) -> Key:
    found = root.key[1]
    assert isinstance(found, tuple)
    return found


def _square(builder: Builder, root: Apply) -> Any:
    """The square of a root in terms of its argument; None where the row has none."""
    rule = TABLE[root.op].square
    options = {k: v for k, v in root.settings.items() if k not in ("callee", "dtype")}
    with builder.called_as(root):
        args: list[Any] = [builder.handle(a) for a in root.args]
        if root.op == "pow":
            return args[0]
        return None if rule is None else rule(*args, **options)
