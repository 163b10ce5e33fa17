"""The two sweeps of an adjoint as programs of a written module, with a class for their tape.

    f_forward(x) -> y, FTape(x, u)
    f_reverse(tape, y_bar) -> x_bar

The tape is a named tuple: what is on it can be looked at, pickled, and kept for as long as it is
needed; a reverse sweep does not change it. (Griewank and Walther 2008, section 12.1, "split mode".)
"""

from __future__ import annotations

from keyword import iskeyword

from adjointgen.ad.modes.tangent import distinct
from adjointgen.api.programs.docstring_contract import structure_text
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
from adjointgen.ir.packing import TAPE
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE

_METHODS = ("count", "index", "nbytes")
"""What a tape has beside its fields."""


def written_sweeps(forward: Function) -> tuple[Function, Function]:
    """The programs of a forward sweep, of which the first function called is the reverse sweep."""
    reverse, *callees = forward.callees
    assert isinstance(forward.results, Node)
    own, tape = forward.results.children
    assert isinstance(tape, Node)
    (cls,) = distinct([_class_name(reverse.name)], bound_by(forward.imports))
    fields = _fields(forward, tape)
    tree = Node(TAPE, tape.children, fields, cls)
    before = structure_text(forward.results, iter(forward.names))
    results = replace(forward.results, children=(own, tree))
    count = len(forward.names) - forward.kept
    names = (*forward.names[:count], *fields[: forward.kept])
    shown = structure_text(own, iter(names))
    doc = forward.origin.doc.replace(f": {before}.", f": ({shown}, {cls}).", 1)
    doc = "\n".join(_lines_renamed(doc, forward.names[count:], fields))
    origin = replace(forward.origin, doc=doc)
    first = replace(forward, results=results, names=names, callees=tuple(callees), origin=origin)
    return first, _second(_named(reverse, fields), tuple(callees), cls)


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
    wishes += [_plain(slot.removesuffix("_tape")) for slot in slots]
    return distinct(wishes, _METHODS)


def _noun(value: Operand, maker: object) -> str:
    if isinstance(value, Value) and value.root:
        return _plain(value.root)
    if isinstance(maker, Apply):
        return _plain(TABLE[maker.op].noun or maker.op)
    return "part"


def _plain(name: str) -> str:
    """A name that a field may have."""
    stem = name.strip("_") or "part"
    return f"{stem}_" if iskeyword(stem) else stem


def _lines_renamed(doc: str, old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    """The lines of a docstring, where what is recorded has other names."""
    by = dict(zip(old, new, strict=False))
    lines = []
    for line in doc.split("\n"):
        name, colon, rest = line.partition(": ")
        if colon and name in by:
            for said in ("; returned anew", ", returned"):
                if rest.endswith(said):
                    line = f"{by[name]}: {rest.removesuffix(said)}{said[0]} recorded"
        lines.append(line)
    return lines


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


def _second(reverse: Function, callees: tuple[Function, ...], cls: str) -> Function:
    """A reverse sweep that returns a single adjoint as it is."""
    results: Tree = reverse.results
    if isinstance(results, Node) and results.make == "tuple" and len(results.children) == 1:
        results = results.children[0]
    title, _, rest = reverse.origin.doc.partition(".")
    shown = structure_text(results, iter(reverse.names))
    said = f"{title.partition(':')[0]}: {shown}, by the {cls} of its forward sweep.{rest}"
    first, *others = reverse.parameters
    return replace(
        reverse,
        results=results,
        parameters=(Parameter(first.name, type=cls), *others),
        callees=callees,
        origin=replace(reverse.origin, doc=said),
    )
