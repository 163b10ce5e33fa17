"""Arrays without axes that a program takes for numbers.

    t = [np.asarray(v) for v in x];  b = t[0];  b += 1.0        changes t[0], too
    a = np.where(s > 0.0, s, -s);    b = a;     b += 1.0        changes a, too

A list whose entries are not known one by one holds numbers, as far as a program knows, and so does
a name for the result of a function of numbers. NumPy has arrays without axes there, which in-place
operations change. So they are refused where something else may hold such an array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from adjointgen.frontend.domain.abstract_values import Abstract, Seq, Struct
from adjointgen.frontend.domain.maybe_scalar import meetings
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.program_state import State
from adjointgen.ir.nodes import Apply, Block, Call, Operand, Value, results_of, walk
from adjointgen.rules.framework.table import TABLE

ZERO_DIM: Final = frozenset(
    {
        *("numpy.where", "numpy.select", "numpy.transpose", "numpy.empty_like"),
        *("scipy.special.diric", "scipy.special.polygamma"),
    }
)
"""Functions that give arrays without axes for numbers."""


def note_entry(ctx: Context, entry: Operand) -> None:
    """Something goes into a list of numbers."""
    made = isinstance(entry, Value) and entry.name in ctx.zero_dim.names
    if made or (entry.type.kind == "array" and entry.type.rank == 0):
        ctx.outlines.zero_dim_entries = True


def note_zero_dim(ctx: Context, made: Abstract) -> None:
    """What a function has made of numbers is an array without axes."""
    if isinstance(made, Value) and made.type.is_scalar:
        ctx.zero_dim.names[made.name] = True


def note_update(ctx: Context, number: object) -> None:
    """A number is bound anew, where an array without axes would be changed."""
    if not isinstance(number, Value) or not number.type.is_scalar or ctx.node is None:
        return
    ctx.zero_dim.rebound[number.name] = ctx.node
    if number.name in ctx.zero_dim.names and is_shared(ctx.state, number):
        _refuse(ctx, ctx.node)


def note_shared(ctx: Context, entry: State, values: Iterable[Abstract]) -> None:
    """Values that a loop hands on under one name, and that have another."""
    for value in values:
        if (
            isinstance(value, Value)
            and value.name in ctx.zero_dim.names
            and is_shared(entry, value)
        ):
            ctx.zero_dim.shared.add(value.name)


def is_shared(state: State, value: Value) -> bool:
    """Whether a value has two names, or is in a list or an object."""
    named = sum(_holds(held, value) for held in state.names.values())
    return named > 1 or any(_holds(held, value, inside=True) for held in state.cells.values())


def _holds(held: Abstract, value: Value, inside: bool = False) -> bool:
    if isinstance(held, Seq | Struct):
        return any(_holds(item, value) for item in held.items)
    return not inside and held == value


def check_entries(ctx: Context, params: Sequence[Value]) -> None:
    """Refuse a function that may change an array without axes which something else holds.

    `params` are the numbers that it is given by others.
    """
    own, known = ctx.zero_dim, ctx.outlines
    block = Block((), tuple(ctx.blocks[0]), ())
    if not (own.rebound or own.names or known.changing_numbers):
        return
    edges = [(s.name, v.name) for stmt in walk(block) for v, s in meetings(stmt)]
    given = _reached({v.name for v in params if v.type.is_scalar}, edges)
    handed = _reached(set(own.shared), edges) - own.names.keys()
    entries = _reached(_entries(block), edges) | given

    def changed(names: set[str]) -> list[ast.AST]:
        return [node for name, node in own.rebound.items() if name in names]

    known.changing_numbers.extend(changed(given))
    known.changing_entries.extend(changed(entries))
    known.zero_dim_arguments |= _is_given(block, _reached(set(own.names), edges))
    found = changed(handed)
    found += known.changing_entries if known.zero_dim_entries else []
    found += known.changing_numbers if known.zero_dim_arguments else []
    if found:
        _refuse(ctx, found[0])


def _is_given(block: Block, names: set[str]) -> bool:
    """Whether a function that the program calls is given one of these."""
    calls = (stmt for stmt in walk(block) if isinstance(stmt, Call))
    return any(isinstance(arg, Value) and arg.name in names for one in calls for arg in one.args)


def _refuse(ctx: Context, node: ast.AST) -> None:
    what = "this may change an array without axes that something else holds"
    help = "take float(...) of it, or bind a new number: b = b + ..."
    ctx.refuse("AG112", what, help, node=node)


def _reached(names: set[str], edges: Sequence[tuple[str, str]]) -> set[str]:
    """The names of all values that loops and branches make of these."""
    while more := {v for s, v in edges if s in names} - names:
        names |= more
    return names


def _moves(stmt: Apply) -> bool:
    """Whether an operation takes something out of its first operand."""
    return bool(stmt.args) and TABLE[stmt.op].kind == "structural"


def _entries(block: Block) -> set[str]:
    """The numbers that are taken out of lists, or that other functions give."""
    found: set[str] = set()
    for stmt in walk(block):
        taken = isinstance(stmt, Apply) and _moves(stmt)
        if isinstance(stmt, Call):
            found |= {v.name for v in results_of(stmt)}
        elif isinstance(stmt, Apply) and taken and stmt.args[0].type.kind in ("list", "object"):
            found |= {v.name for v in stmt.results}
    return found
