"""How the structural operations are written: parts of arrays, shapes, copies, casts, choices.

What they have in common is that Python has a form of its own for them, which depends on the types:
`a.copy()` or `list(a)`, `np.where(c, a, b)` or `a if c else b`, `len(x)` or `x.shape[1]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from adjointgen.emit.decide.row_spelling import Modules, call_row, keywords, numpy_call, spelling
from adjointgen.emit.syntax.expression_trees import (
    attribute,
    call,
    conditional,
    list_,
    literal,
    name,
    slice_,
    subscript,
    tuple_,
)
from adjointgen.emit.syntax.precedence import Level
from adjointgen.emit.syntax.tree import Code, Expression, Name, Subscript
from adjointgen.emit.usercode.verbatim import index
from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.rules.framework.table import TABLE

_BUILTINS: Final = {
    "float64": "float",
    "int64": "int",
    "bool": "bool",
    "complex128": "complex",
}


class Prints(Protocol):
    """What is needed of the printer of operands."""

    modules: Modules

    def operand(self, operand: Operand) -> Expression: ...
    def whole(self, operand: Operand) -> Expression: ...
    def operation(self, operand: Operand) -> Apply | None: ...


def load(printer: Prints, stmt: Apply) -> Expression:
    return place(printer, stmt, stmt.args[0], stmt.args[1:])


def place(printer: Prints, stmt: Apply, a: Operand, indices: Sequence[Operand]) -> Subscript:
    """`a[index]`, to be read or written."""
    pattern = str(stmt.option("index", "_"))
    return index(printer.whole(a), pattern, [printer.operand(i) for i in indices])


def dim(printer: Prints, stmt: Apply) -> Expression:
    """`len(x)` for the only axis, where the user says so, and of what may be a number, which Python
    says has no length; else `x.shape[k]`."""
    (a,) = stmt.args
    axis = stmt.option("axis", 0)
    assert isinstance(axis, int)
    single = a.type.rank in (1, None) or a.type.kind == "list"
    if axis == 0 and (single or stmt.option("spelling") == "len"):
        return call(name("len"), [printer.operand(a)])
    return subscript(_shape_attribute(printer, a), [literal(axis)])


def _shape_attribute(printer: Prints, a: Operand) -> Expression:
    """`a.shape`; a list has a length, and no other attribute of an array."""
    text = printer.operand(a)
    if a.type.kind == "list":
        return numpy_call(printer.modules, "shape", text)
    return attribute(text, "shape")


def _keeps_order(stmt: Apply) -> bool:
    """Whether the copy lies in memory as the array does, where there is more than one order."""
    return stmt.option("spelling") == "numpy.array" and stmt.args[0].type.rank not in (0, 1)


def copy(printer: Prints, stmt: Apply) -> Expression:
    (a,) = stmt.args
    text = printer.operand(a)
    match a.type.kind:
        case "array" if stmt.option("spelling") == "numpy.copy" or _keeps_order(stmt):
            return numpy_call(printer.modules, "copy", text)
        case "array":
            return call(attribute(text, "copy"))
        case "list" if stmt.option("spelling") == "copy.deepcopy":
            if a.type.rank == 2 and isinstance(text, Name):
                return Code(f"[row.copy() for row in {text.name}]", Level.ATOM)
            return call(printer.modules.callee("copy.deepcopy"), [text])
        case "list":
            return call(name("list"), [text])
        case "scalar":
            return text
        case "object":
            return call(printer.modules.callee("copy.copy"), [text])


def select(printer: Prints, stmt: Apply) -> Expression:
    test, a, b = stmt.args
    texts = [printer.operand(operand) for operand in stmt.args]
    if all(operand.type.kind in ("scalar", "object") for operand in (test, a, b)):
        for k, operand in enumerate((a, b), 1):
            # A choice between a number and a test is a number: bools have no sign.
            if operand.type.dtype == "bool" and stmt.results[0].type.dtype == "float64":
                texts[k] = call(name("float"), [texts[k]])
        return conditional(*texts)
    return numpy_call(printer.modules, "where", *texts)


def cast(printer: Prints, stmt: Apply) -> Expression:
    (a,) = stmt.args
    text = printer.operand(a)
    dtype = stmt.results[0].type.dtype
    if a.type.kind not in ("array", "list"):
        plain = dtype in _BUILTINS and not stmt.option("spelling")
        return call(name(_BUILTINS[dtype]) if plain else printer.modules.dtype(dtype), [text])
    return call(attribute(_array(printer, a), "astype"), [printer.modules.dtype(dtype)])


def shape(printer: Prints, operands: Sequence[Operand]) -> Expression:
    """A shape: `x.shape` if the operands are the lengths of all axes of `x`, else a tuple."""
    source = _shape_source(printer, operands)
    if source is not None:
        return _shape_attribute(printer, source)
    if len(operands) == 1:
        return printer.operand(operands[0])
    return tuple_([printer.operand(o) for o in operands])


def _shape_source(printer: Prints, operands: Sequence[Operand]) -> Value | None:
    """The array of rank two or more whose lengths the operands are, in order."""
    if len(operands) < 2:
        return None
    source: Value | None = None
    for axis, operand in enumerate(operands):
        stmt = printer.operation(operand)
        if stmt is None or stmt.op != "dim" or stmt.option("axis", 0) != axis:
            return None
        (a,) = stmt.args
        known = isinstance(a, Value) and a.type.rank == len(operands)
        if not known or (source is not None and source != a) or printer.operation(a):
            return None
        assert isinstance(a, Value)
        source = a
    return source


def constructor(printer: Prints, stmt: Apply) -> Expression:
    """`np.zeros(n)`, `np.zeros((n, m))`, `np.full(x.shape, v)`."""
    count = len(stmt.args) - (stmt.op == "full")
    own, rest = stmt.args[:count], stmt.args[count:]
    row = TABLE[stmt.op]
    texts = [shape(printer, own), *(printer.operand(r) for r in rest)]
    named = keywords(row, stmt, printer.modules)
    return call(printer.modules.callee(spelling(row, stmt)), texts, named)


def zeros_like(printer: Prints, stmt: Apply) -> Expression:
    """`np.zeros_like(a)`; of a list `np.zeros(len(a))`, since its numbers may all be integers."""
    (a,), modules = stmt.args, printer.modules
    if a.type.kind != "list" or a.type.rank != 1:
        operands = [printer.operand(a)]
        return call_row(TABLE[stmt.op], stmt, operands, modules)
    dtype = stmt.results[0].type.dtype
    named = {} if dtype == "float64" else {"dtype": modules.dtype(dtype)}
    return call(modules.callee("numpy.zeros"), [call(name("len"), [printer.operand(a)])], named)


def reshape(printer: Prints, stmt: Apply) -> Expression:
    a, *lengths = stmt.args
    if not lengths or _shape_source(printer, lengths) is not None:
        texts = [shape(printer, lengths)]
    else:
        texts = [printer.operand(o) for o in lengths]
    named = keywords(TABLE["reshape"], stmt, printer.modules)
    return call(attribute(_array(printer, a), "reshape"), texts, named)


def _array(printer: Prints, a: Operand) -> Expression:
    """An operand that a method of arrays is asked of: lists and numbers have none."""
    text = printer.whole(a)
    bare = a.type.kind in ("list", "object") or a.type.is_scalar or isinstance(a, Const)
    return numpy_call(printer.modules, "asarray", text) if bare else text


def transpose(printer: Prints, stmt: Apply) -> Expression:
    """`a.T`, or `a.transpose(axes)`."""
    axes = stmt.option("axes")
    if axes is None and stmt.args[0].type.kind == "object":
        return numpy_call(printer.modules, "transpose", printer.whole(stmt.args[0]))
    text = _array(printer, stmt.args[0])
    if axes is None:
        return attribute(text, "T")
    items = [literal(k) for k in axes] if isinstance(axes, tuple) else [literal(None)]
    return call(attribute(text, "transpose"), items)


def aligned(printer: Prints, stmt: Apply) -> Expression:
    """The operand of `expand` with the axes that a reduction removed, so that it broadcasts.

    Leading axes need not be there: `y[:, None]` for the last, nothing for the first.
    """
    y, like = stmt.args
    text, axis, rank = printer.operand(y), stmt.option("axis"), like.type.rank
    if axis is None or stmt.option("keepdims", False):
        return text
    axes = axis if isinstance(axis, tuple) else (axis,)
    if rank is None:
        return numpy_call(printer.modules, "expand_dims", text, literal(axis))  # type: ignore[arg-type]
    new = {k % rank for k in axes}
    first = next((k for k in range(rank) if k not in new), rank)
    items = [None if k in new else slice_() for k in range(first, rank)]
    return subscript(text, items) if None in items else text


def spread(printer: Prints, stmt: Apply) -> Expression:
    """The transpose of a reduction: its operand over the shape of `like`, to be read only."""
    return numpy_call(
        printer.modules, "broadcast_to", aligned(printer, stmt), _shape_of(printer, stmt.args[1])
    )


def fresh(printer: Prints, stmt: Apply) -> Expression:
    """The same as an array of its own."""
    y, like = stmt.args
    if stmt.results[0].type.is_scalar:
        return printer.operand(y)
    if not y.type.is_scalar:
        return call(attribute(spread(printer, stmt), "copy"))
    if like.type.is_array and like.type.dtype == stmt.results[0].type.dtype:
        return numpy_call(printer.modules, "full_like", printer.operand(like), printer.operand(y))
    shape = _shape_of(printer, like)
    return numpy_call(printer.modules, "full", shape, printer.operand(y))


def _shape_of(printer: Prints, like: Operand) -> Expression:
    if like.type.kind == "list" and like.type.rank == 1:
        return call(name("len"), [printer.operand(like)])
    # What has no known rank may be a number, which has no attributes.
    if like.type.rank is None:
        return numpy_call(printer.modules, "shape", printer.operand(like))
    return _shape_attribute(printer, like)


def helper(printer: Prints, stmt: Apply) -> Expression:
    """A call of a function that the module carries with it."""
    printer.modules.used.add(f"adjointgen.runtime.{stmt.op}")
    return call(name(f"_{stmt.op}"), [printer.operand(a) for a in stmt.args])


def display(printer: Prints, stmt: Apply) -> Expression:
    """`[a, b]`."""
    return list_([printer.whole(a) for a in stmt.args])


STRUCTURAL: Final[dict[str, Callable[[Prints, Apply], Expression]]] = {
    "load": load,
    "list_of": display,
    "dim": dim,
    "copy": copy,
    "select": select,
    "cast": cast,
    "zeros": constructor,
    "zeros_like": zeros_like,
    "ones": constructor,
    "empty": constructor,
    "full": constructor,
    "reshape": reshape,
    "transpose": transpose,
    "expand": spread,
}
