"""One tape where two would hold the same numbers, one iteration apart.

    for _ in range(n):                        for _ in range(n):
        tape.append(y)                            tape.append(y)
        y = f(y)                                  y = f(y)
        tape_2.append(y)              ->          ...
        ...                                   for _ in range(n):
    for _ in range(n):                            ...                     y is f(y) here
        y = tape_2.pop()                          y = tape.pop()
        ...
        y = tape.pop()

What an iteration leaves is what the next one begins with, which the reverse sweep has had already:
it is handed on, and begins as what the loop left in the end. (Griewank and Walther 2008, section
4.2.)
"""

from __future__ import annotations

from adjointgen.ir.edit import flags_of, substitute_in
from adjointgen.ir.nodes import Block, Loop, Record, Replay, Value, While
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names


def handed_on(forward: Loop | While, reverse: Loop, names: Names) -> tuple[Loop | While, Loop]:
    """Both loops, without the tapes of numbers that another tape has for the next iteration."""
    for k, param in enumerate(forward.body.params):
        end = forward.body.yields[flags_of(forward) + k]
        if not isinstance(end, Value) or end == param or not param.type.is_scalar:
            continue
        first, again = _slot(forward.body, param), _slot(forward.body, end)
        if not first or not again:
            continue
        before, after = _replayed(reverse.body, first), _replayed(reverse.body, again)
        if before is None or after is None:
            continue
        forward = replace(forward, body=_without(forward.body, again))
        reverse = _carrying(reverse, again, after, before, forward.results[k], names)
    return forward, reverse


def _slot(block: Block, value: Value) -> str:
    """The tape that a block records a value on."""
    found = (s.slot for s in block.stmts if isinstance(s, Record) and s.value == value)
    return next(found, "")


def _replayed(block: Block, slot: str) -> Value | None:
    found = (s.result for s in block.stmts if isinstance(s, Replay) and s.slot == slot)
    return next(found, None)


def _without(block: Block, slot: str) -> Block:
    kept = (s for s in block.stmts if not (isinstance(s, Record | Replay) and s.slot == slot))
    return replace(block, stmts=tuple(kept))


def _carrying(
    reverse: Loop, slot: str, after: Value, before: Value, last: Value, names: Names
) -> Loop:
    """The reverse loop with a value carried that was replayed."""
    param = replace(after, name=names.fresh(after.root or after.name))
    result = replace(after, name=names.fresh(after.root or after.name))
    body = substitute_in(_without(reverse.body, slot), {after.name: param})
    body = replace(body, params=(*body.params, param), yields=(*body.yields, before))
    return replace(
        reverse,
        body=body,
        inits=(*reverse.inits, last),
        results=(*reverse.results, result),
    )
