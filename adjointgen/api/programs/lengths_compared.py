"""A derivative compares the lengths that the function compares where it computes its value.

    f(x, w): np.dot(x, w)     f_grad(x, w) -> w     =>     if len(x) != len(w): raise ValueError

NumPy compares lengths where an operation runs, and a derivative leaves out what it does not read.
Compilers compare fewer lengths than NumPy: not that of a mask, nor one that may be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, takewhile

from adjointgen.analysis.values.required_lengths import Classes, Need, required
from adjointgen.analysis.values.symbolic_lengths import ONE, Length
from adjointgen.api.arguments.check_statement import check_statement
from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Apply, Function, Stmt, Value
from adjointgen.ir.packing import places
from adjointgen.ir.types import Dim
from adjointgen.optimize.scalar.dce import dead
from adjointgen.records import dataclass, replace


def lengths_compared(program: Function, needs: Sequence[Need], compiled: bool) -> Function:
    """A derivative that raises ValueError where lengths of arguments do not fit together.

    `needs` are those of the function that it is of. Comparisons stand where the program begins,
    after what it checks of its arguments already.
    """
    if compiled:
        program = replace(program, body=with_simple(program.body, _raised))
    if not needs:
        return program
    own = required(dead(program))
    known = Classes.of(n for n in own if not compiled or _compared_by_compilers(n))
    params = {p.root: p for p in program.body.params}
    stmts = program.body.stmts
    checks = [*takewhile(_is_check, stmts)]
    checks += _tests(needs, known, params, places(program))
    rest = dropwhile(_is_check, stmts)
    return replace(program, body=replace(program.body, stmts=(*checks, *rest)))


def _is_check(stmt: Stmt) -> bool:
    return isinstance(stmt, Apply) and bool(stmt.option("assumes"))


def _compared_by_compilers(need: Need) -> bool:
    """Whether loops and compilers compare lengths: not those of masks, nor those that may be 1."""
    return need.failure == "ValueError" and ONE not in (need.one, need.other)


def _raised(stmt: Stmt) -> Stmt:
    """A compiler does not compare what a statement in place writes to with what it writes."""
    if not (isinstance(stmt, Apply) and stmt.option("unfit")):
        return stmt
    code = "raise ValueError('the operand that is written to has not the shape of the result')"
    return Apply((), "statement", (), (("code", code),), stmt.span)


def _tests(
    needs: Sequence[Need], known: Classes, params: Mapping[str, Value], names: Mapping[str, str]
) -> Iterator[Apply]:
    for need in needs:
        ends = [end for length in (need.one, need.other) if (end := _end(length, params))]
        if len(ends) == 2 and known.join(need):
            ends.sort(key=lambda end: end.value is None)
            arguments = [end.value for end in ends if end.value is not None]
            one, other = (end.text.format(f"_{k}_") for k, end in enumerate(ends))
            said = " and ".join(end.said(names) for end in ends)
            test = f"{one} != {other}"
            yield check_statement(arguments, test, need.failure, f"{said} are not equal")


@dataclass(frozen=True, slots=True)
class _End:
    """One side of a comparison: an axis of an argument, or a number."""

    value: Value | None
    text: str

    def said(self, names: Mapping[str, str]) -> str:
        """The length as it is written for the argument of the user's function."""
        root = self.value.root if self.value else ""
        return self.text.format(names.get(root, root))


def _end(length: Length, params: Mapping[str, Value]) -> _End | None:
    if not isinstance(length, Dim):
        return None
    axis = length.whole_axis
    if axis is None:
        return None if length.known is None else _End(None, str(length.known))
    value = params.get(axis[0])
    if value is None or value.type.kind not in ("array", "list"):
        return None
    return _End(value, "len({})" if value.type.rank == 1 else f"{{}}.shape[{axis[1]}]")
