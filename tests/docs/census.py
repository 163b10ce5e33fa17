"""Which programs each optional pass and each rewrite of `simplify` changes.

`python -m tests.docs.census` builds the tangent and the adjoint of golden functions, examples,
kernels and objectives, for NumPy and for a compiler, as for a file and as for the arguments of a
call, and writes the counts into docs/passes.md. A pass that only finds or decides something has
changed a program if the program is another without it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from inspect import signature
from pathlib import Path
from typing import Any, Final

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.programs.build_program import derived_by, follow
from adjointgen.api.programs.recipes import Step
from adjointgen.api.specialize.specialize import make
from adjointgen.config.compilers import TARGETS
from adjointgen.errors import NotSeveral
from adjointgen.frontend.lower import lower, source_from_function, type_of
from adjointgen.frontend.source.source import Source
from adjointgen.ir.nodes import Function
from adjointgen.opt.report import Stats, counting
from adjointgen.optimize.rewrites.blas_forms import NUMPY_FORMS
from adjointgen.optimize.simplify import REWRITES
from adjointgen.passes.run import Ran, watching
from adjointgen.passes.table import IN_ORDER
from adjointgen.pipeline import Mode, derive, finish
from adjointgen.program import gathered, primal
from adjointgen.records import dataclass
from tests.benchmarks.kernels.all import KERNELS
from tests.benchmarks.kernels.kernel import is_float
from tests.benchmarks.objectives.all import OBJECTIVES
from tests.goldens import PATHS, read
from tests.test_examples import CASES, EXAMPLES, load

PAGE: Final = Path(__file__).parents[2] / "docs" / "passes.md"
BLOCK: Final = re.compile(r"(<!-- census -->\n).*?(<!-- /census -->\n)", re.DOTALL)
PASSES: Final = tuple(row.name for row in IN_ORDER if row.optional)
FACTS: Final = ("first-writes", "surviving-elements")
"""Passes that find what a later one goes by."""
DECISIONS: Final = (*FACTS, *(row.name for row in IN_ORDER if row.within and row.optional))
DIRECTIONS: Final = 26
MODES: Final[tuple[Mode, ...]] = ("tangent", "adjoint")
NAMES: Final = tuple(dict.fromkeys(one.__name__ for _, one in (*REWRITES, *NUMPY_FORMS)))


@dataclass(frozen=True, slots=True)
class Counted:
    """A function as the front end read it; `group` is a column of the table."""

    group: str
    name: str
    source: Source
    arguments: dict[str, Any]
    function: Function
    wrt: tuple[str, ...]


def programs() -> Iterator[Counted]:
    """The functions that are counted."""
    for path in PATHS:
        golden = read(path)
        yield _read("golden", golden.name, golden.source, golden.arguments(), golden.wrt)
    for case, (args, count) in CASES.items():
        stem, name = case.split(".")
        f = getattr(load(EXAMPLES / f"{stem}.py"), name)
        yield _live("examples", name, f, args, tuple(signature(f).parameters)[:count])
    for kernel in KERNELS.values():
        args = kernel.inputs("tiny")
        pairs = zip(signature(kernel.primal).parameters, args, strict=False)
        wrt = tuple(name for name, value in pairs if is_float(value))
        yield _live("kernels", kernel.name, kernel.primal, args, wrt)
    for one in OBJECTIVES:
        for way, f in (("arrays", one.arrays), ("loops", one.loops)):
            args = one.inputs("tiny")
            yield _live("objectives", f"{one.name} ({way})", f, args, one.wrt)


def _live(
    group: str, name: str, f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[str, ...]
) -> Counted:
    binder = Binder(f)
    values = dict(zip(binder.names, binder.bind(args, {}), strict=True))
    return _read(group, name, source_from_function(f), values, wrt)


def _read(
    group: str, name: str, source: Source, arguments: dict[str, Any], wrt: tuple[str, ...]
) -> Counted:
    types = {n: type_of(n, v) for n, v in arguments.items()}
    return Counted(group, name, source, arguments, lower(source, types, derived_by()), wrt)


def changes(counted: Counted) -> set[str]:
    """The passes and rewrites that change a program of a function."""
    found: set[str] = set()
    stats = Stats()

    def watch(ran: Ran) -> None:
        if ran.changed:
            found.add(ran.row.name)

    for mode in MODES:
        for target in TARGETS[:2]:
            recipe = (Step(mode, counted.wrt),)
            with watching(watch), counting(stats):
                made = follow(counted.function, recipe, (), target)
                make(counted.source, recipe, (), counted.arguments, (), target)
            for name in DECISIONS:
                if follow(counted.function, recipe, (name,), target) != made:
                    found.add(name)
        with watching(watch), counting(stats):
            along_directions(counted, mode)
    return found | {*stats.rewrites}


def along_directions(counted: Counted, mode: Mode) -> None:
    """Build the compiled program for several directions, where there is one."""
    made = derive(gathered(primal(counted.function)), mode, counted.wrt, last=True)
    seeds = len(made.function.body.params) - len(counted.function.body.params)
    with suppress(NotSeveral):
        finish(made, compiled=True, several=(seeds, DIRECTIONS))


def census() -> tuple[Counter[str], dict[str, list[str]]]:
    """How many functions there are in each group, and which are changed by each pass or rewrite."""
    groups: Counter[str] = Counter()
    by: dict[str, list[str]] = {name: [] for name in (*PASSES, *NAMES)}
    for counted in programs():
        groups[counted.group] += 1
        for name in changes(counted) & {*by}:
            by[name].append(f"{counted.group}: {counted.name}")
    return groups, by


def table() -> str:
    """The table as the page has it."""
    groups, by = census()
    titles = [f"{group} ({count})" for group, count in groups.items()]
    lines = []
    for kind, names in (("pass", PASSES), ("rewrite of `simplify` and `blas-forms`", NAMES)):
        lines += [f"| {kind} | {' | '.join(titles)} |", "|---" * (len(titles) + 1) + "|"]
        for name in names:
            counts = Counter(one.partition(":")[0] for one in by[name])
            shown = f"[{name}](#{name})" if name in PASSES else f"`{name}`"
            lines.append(f"| {shown} | {' | '.join(str(counts[g]) for g in groups)} |")
        lines.append("")
    rare = {name: where for name, where in by.items() if len(where) < 2}
    for name, where in rare.items():
        print(name, *where or ("none",), sep=": ")
    return "\n".join(lines[:-1]) + "\n"


def with_census(page: str, made: str) -> str:
    """The page with a table between its marks."""
    assert BLOCK.search(page), "docs/passes.md has no block between <!-- census --> marks"
    return BLOCK.sub(lambda found: f"{found[1]}{made}{found[2]}", page)


def counted_names(page: str) -> list[str]:
    """What the table of the page has rows for."""
    found = BLOCK.search(page)
    assert found
    return [name.strip("`[") for name in re.findall(r"^\| (`\w+`|\[[\w-]+)", found[0], re.M)]


if __name__ == "__main__":
    PAGE.write_text(with_census(PAGE.read_text("utf-8"), table()), "utf-8")
