"""Parallel loops: those of which all iterations may run at once are marked, on request.

    for i in range(n):                          t_rows = np.empty(n)
        b_bar[i] = c * a_bar[i]                 for i in prange(n):
        c_bar += a_bar[i] * b[i]      ->            b_bar[i] = c * a_bar[i]
                                                    t_rows[i] = a_bar[i] * b[i]
                                                for i in range(n):
                                                    c_bar += t_rows[i]

Iterations may run at once where every array that the loop writes is touched in the row of the
loop's own index alone, every number that it carries is a sum, and nothing is made but numbers. What
an iteration adds to a sum is kept, and added after the loop in its order: so the result does not
depend on how many threads there are. Loops are looked at from outside in; inside another loop one
without a loop of its own is too short to be shared out. (Hückelheim and Hascoët 2022,
"Source-to-source automatic differentiation of OpenMP parallel loops", for which adjoints of
parallel loops are parallel.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from adjointgen.analysis.loops.outer_product_sums import range_of
from adjointgen.costs import THREADS_FROM
from adjointgen.ir.edit import (
    carried,
    is_of_numbers,
    is_one_array,
    name_of,
    rebuild,
    substitute_in,
    versions,
)
from adjointgen.ir.nodes import (
    LOOPS,
    NESTED,
    Apply,
    Block,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    reads_of,
    results_of,
    walk,
)
from adjointgen.ir.types import INT
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.targets.loops.build.nonnegative import begins, counting
from adjointgen.targets.loops.build.op_classes import is_count, zero_of
from adjointgen.targets.loops.passes.loop_fusion import computes
from adjointgen.targets.loops.passes.loop_reversal import is_apart

_ENTRY = (("index", "_"),)
Carried = tuple[Value, Operand, Operand, Value]


def in_parallel(function: Function) -> Function:
    """The function with such loops marked."""
    work = _Parallel(Builder(Names.of(function)), counting(function))
    return replace(function, body=work.block(function.body, False))


class _Parallel:
    def __init__(self, builder: Builder, counts: Container[str]) -> None:
        self.builder = builder
        self.counts = counts

    def block(self, block: Block, inside: bool) -> Block:
        """A block, which may stand inside a loop."""
        with self.builder.block() as made:
            for stmt in block.stmts:
                self.builder.span = stmt.span
                self.statement(stmt, inside)
        return replace(block, stmts=tuple(made))

    def statement(self, stmt: Stmt, inside: bool) -> None:
        if isinstance(stmt, Loop) and self.may_run_at_once(stmt, inside):
            self.marked(stmt)
            return
        deeper = inside or isinstance(stmt, LOOPS)
        if isinstance(stmt, NESTED):
            stmt = rebuild(stmt, lambda operand: operand, lambda b: self.block(b, deeper))
        self.builder.add(stmt)

    def may_run_at_once(self, loop: Loop, inside: bool) -> bool:
        """Whether the iterations have nothing of each other, and enough to do."""
        if loop.trips is not None or loop.bounds[2] != const(1) or not computes(loop):
            return False
        if not is_of_numbers(loop.body):
            return False
        known = range_of(loop)
        if known is not None and len(known) < THREADS_FROM:
            return False
        if inside and not any(isinstance(s, LOOPS) for s in walk(loop.body)):
            return False
        if not begins(loop, self.counts):
            return False
        reads = Counter(v.name for v in reads_of(loop.body))
        return all(
            (
                _is_sum(loop, param, end, reads)
                if param.type.is_scalar
                else is_one_array(loop, k) and is_apart(loop, param)
            )
            for k, (param, _, end, _) in enumerate(carried(loop))
        )

    def marked(self, loop: Loop) -> None:
        """The loop, with what it adds to sums in rows, and after it the sums."""
        for param in loop.body.params:
            loop = loop if param.type.is_scalar else _under_one_name(loop, param)
        columns = carried(loop)
        arrays = [c for c in columns if not c[0].type.is_scalar]
        sums = [c for c in columns if c[0].type.is_scalar]
        length = self.length(loop) if sums else const(0)
        rows = [self.rows(length, param.type.dtype) for param, *_ in sums]
        inner, stored, made = ([self.again(r) for r in rows] for _ in range(3))
        body = substitute_in(loop.body, {p.name: zero_of(p.type.dtype) for p, *_ in sums})
        ends = dict(zip((c[3].name for c in columns), body.yields, strict=True))
        with self.builder.block() as keeping:
            place = self.place(loop) if sums else const(0)
            for before, after, (*_, result) in zip(inner, stored, sums, strict=True):
                args = (before, ends[result.name], place)
                self.builder.add(Apply((after,), "store", args, _ENTRY, loop.span))
        block = Block(
            (*(param for param, *_ in arrays), *inner),
            (*body.stmts, *keeping),
            (*(ends[result.name] for *_, result in arrays), *stored),
        )
        inits = (*(init for _, init, _, _ in arrays), *rows)
        results = (*(result for *_, result in arrays), *made)
        made_at_once = replace(loop, results=results, inits=inits, body=block)
        self.builder.add(replace(made_at_once, backwards=False, parallel=True))
        if sums:
            self.total(sums, made, length, loop)

    def total(
        self, sums: Sequence[Carried], rows: Sequence[Value], length: Operand, loop: Loop
    ) -> None:
        """What is in rows, added in order."""
        index = Value(self.builder.names.fresh(loop.index.name), INT, loop.index.root)
        params = [self.again(param) for param, *_ in sums]
        with self.builder.block() as adding:
            ends = [
                self.builder.apply("add", p, self.builder.apply("load", r, index, index="_"))
                for p, r in zip(params, rows, strict=True)
            ]
        body = Block((*params,), (*adding,), (*ends,))
        bounds = (const(0), length, const(1))
        inits = tuple(init for _, init, _, _ in sums)
        results = tuple(result for *_, result in sums)
        self.builder.add(Loop(results, index, bounds, inits, body, span=loop.span))

    def length(self, loop: Loop) -> Operand:
        """How often a loop runs."""
        start, stop, _ = loop.bounds
        length = stop if start == const(0) else self.builder.apply("sub", stop, start)
        if is_count(length, self.counts):
            return length
        return self.builder.apply("max", length, const(0))

    def place(self, loop: Loop) -> Operand:
        """The number of an iteration."""
        start = loop.bounds[0]
        return loop.index if start == const(0) else self.builder.apply("sub", loop.index, start)

    def rows(self, length: Operand, dtype: str) -> Value:
        options = {} if dtype == "float64" else {"dtype": dtype}
        return self.builder.apply("empty", length, stem="t_rows", **options)

    def again(self, value: Value) -> Value:
        """Another version of a value."""
        return replace(value, name=self.builder.names.fresh(value.root or value.name))


def _is_sum(loop: Loop, param: Value, end: Operand, reads: Counter[str]) -> bool:
    """Whether a number is only added to, in an inner loop too, and read by nothing else."""
    made = {r.name: s for s in loop.body.stmts for r in results_of(s)}
    while name_of(end) != param.name:
        stmt = made.get(name_of(end))
        if reads[name_of(end)] != 1:
            return False
        match stmt:
            case Apply(op="add" | "sub" | "plus", args=(before, _)):
                end = before
            case Loop():
                inner = next(c for c in carried(stmt) if c[3] == end)
                if stmt.trips is not None or not _is_sum(stmt, inner[0], inner[2], reads):
                    return False
                end = inner[1]
            case _:
                return False
    return reads[param.name] == 1


def _under_one_name(loop: Loop, param: Value) -> Loop:
    """The loop with all versions of an array called alike: what is shared is not named anew."""
    names = versions(loop, {param.name})

    def defined(value: Value) -> Value:
        return replace(value, root=param.root) if value.name in names else value

    def alike(operand: Operand) -> Operand:
        return defined(operand) if isinstance(operand, Value) else operand

    def block(inner: Block) -> Block:
        stmts = tuple(rebuild(s, alike, block, defined) for s in inner.stmts)
        params, yields = tuple(map(defined, inner.params)), tuple(map(alike, inner.yields))
        return Block(params, stmts, yields)

    return replace(loop, body=block(loop.body))
