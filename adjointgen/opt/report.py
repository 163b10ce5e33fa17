"""What the passes do, as text: programs after passes, differences, and statistics."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import unified_diff

from adjointgen.ir.nodes import Function, walk
from adjointgen.ir.text import show
from adjointgen.optimize.simplify import FIRED
from adjointgen.passes.properties import verifying
from adjointgen.passes.run import Ran
from adjointgen.records import dataclass, field


@dataclass(slots=True)
class Stats:
    """How often each pass ran and changed the program, the statements that it removed, its time."""

    ran: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    fewer: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    rewrites: Counter[str] = field(default_factory=Counter)

    def note(self, ran: Ran) -> None:
        """Count one pass."""
        name = ran.row.name
        self.ran[name] += 1
        self.changed[name] += ran.changed
        self.fewer[name] += size(ran.before.function) - size(ran.after.function)
        self.seconds[name] += ran.seconds

    def __str__(self) -> str:
        lines = [f"{'pass':24}{'ran':>6}{'changed':>9}{'removed':>9}{'ms':>9}"]
        for name, count in self.ran.items():
            ms = 1e3 * self.seconds[name]
            lines.append(f"{name:24}{count:6}{self.changed[name]:9}{self.fewer[name]:9}{ms:9.2f}")
        if self.rewrites:
            lines += ["", f"{'rewrite':34}{'applied':>9}"]
            lines += [f"{name:34}{count:9}" for name, count in self.rewrites.most_common()]
        return "\n".join(lines)


@contextmanager
def counting(stats: Stats) -> Iterator[None]:
    """Count the rewrites of `simplify` meanwhile."""
    token = FIRED.set(stats.rewrites)
    try:
        yield
    finally:
        FIRED.reset(token)


def size(function: Function) -> int:
    """How many statements a function has, in all its blocks."""
    return sum(1 for _ in walk(function.body))


@dataclass(frozen=True, slots=True)
class Observer:
    """What is told of every pass: programs after some, or after `all`, differences, invariants."""

    tell: Callable[[str], None]
    print_after: tuple[str, ...] = ()
    differences: bool = False
    verify_each: bool = False
    stats: Stats | None = None

    def __call__(self, ran: Ran) -> None:
        if self.stats is not None:
            self.stats.note(ran)
        if self.verify_each:
            verifying(ran)
        title = f"{ran.row.name} ({ran.phase})" if ran.phase else ran.row.name
        if self.differences and ran.changed:
            before, after = show(ran.before.function), show(ran.after.function)
            lines = unified_diff(
                before.splitlines(), after.splitlines(), "before", title, lineterm=""
            )
            self.tell("\n".join(lines))
        if {"all", ran.row.name} & {*self.print_after}:
            self.tell(f"# after {title}\n{show(ran.after.function)}")
