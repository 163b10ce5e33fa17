"""`values.index(v)`: the first entry of a list or tuple of numbers that is equal to another number.

    k = 0 if a == v else 1 if b == v else 2        after a ValueError, where none of them is

An entry that is the number itself is found without a comparison, as in Python. Instances are
compared as their classes say. `values.remove(v)` and `values.count(v)` are known where it is known
which entries are equal.
"""

from __future__ import annotations

from types import NoneType

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.control.branches import branch, test_of, truth
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.expressions.comparisons import any_of, is_entry
from adjointgen.frontend.expressions.instances import is_instance
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, read, write
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.rules.framework.builder import const


def index(call: Call) -> Abstract | None:
    """`values.index(v)`; None where these are no numbers that are known one by one."""
    ctx = call.ctx
    if (operands := _operands(call)) is None:
        return None
    (known, wanted), kind = operands, operands[0].kind
    if all(isinstance(item, Const) for item in (*known.items, wanted)):
        return _of_constants(call, [i.value for i in known.items if isinstance(i, Const)])
    if not _is_searched(ctx, known, wanted):
        return None
    tests = _tests(ctx, known, wanted)
    missing = f"{'[]' if kind == 'list' else '()'}.index(_0_)"
    if not tests:
        return fails_in(ctx, missing, read(ctx, wanted))
    if tests[-1][1] != const(True):
        there = any_of(ctx, [lambda t=test: t for _, test in tests])  # type: ignore[misc]
        otherwise = lambda: fails_in(ctx, missing, read(ctx, wanted))  # noqa: E731
        branch(ctx, test_of(ctx, there), lambda: None, otherwise, ctx.live, call.node)
    found: Operand = const(tests[-1][0])
    for place, test in reversed(tests[:-1]):
        found = ctx.apply("select", read(ctx, test), const(place), found)
    return found


def _operands(call: Call) -> tuple[Seq, Abstract] | None:
    """The list or tuple whose entries are known, and what is looked for in all of it."""
    known = content(call.ctx, call.args[0])
    if not isinstance(known, Seq) or known.kind not in ("list", "tuple"):
        return None
    return None if call.keywords or len(call.args) != 2 else (known, call.args[1])


def _of_constants(call: Call, values: list[object]) -> Abstract:
    """The place of a text or number among others that are known."""
    wanted = call.args[1]
    assert isinstance(wanted, Const)
    if wanted.value in values:
        return const(values.index(wanted.value))
    return fails_in(call.ctx, "[].index(_0_)", wanted)


def _tests(ctx: Context, known: Seq, wanted: Abstract) -> list[tuple[int, Abstract]]:
    """The places that may be the one, up to one that is it for certain."""
    tests: list[tuple[int, Abstract]] = []
    for place, item in enumerate(known.items):
        same = item == wanted and isinstance(item, Value)
        test = const(True) if same else is_entry(ctx, wanted, item)
        holds = truth(ctx, test)
        if holds is not False:
            tests.append((place, const(True) if holds else test))
        if holds:
            break
    return tests


def _is_searched(ctx: Context, known: Seq, wanted: Abstract) -> bool:
    """Whether entries are numbers, or some are instances, whose classes say what is equal."""
    parts = (*known.items, wanted)
    return all(map(_is_number, parts)) or any(is_instance(ctx, part) for part in parts)


def remove(call: Call) -> Abstract | None:
    """`values.remove(v)` of a list of which it is known where the entry is."""
    ctx, owner = call.ctx, call.args[0]
    operands = _operands(call)
    if operands is None or not isinstance(owner, Ref) or operands[0].kind != "list":
        return None
    known, wanted = operands
    constants = all(isinstance(item, Const) for item in (*known.items, wanted))
    if not constants and not _is_searched(ctx, known, wanted):
        return None
    tests = _tests(ctx, known, wanted)
    if not tests:
        return fails_in(ctx, "[].remove(0)")
    place, test = tests[0]
    if test != const(True):
        what = "which entry is removed is known only at run time"
        ctx.unlike("AG106", what, "build the list without it")
    write(ctx, owner, Seq((*known.items[:place], *known.items[place + 1 :]), "list"))
    return const(None)


def count(call: Call) -> Abstract | None:
    """`values.count(v)` of a list or tuple of which it is known which entries are equal."""
    ctx, operands = call.ctx, _operands(call)
    if operands is None:
        return None
    known, wanted = operands
    if not any(is_instance(ctx, part) for part in (*known.items, wanted)):
        return None
    tests = [truth(ctx, is_entry(ctx, wanted, item)) for item in known.items]
    return None if None in tests else const(sum(map(bool, tests)))


def _is_number(value: Abstract) -> bool:
    numeric = isinstance(value, Value | Const) and value.type.is_scalar
    return numeric and not (isinstance(value, Const) and isinstance(value.value, str | NoneType))


SPECIAL: dict[str, Special] = {".index": index, ".remove": remove, ".count": count}
