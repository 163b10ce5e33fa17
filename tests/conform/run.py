"""The suites of `suites.txt`, each in a process of its own, and their table in docs/coverage.md.

python -m tests.conform.run rows.json                       all of them; writes counts and the page
python -m tests.conform.run rows.json test.test_float       some; prints their counts
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.conform import table

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "coverage.md"
SECONDS = int(os.environ.get("ADJOINTGEN_CONFORM_SUITE_SECONDS", "1800"))
"""How long a suite may take; the test that it is at then counts as internal."""


def suites() -> list[str]:
    """The modules whose tests are run."""
    return (HERE / "suites.txt").read_text("utf-8").split()


def command(name: str, rows: Path) -> tuple[list[str], dict[str, str]]:
    """What runs a suite: methods of unittest's classes in CPython's, pytest elsewhere."""
    own = {"ADJOINTGEN_CACHE": "off"}
    if name.partition(".")[0] == "test":
        return [sys.executable, "-m", "tests.conform.cases", name, str(rows)], own
    plugins = ["-p", "tests.conform.plugin", "-p", "no:cacheprovider"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, *plugins, "--pyargs", name]
    return pytest, own | {"ADJOINTGEN_CONFORM": str(rows)}


def main(path: str, *names: str) -> None:
    rows = Path(path).absolute()
    rows.parent.mkdir(parents=True, exist_ok=True)
    rows.unlink(missing_ok=True)
    for name in names or suites():
        run(name, rows)
    arguments: Sequence[str] = () if names else ("--write", str(PAGE))
    table.main(str(rows), *arguments)


def run(name: str, rows: Path) -> None:
    """One suite, whose output is thrown away."""
    words, own = command(name, rows)
    try:
        subprocess.run(
            words, env=os.environ | own, timeout=SECONDS, stdout=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"{name} takes longer than {SECONDS} s", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
