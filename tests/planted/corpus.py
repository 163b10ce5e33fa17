"""The programs that faults are looked for with: a fixed, small set.

The golden functions, those of this folder, which each catch what few others do, and some random
ones. Every program has a name.
"""

from functools import cache
from pathlib import Path
from typing import Final

from adjointgen.opt.program import Program
from tests import goldens
from tests.fuzz.generator import generate

OWN: Final = sorted((Path(__file__).parent / "programs").glob("*.py"))
SEEDS: Final = tuple(range(40))


def names() -> tuple[str, ...]:
    """All programs, in the order in which they are tried."""
    files = (path.stem for path in (*OWN, *goldens.PATHS))
    return (*files, *(f"seed {seed}" for seed in SEEDS))


@cache
def program(name: str) -> Program:
    """The program of a name."""
    if name.startswith("seed "):
        return generate(int(name.removeprefix("seed ")))
    (path,) = (path for path in (*OWN, *goldens.PATHS) if path.stem == name)
    return goldens.as_program(goldens.read(path))
