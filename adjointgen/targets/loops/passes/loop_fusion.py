"""Loop fusion: loops that follow each other over the same range become one, from outside in.

    for i: a[i] = f(i)                    for i:
    for i: b[i] = g(a[i])        ->           a[i] = f(i)
                                              b[i] = g(a[i])

That is right where the second loop touches of what the first one writes the row of its own index
only, and the first leaves that row alone in later iterations: along one axis, all entries that are
read or written have the index of the loop, which is never negative, or the same number more, and
what the loops carry is that one array. So it is where the second changes what the first one reads.
(Kennedy and McKinley 1993, "Maximizing loop parallelism and improving data locality
via loop fusion and distribution".) What is stored and read again in one iteration is then read no
more, and arrays of which nothing is read are removed. A loop of the reverse sweep so joins that of
the forward sweep, where each iteration needs its own only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from adjointgen.costs import FUSION_WINDOW
from adjointgen.ir.edit import (
    name_of,
    rebuild,
    substitute,
    substitute_in,
    substitute_stmt,
)
from adjointgen.ir.nodes import (
    NESTED,
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    operands_of,
    reads_of,
    results_of,
    walk,
)
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Names
from adjointgen.rules.framework.table import TABLE
from adjointgen.targets.loops.build.nonnegative import begins, counting
from adjointgen.targets.loops.passes.fusion_cost import is_crowded
from adjointgen.targets.loops.passes.fusion_legality import Rows
from adjointgen.targets.loops.passes.loop_unrolling import unrolled


def fused(function: Function) -> Function:
    """The function with loops joined, at every depth."""
    made = (s for s in walk(function.body) if isinstance(s, Apply) and s.op in _SUMS)
    fresh = Names.of(function).fresh
    work = _Fusion({s.result.name: s for s in made}, counting(function), fresh)
    return replace(function, body=work.block(function.body))


_SUMS = frozenset({"add", "sub", "max", "min"})


@dataclass(frozen=True, slots=True)
class _Fusion:
    """`sums` are the operations by which lengths are computed, by their results.

    `counts` are the names of whole numbers that are not negative.
    """

    sums: Mapping[str, Apply]
    counts: frozenset[str]
    fresh: Callable[[str], str]

    def block(self, block: Block) -> Block:
        block = _without_loops_of_one(block)
        stmts: list[Stmt] = []
        for at, stmt in enumerate(block.stmts):
            stmts.append(stmt)
            rest = Block((), block.stmts[at + 1 :], block.yields)
            place: int | None = len(stmts) - 1
            while place is not None:
                place = self.joined(stmts, place, rest)
        made = (self.nested(s) if isinstance(s, NESTED) else s for s in stmts)
        return unrolled(replace(block, stmts=tuple(made)), self.fresh)

    def nested(self, stmt: Stmt) -> Stmt:
        return rebuild(stmt, lambda operand: operand, self.block)

    def joined(self, stmts: list[Stmt], at: int, rest: Block) -> int | None:
        """Join the loop at a place with one before it, which stands where that one did."""
        loop = stmts[at]
        if not isinstance(loop, Loop) or not computes(loop):
            return None
        own = _arrays(loop)
        found = [
            (len(own & _arrays(stmts[p])), p, needed) for p, needed in _loops_before(stmts, at)
        ]
        rest = Block((), (*stmts[at + 1 :], *rest.stmts), rest.yields)
        for common, place, needed in sorted(found, key=lambda f: f[:2], reverse=True):
            first = stmts[place]
            assert isinstance(first, Loop)
            if not common or not self.alike(first, loop) or not computes(first):
                continue
            left = [stmts[k] for k in range(place + 1, at) if k not in needed]
            if self.may_join(first, loop, left, rest) and not is_crowded(
                merged := _merge(first, loop)
            ):
                earlier = [stmts[k] for k in sorted(needed)]
                stmts[place : at + 1] = [*earlier, merged, *left]
                return place + len(earlier)
        return None

    def may_join(self, first: Loop, second: Loop, left: list[Stmt], rest: Block) -> bool:
        """Whether both loops as one, before what is `left` between them, mean the same."""
        shared = [r for r in first.results if _reads(second, r) or r in second.inits]
        if any(r.type.is_scalar or second.inits.count(r) > 1 for r in shared):
            return False
        # An array that the second loop changes further is not there any more as the first left it.
        taken = {r.name for r in first.results if r in second.inits}
        between = {v.name for v in reads_of(Block((), tuple(left), ()))}
        if taken & (between | {name_of(o) for o in reads_of(rest)}):
            return False
        own = {name_of(o) for o in second.inits if not o.type.is_scalar} - {""}
        if own & (between | {name_of(o) for o in first.inits}):
            return False
        apart = begins(first, self.counts) and begins(second, self.counts)
        rows = Rows(first, second)
        early = _read_early(first, second)
        return all(apart and rows.of_made(r) for r in shared) and all(
            apart and rows.of_changed(k) for k in early
        )

    def alike(self, first: Loop, second: Loop) -> bool:
        """Whether both loops have the same iterations in the same order."""
        if first.trips is not None or second.trips is not None or first.pair or second.pair:
            return False
        if first.backwards != second.backwards:
            return False
        pairs = zip(first.bounds, second.bounds, strict=True)
        return all(self.equal(a, b) for a, b in pairs)

    def equal(self, a: Operand, b: Operand) -> bool:
        """Whether two whole numbers are computed in the same way."""
        if a == b:
            return True
        one, other = (self.sums.get(name_of(o)) for o in (a, b))
        if one is None or other is None or one.op != other.op:
            return False
        return all(self.equal(x, y) for x, y in zip(one.args, other.args, strict=True))


def _without_loops_of_one(block: Block) -> Block:
    """The block with the statements of loops that have one iteration in their places."""
    by: dict[str, Operand] = {}
    stmts: list[Stmt] = []
    for stmt in block.stmts:
        stmt = substitute_stmt(stmt, by)
        match stmt:
            case Loop(bounds=(Const(value=0), Const(value=1), Const(value=1)), trips=None):
                given = dict(zip((p.name for p in stmt.body.params), stmt.inits, strict=True))
                given[stmt.index.name] = stmt.bounds[0]
                body = substitute_in(replace(stmt.body, params=()), given)
                body = _without_loops_of_one(body)
                stmts += body.stmts
                by |= zip((r.name for r in stmt.results), body.yields, strict=True)
            case _:
                stmts.append(stmt)
    return Block(block.params, tuple(stmts), tuple(substitute(y, by) for y in block.yields))


def _loops_before(stmts: Sequence[Stmt], at: int) -> Iterator[tuple[int, frozenset[int]]]:
    """The loops that a loop could join, the last first, with what then has to come earlier.

    Between are statements that it does not need, and operations that can be done before both.
    """
    wanted = {name_of(o) for o in operands_of(stmts[at])} | {
        v.name for v in reads_of(Block((), (stmts[at],), ()))
    }
    needed: set[int] = set()
    for place in range(at - 1, max(at - FUSION_WINDOW, -1), -1):
        stmt = stmts[place]
        made = {r.name for r in results_of(stmt)}
        if isinstance(stmt, Loop):
            if not any(made & _operands(stmts[k]) for k in needed):
                yield place, frozenset(needed)
            if made & wanted:
                return
        elif isinstance(stmt, Apply) and (stmt.op == "same" or made & wanted):
            if stmt.op not in _EARLIER:
                return
            needed.add(place)
            wanted |= _operands(stmt)
        elif made & wanted or not _may_pass(stmt):
            return


def _arrays(loop: Stmt) -> set[str]:
    """The arrays that a loop reads or makes: what loops share, one of them finds near at hand."""
    touched = (*reads_of(Block((), (loop,), ())), *results_of(loop))
    return {v.name for v in touched if not v.type.is_scalar}


def _operands(stmt: Stmt) -> set[str]:
    return {name_of(o) for o in operands_of(stmt)} - {""}


def _may_pass(stmt: Stmt) -> bool:
    """Whether a loop that does not need a statement may come before it."""
    if isinstance(stmt, Branch):
        return all(map(_may_pass, walk(stmt.then))) and all(map(_may_pass, walk(stmt.orelse)))
    if isinstance(stmt, Loop):
        return computes(stmt)
    if not isinstance(stmt, Apply):
        return False
    return stmt.op == "comment" or (stmt.op not in _CODE and not TABLE[stmt.op].effect)


_EARLIER = frozenset(
    {"empty", "zeros", "full", "dim", "same", "add", "sub", "mul", "neg", "max", "min"}
)
"""Operations that may be done earlier: they raise nothing that the loop would not let them."""


def computes(loop: Loop) -> bool:
    """Whether a loop does no more than compute: what the user's code does has its order."""
    return all(
        isinstance(s, Branch | Loop)
        or (isinstance(s, Apply) and s.op not in _CODE and not TABLE[s.op].effect)
        for s in walk(loop.body)
    )


_CODE = frozenset({"verbatim", "statement", "comment"})


def _reads(loop: Loop, value: Value) -> bool:
    return any(v == value for v in reads_of(loop.body))


def _read_early(first: Loop, second: Loop) -> list[int]:
    """Which arrays that the second loop changes the first one reads."""
    read = {v.name for v in reads_of(first.body)}
    return [k for k, o in enumerate(second.inits) if not o.type.is_scalar and name_of(o) in read]


def _merge(first: Loop, second: Loop) -> Loop:
    """One loop that does in each iteration what the first does and then what the second does."""
    ends = dict(zip((r.name for r in first.results), first.body.yields, strict=True))
    by: dict[str, Operand] = {second.index.name: first.index}
    by |= {r.name: ends[r.name] for r in first.results}
    taken = {}
    for k, init in enumerate(second.inits):
        if init in first.results:
            by[second.body.params[k].name] = ends[name_of(init)]
            taken[name_of(init)] = k
    inner = [substitute_stmt(s, by) for s in second.body.stmts]
    now = {name_of(second.inits[k]): second.body.params[k] for k in _read_early(first, second)}
    outer = [substitute_stmt(s, now) for s in first.body.stmts]
    yields = [substitute(y, by) for y in second.body.yields]
    params, inits, results, final = [], [], [], []
    for k, result in enumerate(first.results):
        other = taken.get(result.name)
        params.append(first.body.params[k])
        inits.append(first.inits[k])
        results.append(result if other is None else second.results[other])
        final.append(first.body.yields[k] if other is None else yields[other])
    for k, result in enumerate(second.results):
        if second.inits[k] not in first.results:
            params.append(second.body.params[k])
            inits.append(second.inits[k])
            results.append(result)
            final.append(yields[k])
    body = Block(tuple(params), (*outer, *inner), tuple(final))
    return replace(first, results=tuple(results), inits=tuple(inits), body=body)
