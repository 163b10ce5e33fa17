"""Draw random programs, examine each, and report: `python -m tests.fuzz.runner --count 500`.

Whatever is wrong or crashes is shrunk and printed as a program that can be run. The summary counts
verdicts, refusals by code, and, with `--features`, how each construct fares. `digest` is a hash of
all the generated source: equal runs, on any machine and for any hash seed, have equal digests.
"""

import argparse
import hashlib
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from adjointgen.opt.program import Program
from adjointgen.opt.shrink import shrink
from tests.fuzz import kernels
from tests.fuzz.examine import STAGES, Plan, Verdict, examine, same_failure
from tests.fuzz.generator import generate
from tests.fuzz.weighted import literal

FAILED: Final = ("wrong", "crashed")
EXAMPLES: Final = 25


@dataclass(frozen=True, slots=True)
class Task:
    """One seed to examine, as a worker process gets it.

    `engine` is "loops" for programs for a compiler, "threads" for those with loops in threads.
    """

    seed: int
    plan: Plan
    kernels: bool = False
    engine: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    program: Program
    verdict: Verdict


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    os.environ.setdefault("ADJOINTGEN_CACHE", "off")
    first, count = (options.only, 1) if options.only is not None else (options.seed, options.count)
    engine = "threads" if options.threads else "loops" if options.loops else ""
    stages = STAGES[:2] if engine else STAGES
    plan = Plan(chosen_passes(options.passes), options.all_passes, stages)
    seeds = range(first, first + count)
    tasks = [Task(seed, plan, options.kernels, engine) for seed in seeds]
    records = list(_progress(_records(tasks, options.jobs), count))
    if options.only is not None:
        print(describe(records[0].program))
    _report_failures(records, plan, options.shrink, engine)
    print(summary(records))
    if options.features:
        print(features(records))
    return 1 if any(r.verdict.sort in FAILED for r in records) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.runner", description="Random programs."
    )
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--only", type=int, metavar="SEED", help="this program alone, printed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--passes", metavar="NAMES", help="passes to switch off (default: all known)"
    )
    parser.add_argument("--all-passes", action="store_true", help="switch off each pass, not one")
    parser.add_argument("--shrink", type=int, default=5, metavar="N", help="failures to shrink")
    parser.add_argument("--kernels", action="store_true", help="loops over numbers in arrays")
    parser.add_argument("--loops", action="store_true", help="as a compiler gets them")
    parser.add_argument("--threads", action="store_true", help="and with loops in any order")
    parser.add_argument("--features", action="store_true", help="count verdicts per construct")
    return parser


def chosen_passes(names: str | None) -> tuple[str, ...]:
    """The optimising passes: as named, or as the pipeline lists them."""
    if names is not None:
        return tuple(name for name in names.split(",") if name)
    listed: tuple[str, ...] = import_module("adjointgen.passes.table").OPTIONAL
    return listed


def work(task: Task) -> Record:
    program = kernels.generate(task.seed) if task.kernels else generate(task.seed)
    with _engine(task.engine) as engine:
        return Record(program, examine(program, engine, task.plan))


@contextmanager
def _engine(name: str) -> Iterator[Any]:
    """What is examined: programs for NumPy, or those for a compiler, run as they are."""
    if not name:
        yield import_module("adjointgen")
        return
    module = import_module("tests.lowering.loops")
    with module.uncompiled():
        yield {"loops": module.Loops, "threads": module.Threads}[name]


def _records(tasks: list[Task], jobs: int) -> Iterator[Record]:
    if jobs <= 1:
        yield from map(work, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(work, tasks, chunksize=4)


def _progress(records: Iterator[Record], count: int) -> Iterator[Record]:
    """Pass records on; on a terminal, say how far it is."""
    seen: Counter[str] = Counter()
    shown = sys.stderr.isatty()
    for number, record in enumerate(records, 1):
        seen[record.verdict.sort] += 1
        if shown:
            tally = ", ".join(f"{n} {sort}" for sort, n in seen.most_common())
            print(f"\r\x1b[K{number}/{count}  {tally}", end="", file=sys.stderr, flush=True)
        yield record
    if shown:
        print(file=sys.stderr)


def _report_failures(records: list[Record], plan: Plan, count: int, engine: str) -> None:
    """One program per kind of failure, the shortest; the commonest kinds are made smaller."""
    kinds: dict[str, list[Record]] = {}
    for record in records:
        if record.verdict.sort in FAILED:
            kinds.setdefault(record.verdict.kind, []).append(record)
    ranked = sorted(kinds.values(), key=len, reverse=True)
    for number, same in enumerate(ranked[:EXAMPLES]):
        record = min(same, key=lambda r: len(r.program.source))
        program, verdict = record.program, record.verdict
        if number < count:
            with _engine(engine) as made:
                program = shrink(program, same_failure(verdict, made, plan))
                verdict = examine(program, made, plan)
        seeds = ", ".join(str(r.program.seed) for r in same[:12])
        print(f"--- {len(same)} x {verdict.sort}: {verdict.detail}\n--- seeds {seeds}")
        print(describe(program), flush=True)


def describe(program: Program) -> str:
    """A program that can be run: its source, then a call with its arguments."""
    pairs = zip(program.parameters, program.args, strict=True)
    values = ", ".join(f"{name}={literal(value)}" for name, value in pairs)
    needed = "np." in values and "import numpy as np" not in program.source
    head = f"# wrt={','.join(program.wrt)!r}\n" + ("import numpy as np\n" if needed else "")
    return f"{head}{program.source}\n\nprint(f({values}))\n"


def summary(records: Sequence[Record]) -> str:
    """Verdicts, what was refused and skipped with an example each, and the digest."""
    sorts = Counter(r.verdict.sort for r in records)
    lines = [
        f"{len(records)} programs: " + ", ".join(f"{n} {sort}" for sort, n in sorts.most_common())
    ]
    for sort in ("refused", "skipped"):
        groups: dict[str, list[Record]] = {}
        for record in records:
            if record.verdict.sort == sort:
                groups.setdefault(record.verdict.kind, []).append(record)
        for same in sorted(groups.values(), key=len, reverse=True):
            seed, detail = same[0].program.seed, same[0].verdict.detail
            lines.append(f"  {len(same):4} {sort}, e.g. seed {seed}: {detail}")
    texts = "".join(r.verdict.texts for r in records)
    lines.append(f"digest {hashlib.sha256(texts.encode()).hexdigest()[:16]}")
    return "\n".join(lines)


def features(records: Sequence[Record]) -> str:
    """How often each construct was drawn, and how the programs that have it fared."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        for tag in record.program.features:
            counts.setdefault(tag, Counter())[record.verdict.sort] += 1
    rows = sorted(counts.items(), key=lambda row: (-(row[1]["refused"] / row[1].total()), row[0]))
    return "\n".join(
        f"  {tag:28}{c.total():5}  " + ", ".join(f"{n} {s}" for s, n in c.most_common())
        for tag, c in rows
    )


if __name__ == "__main__":
    sys.exit(main())
