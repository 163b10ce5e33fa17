"""Dead initialisation: zeros that a loop nest overwrites, each before it is read, are not written.

    y_bar = np.zeros((n, 2))                    y_bar = np.empty((n, 2))
    for i in range(n):                          for i in range(n):
        y_bar[i, 0] += a[i]              ->         y_bar[i, 0] = a[i]
        y_bar[i, 1] = b[i]                          y_bar[i, 1] = b[i]
        y_bar[i, 0] += c[i]                         y_bar[i, 0] += c[i]

The array is read by nothing but the nest, and every index in it is a number or the index of a loop
over all of that axis, the same in all places along the loops that they share. So no two iterations
meet, and the numbers tell the places of one iteration apart. What a derivative adds first to a
place is stored there, and what is read before is a zero; where the user's own program adds first,
the zeros stay.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product

from adjointgen.analysis.values.symbolic_lengths import Measures
from adjointgen.costs import PLACES_APART
from adjointgen.ir.affine import Affine
from adjointgen.ir.edit import flags_of, reads_by, rebuild, substitute_in
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    reads_of,
    walk,
)
from adjointgen.records import dataclass, replace
from adjointgen.rules.arrays.indexing import Slot, parse_index
from adjointgen.rules.framework.builder import const


def covered(function: Function, primal: frozenset[str]) -> Function:
    """The function with such zeros left unwritten."""
    found = list(_Covering(function, primal, guess=False).found())
    if not found:
        return function
    arrays = {one.zeros.result.name for one in found}
    firsts = {first.stmt.result.name for one in found for first in one.firsts}
    known: dict[str, Operand] = {r.name: const(0.0, r.type) for one in found for r in one.loads}

    def inner(block: Block) -> Block:
        return replace(block, stmts=tuple(map(statement, block.stmts)))

    def statement(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, Apply):
            return rebuild(stmt, lambda operand: operand, inner)
        if stmt.op == "zeros" and stmt.result.name in arrays:
            return replace(stmt, op="empty")
        adds = stmt.op == "accumulate" and stmt.result.name in firsts
        return replace(stmt, op="store") if adds else stmt

    return replace(function, body=substitute_in(inner(function.body), known))


def coverable(function: Function) -> int:
    """How many axes of zeros have a length that is to be known for the zeros to be covered."""
    work = _Covering(function, frozenset(), guess=True)
    return sum(len(work.guessed[one.zeros.result.name]) for one in work.found())


@dataclass(frozen=True, slots=True)
class _Access:
    """A statement that touches one place of each iteration: for each axis a number or a loop."""

    stmt: Apply
    axes: tuple[int | Loop, ...]
    stack: tuple[Loop, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(a for a in self.axes if isinstance(a, int))


@dataclass(frozen=True, slots=True)
class _Covered:
    """Zeros, what is written first to each of their places, and what is read before: zeros."""

    zeros: Apply
    firsts: tuple[_Access, ...]
    loads: tuple[Value, ...]


class _Covering:
    """`guess` takes lengths for equal that are not known to differ."""

    def __init__(self, function: Function, primal: frozenset[str], guess: bool) -> None:
        self.function = function
        self.primal = primal
        self.guess = guess
        self.guessed: defaultdict[str, set[int]] = defaultdict(set)
        self.measures = Measures()
        self.uses = Counter(v.name for v in reads_of(function.body))

    def found(self) -> Iterator[_Covered]:
        zeros: dict[str, Apply] = {}
        for stmt in walk(self.function.body):
            if isinstance(stmt, Apply):
                self.measures.note(stmt)
                if stmt.op == "zeros" and self.uses[stmt.result.name] == 1:
                    zeros[stmt.result.name] = stmt
            elif isinstance(stmt, Loop):
                for param, init in zip(stmt.body.params, stmt.inits, strict=True):
                    made = zeros.get(init.name) if isinstance(init, Value) else None
                    found = None if made is None else self.covered(made, stmt, param)
                    if found is not None:
                        yield found

    def covered(self, zeros: Apply, loop: Loop, param: Value) -> _Covered | None:
        """What is first at each place, if all places have one."""
        accesses: list[_Access] = []
        if self.collect(zeros, loop, param, (), accesses) is None or not accesses:
            return None
        writes = [a for a in accesses if a.stmt.op != "load"]
        firsts = {a.numbers: a for a in reversed(writes)}
        for access in accesses:
            first = firsts.get(access.numbers)
            if first is None or not _agree(first, access):
                return None
        whole = bool(writes) and self.is_whole(zeros, writes[0], firsts)
        if not whole or not all(map(self.is_first, firsts.values())):
            return None
        begun: set[tuple[int, ...]] = set()
        loads = []
        for access in accesses:
            if access.stmt.op != "load":
                begun.add(access.numbers)
            elif access.numbers not in begun:
                loads.append(access.stmt.result)
        if any(load.type.dtype != "float64" for load in loads):
            return None
        return _Covered(zeros, tuple(firsts.values()), tuple(loads))

    def collect(
        self,
        zeros: Apply,
        loop: Loop,
        param: Value,
        above: tuple[Loop, ...],
        accesses: list[_Access],
    ) -> Value | None:
        """The accesses in a loop, in order, and what it ends with; None where one is another."""
        stack = (*above, loop)
        now, known = param, {param.name}
        for stmt in loop.body.stmts:
            read = {v.name for v in reads_by(stmt)} & known
            if not read:
                continue
            made: Value | None = None
            if isinstance(stmt, Apply) and read == {now.name}:
                made = self.access(zeros, stmt, now, stack, accesses)
            elif isinstance(stmt, Loop) and stmt.inits.count(now) == 1 and read == {now.name}:
                k = stmt.inits.index(now)
                inner = self.collect(zeros, stmt, stmt.body.params[k], stack, accesses)
                made = None if inner is None else stmt.results[k]
            if made is None:
                return None
            now = made
            known.add(now.name)
        k = loop.body.params.index(param)
        ends = [y for y in loop.body.yields if isinstance(y, Value) and y.name in known]
        return now if not flags_of(loop) and ends == [now] == [loop.body.yields[k]] else None

    def access(
        self, zeros: Apply, stmt: Apply, now: Value, stack: tuple[Loop, ...], found: list[_Access]
    ) -> Value | None:
        """The array after a statement that touches one place of it."""
        first = 2 if stmt.op in STORES else 1
        if stmt.op not in (*STORES, "load") or stmt.args[0] != now or now in stmt.args[1:]:
            return None
        items = parse_index(str(stmt.option("index")))
        if len(items) != len(zeros.args):
            return None
        axes: list[int | Loop] = []
        for axis, item in enumerate(items):
            place: object = stmt.args[first + item.number] if isinstance(item, Slot) else item
            place = place.value if isinstance(place, Const) else place
            loop = next((one for one in stack if one.index == place), None)
            if loop is not None and self.is_all(loop, zeros, axis):
                axes.append(loop)
            elif isinstance(place, int) and place >= 0:
                axes.append(place)
            else:
                return None
        found.append(_Access(stmt, tuple(axes), stack))
        return now if stmt.op == "load" else stmt.result

    def is_first(self, access: _Access) -> bool:
        """Whether a statement gives each of its places a value, and once."""
        stmt = access.stmt
        adds = stmt.op == "accumulate" and (self.guess or stmt.result.name not in self.primal)
        loops = [a for a in access.axes if isinstance(a, Loop)]
        return (stmt.op == "store" or adds) and Counter(map(id, loops)) == Counter(
            map(id, access.stack)
        )

    def is_all(self, loop: Loop, zeros: Apply, axis: int) -> bool:
        """Whether a loop runs over all of an axis."""
        start, stop, step = loop.bounds
        if start != Const(0, start.type) or step != Const(1, step.type):
            return False
        a, b = self.length(stop), self.length(zeros.args[axis])
        if a is None or b is None or a == b:
            return a is not None and a == b
        if self.guess and _may_be(a, b):
            self.guessed[zeros.result.name].add(axis)
            return True
        return False

    def length(self, operand: Operand) -> Affine | None:
        """A length in affine form; `max(0, n)` is n, as for a loop."""
        made = self.measures.makers.get(operand.name) if isinstance(operand, Value) else None
        if made is not None and made.op == "max":
            rest = [a for a in made.args if not (isinstance(a, Const) and a.value == 0)]
            operand = rest[0] if len(rest) == 1 else operand
        return self.measures.form(operand)

    def is_whole(
        self, zeros: Apply, access: _Access, firsts: dict[tuple[int, ...], _Access]
    ) -> bool:
        """Whether the numbers are all that their axes have."""
        fixed = [k for k, a in enumerate(access.axes) if isinstance(a, int)]
        if any(len(numbers) != len(fixed) for numbers in firsts):
            return False
        lengths = []
        for place, k in enumerate(fixed):
            dim = zeros.args[k]
            most = 1 + max(numbers[place] for numbers in firsts)
            if self.guess and not isinstance(dim, Const):
                self.guessed[zeros.result.name].add(k)
                lengths.append(most)
            else:
                lengths.append(getattr(dim, "value", -1))
        count = 1
        for length in lengths:
            count *= length
        return count == len(firsts) <= PLACES_APART and all(
            numbers in firsts for numbers in product(*map(range, lengths))
        )


def _agree(first: _Access, later: _Access) -> bool:
    """Whether a later statement meets only places that the first one has been at."""
    shared = [a for a, b in zip(first.stack, later.stack, strict=False) if a is b]
    ids = set(map(id, shared))
    return all(later.axes[k] is a for k, a in enumerate(first.axes) if id(a) in ids)


def _may_be(a: Affine, b: Affine) -> bool:
    """Whether lengths may be equal: of two arguments, or of one and a number."""
    plain = all(not f.terms or (not f.constant and _is_name(f)) for f in (a, b))
    return plain and bool(a.terms or b.terms)


def _is_name(form: Affine) -> bool:
    return len(form.terms) == 1 and form.terms[0][1] == 1
