"""Loops over generators: the body of the generator, with the body of the loop at each `yield`.

    def steps(v, n):                for v in steps(x, n):       v_ = x
        for _ in range(n):              s += v              =>  for _ in range(n):
            v = v + sin(v)                                          v_ = v_ + sin(v_);  v = v_
            yield v                                                 s += v

The names of both keep apart, since each is lowered in its own frame. What leaves the loop ends the
generator: to its body that is a `return` at the `yield`. (Inversion of control: internal iterators;
Murer, Omohundro, Stoutamire and Szyperski 1996, Iteration abstraction in Sather.)

What stands between a loop and a generator is done to each entry on its way: `enumerate`, `zip` with
what has an index, generator expressions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from adjointgen.frontend.control.branches import branch, truth
from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Closure,
    Generator,
    Lazy,
    Method,
    Partial,
    Ref,
    Seq,
    Struct,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.functions.inlining import inline, mentions, with_return
from adjointgen.frontend.iteration.iteration import has_generator, peeked
from adjointgen.frontend.iteration.loop_plans import Plan, count, from_zero, plus
from adjointgen.frontend.source.generator_bodies import Hand, ends_late, handing
from adjointgen.frontend.source.name_liveness import Facts, Names
from adjointgen.frontend.state.context import (
    BROKEN,
    CALLER,
    JUMPED,
    NO,
    RESULT,
    RETURNED,
    STOPPED,
    YES,
    Context,
    Frame,
)
from adjointgen.frontend.state.reachability import kept_keys, reachable
from adjointgen.frontend.state.storage_cells import content, hold, read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import const

Each = Callable[[Abstract], None]


def is_driven(ctx: Context, value: Abstract) -> bool:
    """Whether this runs over one generator of which nothing was taken yet."""
    match value:
        case Generator(left=left):
            return left is None
        case Ref() if is_iterator(held := content(ctx, value)):
            at = held.items[1]
            return isinstance(at, Const) and at.value == 0 and is_driven(ctx, held.items[0])
        case Lazy(over=over, lists=False):
            return is_driven(ctx, over)
        case Zipped(how="enumerate" | "iter", parts=(part,)):
            return is_driven(ctx, part)
        case Zipped(how="zip", parts=parts):
            return sum(is_driven(ctx, part) for part in parts) == 1
    return False


def leaves(value: Abstract) -> bool:
    """Whether what runs over a generator may leave it before its end."""
    match value:
        case Lazy(over=over):
            return leaves(over)
        case Zipped(how=how, parts=parts):
            return how == "zip" or any(map(leaves, parts))
    return False


def is_kept(ctx: Context, value: Abstract, live: Names) -> bool:
    """Whether a generator has a name that may be read after a loop over it."""
    boxes = reachable([value], ctx.state.cells)
    mine = {cell for cell in boxes if is_iterator(ctx.state.cells[cell])}
    kept = kept_keys(ctx, (key for key in ctx.state.names if not key[1].startswith("%")), live)
    return bool(mine & reachable([ctx.state.names[k] for k in kept], ctx.state.cells).keys())


@dataclass(frozen=True, slots=True)
class Driven:
    """What runs over a generator, and whether its entries may be `left` before the end."""

    value: Abstract
    left: bool = False


def drive(ctx: Context, driven: Driven, each: Each, facts: Facts, live: Names) -> None:
    """Do something for each entry, which may stop it.

    The names that `facts` say that it binds are read afterwards where they are `live`.
    """
    if ctx.catching:
        ctx.refuse("AG101", "a generator runs inside `try`", "move the loop out of it")
    kept = [ctx.key(name) for name in sorted((facts.binds | facts.updates) & live)]
    gone = facts.binds - live - ctx.frame.pinned

    def forget() -> None:
        for name in gone:
            ctx.state.names.pop(ctx.key(name), None)

    def entry(value: Abstract) -> None:
        each(value)
        forget()

    forget()
    flags = [(name, NO) for name in (BROKEN, RETURNED)] + [(RESULT, ABSENT)]
    start = dict.fromkeys(kept, ABSENT) | {ctx.key(name): value for name, value in flags}
    ctx.state.names = start | ctx.state.names
    outer, ctx.live = ctx.live, live
    _Driving(ctx, replace(driven, left=driven.left or leaves(driven.value))).run(
        driven.value, entry
    )
    ctx.live = outer
    for key in [k for k in start if ctx.state.names.get(k) == ABSENT]:
        del ctx.state.names[key]


@dataclass(frozen=True, slots=True)
class _Driving:
    ctx: Context
    driven: Driven

    def run(self, value: Abstract, each: Each) -> None:
        """Each entry of a value."""
        ctx = self.ctx
        match value:
            case Generator():
                self.generator(value, each)
            case Ref() if is_iterator(held := content(ctx, value)):
                self.check_closing(held.items[0])
                self.run(held.items[0], each)
            case Lazy():
                self.run(value.over, self.chosen(value, each))
            case Zipped(how="iter", parts=(part,)):
                self.run(part, each)
            case Zipped(how="enumerate", parts=(part,), start=start):
                self.run(part, self.numbered(const(0) if start is None else start, each))
            case Zipped(how="zip", parts=parts):
                self.zipped(parts, each)

    def check_closing(self, value: Abstract) -> None:
        """Refuse to leave a generator that has a name, and would do something when it is closed."""
        if isinstance(value, Generator) and self.driven.left:
            source = self.ctx.frames[value.frame].source
            if ends_late(source.node):
                what = f"{source.name} is left, and goes on when nothing holds it any more"
                self.ctx.refuse("AG101", what, "loop over the call itself")

    def generator(self, value: Generator, each: Each) -> None:
        """The body of the generator, in its own frame."""
        ctx, frame = self.ctx, self.ctx.frames[value.frame]
        consumer, live, node, shared = ctx.frame, ctx.live, ctx.node, False

        def handed(entry: Abstract) -> Operand:
            nonlocal shared
            inner, before = ctx.frame, ctx.live
            shared = shared or mentions(ctx, entry, frame.number)
            ctx.frame, ctx.live, ctx.node = consumer, live, node
            each(entry)
            stopped = ctx.flag(STOPPED)
            for flag in (JUMPED, STOPPED):
                ctx.set(flag, NO)
            ctx.frame, ctx.live = inner, before
            return stopped

        outer, frame.hand = frame.hand, handed
        ctx.frame = frame
        ctx.actions.statements(ctx, body(ctx, frame, self.driven.left), frozenset())
        ctx.frame, ctx.live, ctx.node = consumer, live, node
        frame.hand = outer
        for key in [k for k in ctx.state.names if k[0] == frame.number and not shared]:
            del ctx.state.names[key]

    def chosen(self, lazy: Lazy, each: Each) -> Each:
        """What a generator expression makes of an entry, where it is not left out."""
        ctx, node = self.ctx, self.ctx.node or ast.Pass()

        def entry(value: Abstract) -> None:
            def made() -> None:
                each(inline(ctx, lazy.make, [value], {}, node))

            if lazy.test is None:
                made()
            else:
                value = hold(ctx, value, "")
                self.where(inline(ctx, lazy.test, [value], {}, node), made, lambda: None)

        return entry

    def where(
        self, test: Abstract, then: Callable[[], object], orelse: Callable[[], object]
    ) -> None:
        """`if test: then() else: orelse()`."""
        ctx, known = self.ctx, truth(self.ctx, test)
        if known is not None:
            (then if known else orelse)()
            return
        branch(ctx, read(ctx, test), then, orelse, ctx.live, ctx.node)

    def counter(self, start: Abstract) -> str:
        """A name that counts entries; like all that begin with `%` it is kept to the end."""
        name = f"%count_{len(self.ctx.info)}_{len(self.ctx.frames)}"
        self.ctx.set(name, start)
        return name

    def numbered(self, start: Operand, each: Each) -> Each:
        """`enumerate`."""
        ctx, name = self.ctx, self.counter(start)

        def entry(value: Abstract) -> None:
            number = read(ctx, ctx.get(name))
            each(Seq((number, value)))
            ctx.set(name, plus(ctx, number, const(1)))

        return entry

    def zipped(self, parts: tuple[Abstract, ...], each: Each) -> None:
        """The entries beside others that have an index; those before are asked first."""
        ctx = self.ctx
        at = next(k for k, part in enumerate(parts) if has_generator(ctx, part))
        plans = {k: self.indexed(p, k < at, parts[at]) for k, p in enumerate(parts) if k != at}
        counts = {k: count(ctx, plan.bounds) for k, plan in plans.items()}
        name = self.counter(const(0))

        def row(value: Abstract, number: Operand) -> None:
            items = [plans[k].at(number) if k in plans else value for k in range(len(parts))]
            each(Seq(tuple(items)))
            after = plus(ctx, number, const(1))
            ctx.set(name, after)
            for k in range(at):
                self.where(self.ended(after, counts[k]), self.stop, lambda: None)

        def entry(value: Abstract) -> None:
            number, value = read(ctx, ctx.get(name)), hold(ctx, value, "")
            self.beside([counts[k] for k in range(at + 1, len(parts))], number, value, row)

        def start(rest: tuple[int, ...]) -> None:
            if not rest:
                self.run(parts[at], entry)
                return
            none = self.ended(const(0), counts[rest[0]])
            self.where(none, lambda: None, lambda: start(rest[1:]))

        start(tuple(range(at)))

    def beside(
        self,
        counts: list[Operand],
        number: Operand,
        value: Abstract,
        row: Callable[[Abstract, Operand], None],
    ) -> None:
        """A row, unless one of those that are asked later has ended."""
        if not counts:
            row(value, number)
            return
        ended = self.ended(number, counts[0])
        self.where(ended, self.stop, lambda: self.beside(counts[1:], number, value, row))

    def ended(self, number: Operand, length: Operand) -> Operand:
        if isinstance(number, Const) and isinstance(length, Const):
            return const(number.value >= length.value)  # type: ignore[operator]
        return self.ctx.apply("ge", number, length)

    def stop(self) -> None:
        for flag in (JUMPED, STOPPED):
            self.ctx.set(flag, YES)

    def indexed(self, part: Abstract, early: bool, beside: Abstract) -> Plan:
        """What has an index, also of entries that are taken before the generator goes on."""
        found = peeked(self.ctx, part)
        early = early and not (isinstance(found, Plan) and found.direct)
        if (
            not isinstance(found, Plan)
            or found.passes is not None
            or (early and not self.is_apart(part, beside))
        ):
            what = (
                "a generator beside entries that are known one by one, or are taken before its own"
            )
            self.ctx.unlike("AG106", what, "zip it with a range, or an array behind it")
        return from_zero(self.ctx, found)

    def is_apart(self, part: Abstract, beside: Abstract) -> bool:
        """Whether a generator of the module has no way to change what is taken before its own."""
        ctx, waiting = self.ctx, [beside]
        cells = reachable([part], ctx.state.cells)
        while waiting:
            match content(ctx, waiting.pop()):
                case Generator(frame=frame):
                    own = [v for (f, _), v in ctx.state.names.items() if f == frame]
                    if ctx.frames[frame].outer != CALLER:
                        return False
                    if cells.keys() & reachable(own, ctx.state.cells).keys():
                        return False
                    waiting += own
                case Struct(items=items) as held if is_iterator(held):
                    waiting += items
                case Lazy() | Closure() | Partial() | Method():
                    return False
                case Zipped(parts=parts):
                    waiting += parts
        return True


def body(ctx: Context, frame: Frame, leave: bool) -> list[ast.stmt]:
    """The statements of a generator."""
    source = frame.source
    return with_return(ctx, replace(source, node=handing(source.node, leave)))


def hand(ctx: Context, node: Hand) -> None:
    """An entry goes to what runs over the generator; where that ends, the generator returns."""
    value = hold(ctx, ctx.expression(node.value), "")
    assert ctx.frame.hand is not None
    stopped = ctx.frame.hand(value)
    if stopped == NO:
        return
    assert isinstance(stopped, Value | Const)
    for flag in (JUMPED, STOPPED, RETURNED):
        ctx.set(flag, stopped)


HANDLERS: dict[type[ast.AST], Callable[[Context, Hand], None]] = {Hand: hand}
