"""Copy insertion: from values to storage, with a copy where a store in place would be seen.

Until here `a_2 = store(a_1, v, i)` is a new value. The program that is emitted overwrites the
storage of `a_1`, which is right if nothing that is read later shares it. For every store, in order:

* who else holds the storage? Views taken before (`t = u[1:-1]`) become copies at their definition;
* is it the caller's, is `a_1` itself read later, or is it held otherwise? Then it is copied first.

An array that a loop carries and writes is copied before the loop, once, if it must be. What is
recorded is copied if its storage is written anywhere. What is returned beyond the primal's own
results shares storage with nothing. Here too `a_bar + t` becomes `a_bar += t`, where `a_bar` is
free to be overwritten; a copy is never made for that. (Hudak and Bloss 1985,
"The aggregate update problem in functional programming systems".)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from adjointgen.analysis.values.liveness import last_use
from adjointgen.analysis.values.storage_classes import Storage, storage
from adjointgen.ir.edit import flags_of, name_of
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Call,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    defined_in,
    reads_of,
    results_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names
from adjointgen.rules.framework.table import TABLE
from adjointgen.storage.abstract_storage import Buffers
from adjointgen.storage.inplace_accumulation import accumulating, literals
from adjointgen.storage.shared_versions import with_old_versions
from adjointgen.storage.view_copies import with_copies

TAPE = "tape "
"""Begins the name of a holder that is a tape."""
WHOLE = (("index", "..."),)
BOXING = ("array", "zeros_like", "full_like", "zeros", "full", "reshape", "load", "spread")
"""Operations that make an array of no axes, where others make a number of NumPy's."""
READ_ONLY = ("broadcast_to",)
"""Operations whose result NumPy does not let be written; what `expand` gives is new where kept."""


def own(
    function: Function,
    primal: frozenset[str],
    results: int,
    accumulate: bool = True,
    lent: bool = False,
    kept: bool = False,
    replayed: bool = False,
) -> Function:
    """A program that means the same when stores happen in place.

    `primal` are the names of the user's own program, which keeps its form; `results` is the number
    of its results, which may share storage with arguments as the user's own results do. Without
    `accumulate`, sums of arrays always make a new array. The arguments are only `lent` where the
    caller may write to them as soon as this returns: then what is recorded of them is copied.
    Storage is `kept` as it is in a program that stands for the user's function: that writes to what
    the user writes to, the caller's arrays included. A tape that is `replayed` several times shares
    no storage with results, and is left as it is by what reads it.
    """
    names = Names.of(function)
    body = function.body
    if accumulate:
        body = accumulating(body, primal, names, function.updates, function.quotes)
    body, shared = with_old_versions(replace(function, body=body), names)
    work = _Own(names, storage(replace(function, body=body)))
    work.shared = shared
    work.lent = frozenset(p.name for p in body.params) if lent else frozenset()
    work.bare = literals(body)
    work.kept = kept
    work.replayed = replayed
    work.asked = frozenset(_sums(function.body) if kept else ())
    body = work.function(body, results)
    return replace(function, body=with_copies(body, work.buffers.copied, names))


def _adds_to_whole(stmt: Stmt) -> TypeGuard[Apply]:
    return isinstance(stmt, Apply) and stmt.op == "accumulate" and stmt.options == WHOLE


def _sums(body: Block) -> Iterator[str]:
    """The results of sums in place of whole arrays."""
    yield from (stmt.result.name for stmt in walk(body) if _adds_to_whole(stmt))


class _Own:
    """One walk in execution order; `made` is the block being rebuilt."""

    def __init__(self, names: Names, classes: Storage) -> None:
        self.names = names
        self.classes = classes
        self.buffers = Buffers()
        self.made: list[Stmt] = []
        self.spread: set[str] = set()
        self.lent: frozenset[str] = frozenset()
        self.bare: frozenset[str] = frozenset()
        self.kept = False
        self.replayed = False
        self.asked: frozenset[str] = frozenset()
        """Sums in place that the user's program has, where storage is kept."""
        self.shared: frozenset[str] = frozenset()
        self.boxed: set[str] = set()
        """Arrays without axes that are no number, as NumPy's operations make of them."""

    def function(self, body: Block, results: int) -> Block:
        for param in body.params:
            if not param.type.is_scalar:
                self.buffers.fresh(param, writable=False)
        self.walk(body, frozenset(p.name for p in body.params))
        yields = list(body.yields)
        if self.replayed:
            yields[:results] = map(self.off_tape, yields[:results])
        for k in range(results, len(yields)):
            if yields[k].type.kind != "object":
                yields[k] = self.apart(yields[k], yields[k] not in yields[:k])
        return replace(body, stmts=tuple(self.made), yields=tuple(yields))

    def apart(self, result: Operand, dies: bool) -> Operand:
        """A result that shares storage with nothing."""
        if isinstance(result, Value) and result.name in self.shared and not self.kept:
            return self.copied(result, result.root)
        return self.taken(result, dies)

    def off_tape(self, result: Operand) -> Operand:
        """A result that shares no storage with what was recorded."""
        held = (name for i in self.buffers.of(result) for name in self.buffers.holders[i])
        on_tape = any(name.startswith(TAPE) for name in held)
        if not on_tape or not isinstance(result, Value):
            return result
        return self.copied(result, result.root)

    def block(self, block: Block, may_die: frozenset[str]) -> Block:
        """A block inside a statement; its own values are let go by the caller."""
        outer, self.made = self.made, []
        self.walk(block, may_die)
        made, self.made = self.made, outer
        return replace(block, stmts=tuple(made))

    def walk(self, block: Block, may_die: frozenset[str]) -> None:
        live_out = frozenset(y.name for y in block.yields if isinstance(y, Value))
        deaths = last_use(block, live_out)
        mine = set(may_die) | {p.name for p in block.params}
        unread = mine - {name for dying in deaths for name in dying} - live_out
        self.buffers.release(unread)
        read = {name for dying in deaths for name in dying} | live_out
        for stmt, dying in zip(block.stmts, deaths, strict=True):
            results = {r.name for r in results_of(stmt)}
            self.statement(stmt, dying & mine)
            self.buffers.release(dying & mine)
            self.buffers.release(results - read)
            mine |= results

    def statement(self, stmt: Stmt, dying: frozenset[str]) -> None:
        match stmt:
            case Apply():
                self.apply(stmt, dying)
            case Loop() | While():
                self.loop(stmt, dying)
            case Branch():
                self.branch(stmt, dying)
            case Record():
                self.record(stmt)
            case Replay():
                self.buffers.fresh(stmt.result, writable=False)
                self.made.append(stmt)
            case Call():
                # What a function returns is its own, and it leaves its arguments alone.
                for result in stmt.results:
                    if not result.type.is_scalar:
                        self.buffers.fresh(result)
                self.made.append(stmt)

    def taken(self, operand: Operand, dies: bool) -> Operand:
        """A value whose storage may be overwritten: itself if nobody sees it, else a copy."""
        if not isinstance(operand, Value) or operand.type.is_scalar:
            return operand
        if self.kept or operand.name in self.shared:
            self.buffers.part(operand)
            return operand
        number = operand.type.rank == 0 and operand.name not in self.boxed
        if dies and not number and self.buffers.free_to_write(operand):
            return operand
        return self.copied(operand, operand.root)

    def copied(self, value: Value, root: str = "") -> Value:
        """A copy; without a root it is a temporary, written where it is read."""
        copy = replace(value, name=self.names.fresh(root or value.name), root=root)
        # A number has no method that copies it.
        bare = value.name in self.bare or not value.type.rank
        options = (("spelling", "numpy.copy"),) if bare else ()
        if value.type.kind == "list" and value.type.rank != 1:
            options = (("spelling", "copy.deepcopy"),)
        self.made.append(Apply((copy,), "copy", (value,), options))
        self.boxed.add(copy.name)
        self.buffers.fresh(copy)
        return copy

    def apply(self, stmt: Apply, dying: frozenset[str]) -> None:
        arrays = [r for r in stmt.results if not r.type.is_scalar]
        if _adds_to_whole(stmt):
            stmt = self.add_to(stmt, dying)
        elif stmt.op == "written":
            return  # It is in the argument's storage.
        elif stmt.op in WRITES:
            array = self.taken(stmt.args[0], name_of(stmt.args[0]) in dying)
            stmt = replace(stmt, args=(array, *stmt.args[1:]))
        elif stmt.option("writes"):
            stmt = self.user_writes(stmt, dying)
        elif self.replayed and stmt.option("slots") is not None:
            stmt = replace(stmt, options=(*stmt.options, ("replayed", True)))
        self.made.append(stmt)
        if stmt.op in (*WRITES, *BOXING):
            self.boxed |= {r.name for r in stmt.results}
        if stmt.op in WRITES:
            held = [stmt.args[0]]
            if stmt.result.type.kind == "list":
                held += (a for a in stmt.args[1:2] if not a.type.is_scalar)
            self.buffers.share(stmt.result, held)
            # A copy that was made for this has no reader: its storage is the result's now.
            self.buffers.release([name_of(stmt.args[0])])
            return
        for result in arrays:
            self.define(stmt, result)

    def define(self, stmt: Apply, result: Value) -> None:
        """The storage of the result of an operation that writes nothing."""
        looks_into = _looks_into(stmt)
        if stmt.option("replayed"):
            self.buffers.fresh(result, writable=False)
            return
        if stmt.op == "expand":
            self.spread.add(result.name)
        # A view of what is spread is one of `np.broadcast_to`, which is read-only.
        if any(name_of(source) in self.spread for source in looks_into):
            self.spread.add(result.name)
            self.buffers.share(result, stmt.args, unknown=True)
        elif stmt.op in ("verbatim", "statement", *READ_ONLY) or TABLE[stmt.op].foreign:
            self.buffers.share(result, stmt.args, unknown=True)
        elif looks_into:
            self.buffers.view(result, looks_into, TABLE[stmt.op].view in ("locked", "type"))
        else:
            self.buffers.fresh(result)

    def add_to(self, stmt: Apply, dying: frozenset[str]) -> Apply:
        """`a += v` where `a` is free, else `a + v`."""
        array = stmt.args[0]
        assert isinstance(array, Value)
        if stmt.result.name in self.asked:
            self.buffers.part(array)
            return stmt
        if array.name in dying and array != stmt.args[1] and self.buffers.free_to_write(array):
            return stmt
        return replace(stmt, op="add", options=())

    def user_writes(self, stmt: Apply, dying: frozenset[str]) -> Apply:
        """The user's code writes to some of its operands."""
        writes = stmt.option("writes")
        assert isinstance(writes, tuple)
        args = list(stmt.args)
        for k in writes:
            args[k] = self.taken(args[k], name_of(args[k]) in dying)
        return replace(stmt, args=tuple(args))

    def record(self, stmt: Record) -> None:
        """A recorded array is copied if its storage is ever written."""
        value = stmt.value
        if isinstance(value, Value) and not value.type.is_scalar:
            makers = [self.buffers.makers[i] for i in self.buffers.of(value)]
            if any(m.name in self.lent or self.classes.written(m) for m in makers):
                stmt = replace(stmt, value=self.copied(value))
            else:
                self.buffers.pin(value, TAPE + stmt.slot)
        self.made.append(stmt)

    def loop(self, stmt: Loop | While, dying: frozenset[str]) -> None:
        """What the body writes is the loop's own before it starts and after each iteration."""
        flags = flags_of(stmt)
        free = {v.name for v in reads_of(stmt.body)}
        inits = list(stmt.inits)
        written = [self.classes.written(r) for r in stmt.results]
        for k, init in enumerate(stmt.inits):
            if written[k]:
                once = init not in stmt.inits[:k] and name_of(init) not in free
                inits[k] = self.taken(init, once and name_of(init) in dying)
        for k, param in enumerate(stmt.body.params):
            self.carried(param, written[k], [inits[k]], unknown=True)
        body = self.body(stmt.body, flags, written)
        for k, result in enumerate(stmt.results):
            self.carried(result, written[k], [inits[k], body.yields[flags + k]])
        if isinstance(stmt, While):
            for param in stmt.test.params:
                self.buffers.fresh(param, writable=False)
            self.made.append(
                replace(stmt, inits=tuple(inits), test=self.inner(stmt.test), body=body)
            )
        else:
            self.made.append(replace(stmt, inits=tuple(inits), body=body))

    def carried(
        self, value: Value, written: bool, others: list[Operand], unknown: bool = False
    ) -> None:
        """A parameter or result of a loop; what an earlier iteration left is not known."""
        if value.type.is_scalar:
            return
        if written:
            self.buffers.fresh(value)
        else:
            self.buffers.share(value, others, unknown)

    def inner(self, block: Block) -> Block:
        made = self.block(block, frozenset())
        self.buffers.release(v.name for v in defined_in(made))
        return made

    def body(self, block: Block, flags: int, written: list[bool]) -> Block:
        """A loop body; arrays that it writes leave it with storage of their own."""
        outer, self.made = self.made, []
        self.walk(block, frozenset())
        yields = list(block.yields)
        inner = {value.name for value in defined_in(block)}
        for k, owned in enumerate(written, flags):
            if owned:
                # What is there before the loop is there after it, and in every iteration.
                dies = name_of(yields[k]) in inner and self.own_alone(yields, k)
                yields[k] = self.taken(yields[k], dies)
        made, self.made = self.made, outer
        block = replace(block, stmts=tuple(made), yields=tuple(yields))
        self.buffers.release(v.name for v in defined_in(block))
        return block

    def own_alone(self, yields: list[Operand], k: int) -> bool:
        """Whether a yield shares storage with no other yield."""
        mine = self.buffers.of(yields[k])
        return not any(mine & self.buffers.of(y) for j, y in enumerate(yields) if j != k)

    def branch(self, stmt: Branch, dying: frozenset[str]) -> None:
        arms = []
        for arm in (stmt.then, stmt.orelse):
            with self.buffers.apart():
                arms.append(self.block(arm, dying))
        self.made.append(replace(stmt, then=arms[0], orelse=arms[1]))
        for result, a, b in zip(stmt.results, arms[0].yields, arms[1].yields, strict=True):
            if not result.type.is_scalar:
                self.buffers.share(result, (a, b))


def _looks_into(stmt: Apply) -> list[Operand]:
    """The operands whose storage the result may share."""
    places = TABLE[stmt.op].looks_into([a.type for a in stmt.args], dict(stmt.options))
    return [stmt.args[k] for k in places if k < len(stmt.args)]
