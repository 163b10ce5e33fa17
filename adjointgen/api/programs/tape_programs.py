"""The two sweeps of an adjoint as programs of a written module, with a class for their tape.

    f_forward(x) -> y, FTape(x, u)
    f_reverse(tape, y_bar) -> x_bar

The tape is a named tuple: what is on it can be looked at, pickled, and kept for as long as it is
needed; a reverse sweep does not change it. (Griewank and Walther 2008, section 12.1, "split mode".)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from keyword import iskeyword

from adjointgen.ad.modes.tangent import distinct
from adjointgen.analysis.values.temporary_names import is_temporary
from adjointgen.api.programs.docstring_contract import (
    has_name,
    structure_name,
    structure_text,
)
from adjointgen.emit.decide.name_assignment import without_numbers
from adjointgen.emit.write.imports import bound_by
from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import (
    Apply,
    Function,
    Node,
    Operand,
    Parameter,
    Slot,
    Tree,
    Value,
    results_of,
    walk,
)
from adjointgen.ir.packing import TAPE, count
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE

_METHODS = ("count", "index", "nbytes")
"""What a tape has beside its fields."""


def with_tape_class(primal: Function, forward: Function, names: Sequence[str]) -> Function:
    """A forward sweep whose tape is of a class, which its reverse sweep reads.

    That returns adjoints by what is `names`.
    """
    reverse, *callees = forward.callees
    assert isinstance(forward.results, Node)
    own, tape = forward.results.children
    assert isinstance(tape, Node)
    (cls,) = distinct([_class_name(reverse.name)], bound_by(forward.imports))
    fields = _fields(forward, tape)
    tree = Node(TAPE, tape.children, fields, cls)
    count = len(forward.names) - forward.kept
    return replace(
        forward,
        results=replace(forward.results, children=(own, tree)),
        names=(*forward.names[:count], *fields[: forward.kept]),
        callees=(_second(primal, _named(reverse, fields), cls, names), *callees),
    )


def both_sweeps(forward: Function) -> tuple[Function, Function]:
    """A forward sweep, and the reverse sweep that it has, as programs."""
    reverse, *callees = forward.callees
    others = tuple(callees)
    return replace(forward, callees=others), replace(reverse, callees=others)


def tape_class(program: Function) -> str:
    """The class of the tape that a forward sweep returns; empty where there is none."""
    last = program.results.children[-1:] if isinstance(program.results, Node) else ()
    return next((t.class_ for t in last if isinstance(t, Node) and t.make == TAPE), "")


def _class_name(reverse: str) -> str:
    """`heat_flow_reverse` reads a `HeatFlowTape`."""
    words = reverse.removesuffix("_reverse").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words) + "Tape"


def _fields(forward: Function, tape: Node) -> tuple[str, ...]:
    """The names of what is recorded: variables, or what an operation is called."""
    made = {r.name: s for s in walk(forward.body) for r in results_of(s)}
    values = forward.body.yields[len(forward.body.yields) - forward.kept :]
    wishes = [_noun(value, made.get(getattr(value, "name", ""))) for value in values]
    slots = [child.name for child in tape.children if isinstance(child, Slot)]
    wishes += [_plain(slot.partition("_tape")[0]) for slot in slots]
    return distinct(wishes, _METHODS)


def _noun(value: Operand, maker: object) -> str:
    if isinstance(value, Value) and value.root:
        return _plain(value.root)
    if isinstance(maker, Apply):
        return _plain(TABLE[maker.op].noun or maker.op)
    if isinstance(value, Value) and not is_temporary(value.name):
        return _plain(without_numbers(value.name))
    return "part"


def _plain(name: str) -> str:
    """A name that a field may have."""
    stem = name.strip("_") or "part"
    return f"{stem}_" if iskeyword(stem) else stem


def _named(reverse: Function, fields: tuple[str, ...]) -> Function:
    """A reverse sweep that calls what it takes from the tape by the names of the fields."""
    body = reverse.body
    tape = body.params[:1]
    opening = next((s for s in body.stmts if isinstance(s, Apply) and s.args == tape), None)
    if opening is None:
        return reverse
    pairs = zip(opening.results, fields, strict=False)
    by = {v.name: replace(v, root=field) for v, field in pairs if not v.root}
    first = replace(opening, results=tuple(by.get(v.name, v) for v in opening.results))
    stmts = tuple(first if s is opening else s for s in body.stmts)
    return replace(reverse, body=substitute_in(replace(body, stmts=stmts), by))


def _second(primal: Function, reverse: Function, cls: str, names: Sequence[str]) -> Function:
    """A reverse sweep that reads such a tape, and returns a single adjoint as it is."""
    results: Tree = reverse.results
    shown = _shown(reverse, names)
    if isinstance(results, Node) and results.make == "tuple" and len(results.children) == 1:
        results = results.children[0]
    said = f"Adjoint of `{primal.name}`: {shown}, by the {cls} of its forward sweep."
    first, *others = reverse.parameters
    return replace(
        reverse,
        results=results,
        parameters=(Parameter(first.name, type=cls), *others),
        origin=replace(reverse.origin, doc=said),
    )


def _shown(reverse: Function, names: Sequence[str]) -> str:
    """What a reverse sweep returns: an adjoint that is a structure by its name alone."""
    assert isinstance(reverse.results, Node)
    leaves, shown = iter(reverse.names), []
    for tree, own in zip(reverse.results.children, names, strict=True):
        inner = islice(leaves, count(tree))
        shown.append(structure_name(own) if has_name(tree) else structure_text(tree, inner))
        list(inner)
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"
