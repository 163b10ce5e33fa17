"""Draw programs over the whole grammar and judge each: `python -m tests.fuzz.whole.runner`.

    --seed 0 --count 1000       which programs
    --modes tangent,adjoint     which checks
    --keep FILE                 write what is wrong or crashed there, reduced

The summary counts verdicts by mode, refusals by code, and which rows of the tables were never used
in a program that is right.
"""

import argparse
import ast
import os
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.fuzz.whole.draw import ROWS, draw
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
    engine: Any = import_module("adjointgen")
    verdicts: Counter[tuple[str, str]] = Counter()
    codes: Counter[str] = Counter()
    unused = {row.text for rows in ROWS.values() for row in rows}
    for seed in range(options.seed, options.seed + options.count):
        program = draw(seed)
        found = judge(program, engine, tuple(options.modes.split(",")))
        for mode, verdict in found.items():
            verdicts[mode, verdict.sort] += 1
            if verdict.sort == "refused":
                codes[f"{mode} {verdict.kind}: {verdict.detail.splitlines()[0][:60]}"] += 1
            if verdict.sort in ("wrong", "crashed"):
                text = f"# seed {seed} {mode}: {verdict.detail[:300]}\n"
                print(text, end="", flush=True)
                if options.keep:
                    detail, small = reduced(seed, mode)
                    with options.keep.open("a") as file:
                        file.write(
                            f"# seed {seed} {mode} {small.wrt}: {detail[:400]}\n{small.source}\n"
                        )
        if any(v.sort in ("right", "skipped") for v in found.values()):
            unused -= {*program.rows}
    for (mode, sort), count in sorted(verdicts.items()):
        print(f"{mode:9} {sort:9} {count}")
    for code, count in codes.most_common(40):
        print(f"{count:6} {code}")
    print(f"{len(unused)} rows in no program that is accepted")
    for text in sorted(unused) if options.unused else ():
        print("   ", ast.unparse(ast.parse(repr(text))))
    return any(sort in ("wrong", "crashed") for _, sort in verdicts)


if __name__ == "__main__":
    raise SystemExit(main())
