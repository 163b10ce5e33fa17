"""Draw programs over the whole grammar and judge each: `python -m tests.fuzz.whole.runner`.

    --seed 0 --count 1000       which programs
    --modes tangent,adjoint     which checks
    --keep FILE                 write what is wrong or crashed there, reduced

The summary counts verdicts by mode, refusals by code, and which rows of the tables were never used
in a program that is right.
"""

import argparse
import os
import warnings
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.fuzz.examine import Verdict
from tests.fuzz.runner import FAILED
from tests.fuzz.whole.draw import ROWS, Whole, draw
from tests.fuzz.whole.judge import MODES, judge
from tests.fuzz.whole.reduce import reduced


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--unused", action="store_true")
    options = parser.parse_args(arguments)
    os.environ.setdefault("ADJOINTGEN_CACHE", "off")
    warnings.simplefilter("ignore", SyntaxWarning)
    verdicts: Counter[tuple[str, str]] = Counter()
    codes: Counter[str] = Counter()
    unused = {row.text for rows in ROWS.values() for row in rows}
    for seed in range(options.seed, options.seed + options.count):
        program, found = judged(seed, tuple(options.modes.split(",")), options.keep)
        verdicts.update((mode, verdict.sort) for mode, verdict in found.items())
        codes.update(
            f"{mode} {verdict.kind}: {verdict.detail.splitlines()[0][:60]}"
            for mode, verdict in found.items()
            if verdict.sort == "refused"
        )
        if any(verdict.sort in ("right", "skipped") for verdict in found.values()):
            unused -= {*program.rows}
    report(verdicts, codes, unused if options.unused else set())
    return any(sort in FAILED for _, sort in verdicts)


def judged(
    seed: int, modes: tuple[str, ...], keep: Path | None
) -> tuple[Whole, dict[str, Verdict]]:
    """A program and its verdicts; what fails is printed, and kept where that is asked for."""
    engine: Any = import_module("adjointgen")
    program = draw(seed)
    found = judge(program, engine, modes)
    for mode, verdict in found.items():
        if verdict.sort not in FAILED:
            continue
        print(f"# seed {seed} {mode}: {verdict.detail[:300]}", flush=True)
        if keep is not None:
            detail, small = reduced(seed, mode)
            with keep.open("a") as file:
                file.write(f"# seed {seed} {mode} {small.wrt}: {detail[:400]}\n{small.source}\n")
    return program, found


def report(verdicts: Counter[tuple[str, str]], codes: Counter[str], unused: set[str]) -> None:
    """What became of all programs."""
    for (mode, sort), count in sorted(verdicts.items()):
        print(f"{mode:9} {sort:9} {count}")
    for code, count in codes.most_common(40):
        print(f"{count:6} {code}")
    for text in sorted(unused):
        print("in no program that is accepted:", repr(text))


if __name__ == "__main__":
    raise SystemExit(main())
