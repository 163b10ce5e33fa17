"""Modules generated from the text of functions that nobody here wrote.

    python -m tests.mass --package scipy --count 300        functions of a package
    python -m tests.mass --package stdlib --mutants 500     and so many changed at random
        [--path FOLDER] [--seed N] [--imports] [--json FILE] [--name TEXT] [--compile numba]

Counts what is written, refused with a code, crashed, late, or written and broken: a module that
does not compile, has an undefined name, or with `--imports` does not import. Fails where anything
is crashed, late or broken.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from select import select

from tests.mass.functions import Target, functions, sample
from tests.mass.judge import SECONDS, Outcome
from tests.mass.mutants import mutated

ROOT = Path(__file__).parents[2]
BAD = ("crashed", "late", "broken")


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mass")
    parser.add_argument("--package", action="append", default=[], help="a package, or stdlib")
    parser.add_argument("--count", type=int, default=0, help="functions of each package")
    parser.add_argument("--mutants", type=int, default=0, help="changed functions of each package")
    parser.add_argument("--name", default="", help="only functions whose file or name has this")
    parser.add_argument("--path", action="append", default=[], type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--imports", action="store_true", help="import what is written")
    parser.add_argument("--compile", default="python", help="who runs the programs")
    parser.add_argument("--json", type=os.path.abspath, help="outcomes, by line")
    return parser.parse_args(arguments)


class Worker:
    """A process that judges; it is ended where it does not answer in time."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen = chosen
        self.process: subprocess.Popen[str] | None = None

    def ask(self, target: Target, imports: bool) -> Outcome:
        process = self.process = self.process or self._start()
        assert process.stdin is not None and process.stdout is not None
        asked = {"target": target, "imports": imports, "compile": self.chosen.compile}
        try:
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            if select([process.stdout], [], [], 10 * SECONDS)[0]:
                return Outcome(*json.loads(process.stdout.readline()))
            self.stop()
            return Outcome("late", "the process does not answer")
        except (OSError, ValueError):
            self.stop()
            return Outcome("crashed", "the process ended")

    def _start(self) -> subprocess.Popen[str]:
        paths = [str(ROOT), *self.chosen.path, *filter(None, [os.environ.get("PYTHONPATH")])]
        quiet = {"ADJOINTGEN_CACHE": "off", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, "-m", "tests.mass.worker"],
            env={**os.environ, **quiet, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None


def targets(package: str, chosen: argparse.Namespace) -> Iterator[Target]:
    """The functions of a package that are asked for, and the changed ones."""
    found = [t for t in functions(package) if chosen.name in f"{t.file}::{t.name}"]
    yield from sample(found, chosen.count, chosen.seed)
    several = -(-chosen.mutants // max(1, len(found)))
    each = [t for _ in range(several) for t in found]
    for k, target in enumerate(sample(each, chosen.mutants, chosen.seed)):
        yield target._replace(seed=k + chosen.seed)


def undefined(texts: Iterable[str]) -> Iterator[frozenset[str]]:
    """What ruff says of each text: the names that are not defined."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k, text in enumerate(texts):
            files.append(Path(folder, f"written_{k}.py"))
            files[-1].write_text(text, "utf-8")
        command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--quiet"]
        command += ["--select", "F821,F822,F823", "--output-format", "json", folder]
        found = json.loads(subprocess.run(command, capture_output=True, text=True).stdout or "[]")
        said: dict[str, set[str]] = {}
        for one in found:
            said.setdefault(Path(one["filename"]).name, set()).add(one["message"])
        yield from (frozenset(said.get(file.name, ())) for file in files)


def outcomes(
    package: str, chosen: argparse.Namespace, worker: Worker
) -> list[tuple[Target, Outcome]]:
    found = []
    for target in targets(package, chosen):
        found.append((target, worker.ask(target, chosen.imports and target.seed < 0)))
        if len(found) % 100 == 0:
            print(f"{package}: {len(found)}", file=sys.stderr, flush=True)
    said = undefined(outcome.text for _, outcome in found)
    return [
        (target, _judged(target, outcome, messages))
        for (target, outcome), messages in zip(found, said, strict=True)
    ]


def _judged(target: Target, outcome: Outcome, messages: frozenset[str]) -> Outcome:
    """A written module is broken where it lacks a name that its function does not lack."""
    if not messages:
        return outcome
    (own,) = undefined([source(target)])
    return (
        outcome._replace(status="broken", cause=min(messages - own)) if messages - own else outcome
    )


def source(target: Target) -> str:
    """The text that a module was generated from."""
    text = Path(target.file).read_bytes().decode("utf-8-sig")
    return text if target.seed < 0 else mutated(text, target.name, target.seed) or ""


def report(package: str, found: list[tuple[Target, Outcome]]) -> str:
    """The counts, and what is bad, line by line."""
    counts = Counter(outcome.status for _, outcome in found)
    codes = Counter(outcome.cause for _, outcome in found if outcome.status == "refused")
    slowest = max((outcome.seconds for _, outcome in found), default=0.0)
    lines = [f"{package}: {len(found)} functions, slowest {slowest} s", f"  {dict(counts)}"]
    lines.append("  " + ", ".join(f"{code} {n}" for code, n in codes.most_common()))
    for target, outcome in found:
        if outcome.status in BAD:
            seed = f" seed {target.seed}" if target.seed >= 0 else ""
            lines.append(f"  {outcome.status} {target.file}::{target.name}{seed}: {outcome.cause}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
    sys.path[:0] = chosen.path
    worker, bad, lines = Worker(chosen), 0, []
    for package in chosen.package:
        found = outcomes(package, chosen, worker)
        print(report(package, found), flush=True)
        bad += sum(outcome.status in BAD for _, outcome in found)
        lines += [json.dumps([package, *target, *outcome]) for target, outcome in found]
    worker.stop()
    if chosen.json:
        Path(chosen.json).write_text("\n".join(lines) + "\n", "utf-8")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
