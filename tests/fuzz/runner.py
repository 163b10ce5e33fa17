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
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from tests.fuzz.examine import Verdict, examine, same_failure
from tests.fuzz.generator import generate
from tests.fuzz.program import Program
from tests.fuzz.shrink import shrink
from tests.fuzz.weighted import literal

FAILED: Final = ("wrong", "crashed")
EXAMPLES: Final = 25


@dataclass(frozen=True, slots=True)
class Task:
    """One seed to examine, as a worker process gets it."""

    seed: int
    passes: tuple[str, ...]
    every: bool


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    program: Program
    verdict: Verdict


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    os.environ.setdefault("ADJOINTGEN_CACHE", "off")
    first, count = (options.only, 1) if options.only is not None else (options.seed, options.count)
    passes = chosen_passes(options.passes)
    tasks = [Task(seed, passes, options.all_passes) for seed in range(first, first + count)]
    records = list(_progress(_records(tasks, options.jobs), count))
    if options.only is not None:
        print(describe(records[0].program))
    _report_failures(records, passes, options)
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
    parser.add_argument("--no-shrink", action="store_true", help="print failures as they are")
    parser.add_argument("--features", action="store_true", help="count verdicts per construct")
    return parser


def chosen_passes(names: str | None) -> tuple[str, ...]:
    """The optimising passes: as named, or as the pipeline lists them."""
    if names is not None:
        return tuple(name for name in names.split(",") if name)
    listed: tuple[str, ...] = import_module("adjointgen.pipeline").OPTIMISING
    return listed


def work(task: Task) -> Record:
    program = generate(task.seed)
    engine: Any = import_module("adjointgen")
    return Record(program, examine(program, engine, task.passes, task.every))


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


def _report_failures(records: list[Record], passes: tuple[str, ...], options: Any) -> None:
    """One program per kind of failure, the shortest, made smaller; the others by seed."""
    kinds: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.verdict.sort in FAILED:
            kinds.setdefault((record.verdict.kind, record.verdict.detail[:60]), []).append(record)
    for same in list(kinds.values())[:EXAMPLES]:
        record = min(same, key=lambda r: len(r.program.source))
        program, verdict = record.program, record.verdict
        if not options.no_shrink:
            engine: Any = import_module("adjointgen")
            every = options.all_passes
            program = shrink(program, same_failure(verdict, engine, passes, every))
            verdict = examine(program, engine, passes, every)
        seeds = ", ".join(str(r.program.seed) for r in same[:12])
        print(f"--- {verdict.sort}: {verdict.detail}\n--- seeds {seeds}\n{describe(program)}")


def describe(program: Program) -> str:
    """A program that can be run: its source, then a call with its arguments."""
    pairs = zip(program.parameters, program.args, strict=True)
    values = ", ".join(f"{name}={literal(value)}" for name, value in pairs)
    return f"# wrt={','.join(program.wrt)!r}\n{program.source}\n\nprint(f({values}))\n"


def summary(records: Sequence[Record]) -> str:
    """Verdicts, what was refused and skipped with an example each, and the digest."""
    sorts = Counter(r.verdict.sort for r in records)
    lines = [
        f"{len(records)} programs: " + ", ".join(f"{n} {sort}" for sort, n in sorts.most_common())
    ]
    for sort in ("refused", "skipped"):
        found = [r for r in records if r.verdict.sort == sort]
        for detail, n in Counter(r.verdict.detail for r in found).most_common(EXAMPLES):
            seed = next(r.program.seed for r in found if r.verdict.detail == detail)
            lines.append(f"  {sort} {n:4}  {detail}  (seed {seed})")
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
