"""Arithmetic of integers and truth values for compilers, where theirs is not NumPy's.

    k = (a[0] > 1) + (a[1] > 1)                 k = (a[0] > 1) | (a[1] > 1)
    r = np.fmod(m, n)                   ->      r = np.where(m < 0, -(|m| % |n|), |m| % |n|)
    y = a << k                                  if not 0 <= k < 64: raise ValueError; y = a << k

The sum of two truth values is one in NumPy, and a number in Python and to Numba; `~` inverts one in
NumPy and to Numba, and is -1 or -2 in Python. An argument may be a number of either, and what is
compared of it a truth value of either: then the program is refused. Rows say what they are to
compilers (`Row.compiled`). This comes before anything is differentiated or recorded.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import partial

from adjointgen.errors import Unsupported
from adjointgen.ir.edit import rebuild, with_values
from adjointgen.ir.nodes import Apply, Block, Branch, Const, Function, Operand, Stmt, Value, walk
from adjointgen.ir.types import INTEGER
from adjointgen.optimize.rewrites.numpy_numbers import gives_numpy
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Handle, Names, const
from adjointgen.rules.framework.table import TABLE

_BITS = 64
_SHIFTED = 'raise ValueError("integers of 64 bits are shifted by 0 to 63")'


def as_in_numpy(function: Function) -> Function:
    """The function with integers and truth values that compilers compute as NumPy does.

    Raises Unsupported (AG140) where NumPy and Python differ, and the operands may be of either.
    """
    stmts = [s for s in walk(function.body) if isinstance(s, Apply)]
    if not any(_differs(s) for s in stmts):
        return function
    numpy: set[str] = set()
    for stmt in stmts:
        if gives_numpy(stmt, TABLE.get(stmt.op), numpy):
            numpy.update(r.name for r in stmt.results)
    same: dict[str, Value] = {}
    body = _changed(Builder(Names.of(function)), numpy, same, function.body)
    return replace(function, body=with_values(body, lambda v: same.get(v.name, v)))


def _differs(stmt: Apply) -> bool:
    row = TABLE.get(stmt.op)
    if row.compiled is None and row.shifts is None:
        return False
    return all(a.type.dtype in INTEGER for a in stmt.args)


def _changed(
    builder: Builder, numpy: AbstractSet[str], same: dict[str, Value], block: Block
) -> Block:
    inner = partial(_changed, builder, numpy, same)
    with builder.block() as made:
        for stmt in block.stmts:
            builder.span = stmt.span
            if not isinstance(stmt, Apply):
                builder.add(rebuild(stmt, lambda operand: operand, inner))
            elif not _differs(stmt):
                builder.add(stmt)
            else:
                same |= _as_compiled(builder, stmt, numpy)
    return replace(block, stmts=tuple(made))


def _as_compiled(builder: Builder, stmt: Apply, numpy: AbstractSet[str]) -> dict[str, Value]:
    """Append what a statement is to compilers; the value that stands for its result, if another."""
    row = TABLE.get(stmt.op)
    if row.shifts is not None:
        _ask(builder, stmt.args[row.shifts])
    elif row.compiled is not None and not _is_of_math(stmt):
        certain = any(a.type.is_array or getattr(a, "name", "") in numpy for a in stmt.args)
        found = row.compiled(certain, *(Handle(builder, a) for a in stmt.args))
        if found is None:
            raise _either(stmt)
        if found is not NotImplemented:
            return {stmt.result.name: found.operand}
    builder.add(stmt)
    return {}


def _is_of_math(stmt: Apply) -> bool:
    """Whether it is a function of floats, which integers are made to."""
    return str(stmt.option("spelling", "")).startswith("math.")


def _ask(builder: Builder, count: Operand) -> None:
    """Append a test that raises where a count of bits is more than integers have, or negative."""
    if isinstance(count, Const) and count.value in range(_BITS):
        return
    low, high = builder.apply("lt", count, const(0)), builder.apply("ge", count, const(_BITS))
    test = builder.apply("bit_or", low, high)
    if not test.type.is_scalar:
        test = builder.apply("any", test)
    fails: tuple[Stmt, ...] = (Apply((), "statement", (), (("code", _SHIFTED),), builder.span),)
    empty = Block((), (), ())
    builder.add(Branch((), test, replace(empty, stmts=fails), empty, span=builder.span))


def _either(stmt: Apply) -> Unsupported:
    return Unsupported(
        "a compiled program cannot tell truth values of NumPy from those of Python",
        code="AG140",
        span=stmt.span,
        help="write `a or b`, `not a`, or `int(a) + int(b)`",
    )
