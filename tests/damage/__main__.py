"""The cache, damaged in many ways: no failure, no wait, no wrong number, and no code of others.

    python -m tests.damage --count 500          so many damages of each file of the cache
        [--total N] [--subject NAME] [--seed N] [--only KIND] [--show N]

Calls of three kinds fill a cache: gradients in Python, values and gradients of functions with
control flow, and gradients that Numba compiles. A file of it is damaged, and the calls are done by
a process that knows nothing but the disk. They have to give what they give without a cache, bit by
bit, and once more afterwards. Fails where they do not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.damage.asking import Answer, ask, warm
from tests.damage.contents import CHANGES, JSON_CHANGES, Beside, Change
from tests.damage.places import PLACES, Damage
from tests.damage.subjects import SUBJECTS

Files = dict[str, bytes]


class Case(NamedTuple):
    """A damage that is done: to which file, of what kind, and when."""

    subject: str
    file: str
    kind: str
    between: bool
    seed: str


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.damage")
    parser.add_argument("--count", type=int, default=500, help="damages of each file")
    parser.add_argument("--total", type=int, default=10**9, help="damages at most, over all files")
    parser.add_argument("--subject", action="append", default=[], choices=[*SUBJECTS])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only kinds of damage whose name has this")
    parser.add_argument("--show", type=int, default=5, help="failures that are printed whole")
    return parser.parse_args(arguments)


class Place:
    """A scratch folder with the cache, and what the files in it are before a damage."""

    def __init__(self, base: Path, subject: str) -> None:
        self.base, self.subject = base, subject
        self.cache, self.home, self.mark = base / "cache", base / "home", base / "ran"
        os.environ["ADJOINTGEN_CACHE"] = "off"
        os.environ["XDG_CACHE_HOME"] = str(self.home)
        self.clean()
        self.expected = self.calls()
        os.environ["ADJOINTGEN_CACHE"] = str(self.cache)
        self.older = [self.filled(-1), self.filled(1)]
        self.files = self.older[-1]

    def calls(self, order: int = 1) -> Answer:
        return ask(self.subject, self.base, order)

    def clean(self) -> None:
        for left in self.base.iterdir():
            if left.is_dir() and not left.is_symlink():
                _open(left)
                shutil.rmtree(left)
            elif left.suffix != ".py":
                left.unlink()
        self.cache.mkdir()
        self.home.mkdir()

    def filled(self, order: int) -> Files:
        """The files after the calls were done in an order, in an empty folder."""
        self.clean()
        assert self.calls(order).results == self.expected.results
        found = (path for path in self.cache.rglob("*") if path.is_file())
        return {str(path.relative_to(self.cache)): path.read_bytes() for path in found}

    def restore(self) -> None:
        self.clean()
        for name, data in self.files.items():
            path = self.cache / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(0o600)

    def beside(self, case: Case) -> Beside:
        suffix = Path(case.file).suffix
        others = [d for n, d in self.files.items() if Path(n).suffix == suffix and n != case.file]
        older = [files[case.file] for files in self.older if case.file in files]
        evil = f"import pathlib; pathlib.Path({str(self.mark)!r}).touch()"
        return Beside(Random(case.seed), others, older, evil)

    def judge(self, case: Case) -> tuple[str, Answer]:
        """What came of a damage: used, written again, not repaired, or what must not be."""
        self.restore()

        def damage() -> None:
            damages_of(case.file)[case.kind](self.cache / case.file, self.beside(case))

        if not case.between:
            damage()
        answer = ask(self.subject, self.base, 1, damage if case.between else None)
        again = self.calls()
        for found in (answer, again):
            if self.mark.exists():
                return "ran code", found
            if found.failure:
                return "late" if found.failure.startswith("no answer") else "failed", found
            if found.results != self.expected.results:
                return "wrong", found
        if _made(again):
            return "not repaired", answer
        return "written again" if _made(answer) else "used", answer


def _made(answer: Answer) -> int:
    return answer.generated + answer.compiled


def _open(path: Path) -> None:
    """Take back what modes forbid, so that a folder can be removed."""
    if not path.is_symlink() and path.is_dir():
        path.chmod(0o700)
        for entry in path.iterdir():
            _open(entry)


def of_content(change: Change) -> Damage:
    def damage(path: Path, beside: Beside) -> None:
        path.write_bytes(change(path.read_bytes(), beside))

    return damage


def damages_of(file: str) -> dict[str, Damage]:
    """The kinds of damage that there are for a file."""
    found = {name: of_content(change) for name, change in CHANGES.items()}
    if file.endswith(".json"):
        found |= {name: of_content(change) for name, change in JSON_CHANGES.items()}
    return found | PLACES


def cases(place: Place, chosen: argparse.Namespace) -> Iterator[Case]:
    """Damages of each file in turn, each kind as often as the others."""
    draw = Random(f"{chosen.seed} {place.subject}")
    for file in sorted(place.files):
        kinds = [kind for kind in damages_of(file) if chosen.only in kind]
        draw.shuffle(kinds)
        for k in range(chosen.count if kinds else 0):
            between = k % 4 == 3
            yield Case(place.subject, file, kinds[k % len(kinds)], between, f"{chosen.seed} {k}")


def campaign(base: Path, chosen: argparse.Namespace) -> Counter[str]:
    """Do all damages; prints what must not be."""
    counts: Counter[str] = Counter()
    subjects = [s for s in chosen.subject or SUBJECTS if s != "compiled" or find_spec("numba")]
    for number, subject in enumerate(subjects):
        place = Place(base, subject)
        place.restore()
        assert not _made(place.calls()), "what is not damaged is used"
        drawn = [*cases(place, chosen)]
        share = chosen.total // len(subjects) + (number < chosen.total % len(subjects))
        if share < len(drawn):
            drawn = Random(chosen.seed).sample(drawn, share)
        for case in drawn:
            status, answer = place.judge(case)
            counts[status] += 1
            if status in BAD:
                print(f"{status}: {case}", flush=True)
                if sum(counts[s] for s in BAD) <= chosen.show:
                    print(answer.failure or answer.results, flush=True)
        print(f"{subject}: {len(place.files)} files, {len(drawn)} damages", flush=True)
        place.clean()
    return counts


BAD = ("failed", "late", "wrong", "ran code")


def main(arguments: list[str]) -> int:
    chosen, begin = options(arguments), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        os.environ["HOME"] = str(base / "home")
        warm(base)
        counts = campaign(base, chosen)
    bad = sum(counts[status] for status in BAD)
    said = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{counts.total()} damages in {time.monotonic() - begin:.0f} s: {said}; {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
