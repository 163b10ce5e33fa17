"""Benchmarks run in processes of their own, so that nothing of the caller is measured.

A worker is a module with `measure(sizes) -> JSON data`; `python -m tests.benchmarks.worker MODULE
SIZES` prints what it returns. It and what it starts have one CPU, libraries on one thread, and no
cache on disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.benchmarks.programs import Size
from tests.benchmarks.timing import environment, pin

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    programs: Size
    rounds: int
    least: float
    processes: int
    statements: tuple[int, ...]


SIZES = {
    "full": Sizes(Size(1000, 2000, 200, 500), 40, 2e-3, 9, (100, 200, 500, 1000, 2000, 5000)),
    "tiny": Sizes(Size(10, 12, 3, 6), 2, 0.0, 1, (10, 20)),
}


def run_worker(module: str, size: str) -> Any:
    """What `measure` of a module returns, in a fresh process."""
    command = [sys.executable, "-m", "tests.benchmarks.worker", module, size]
    return run_json(command)


def run_code(code: str, *arguments: str, **more: str) -> Any:
    """The JSON that a piece of Python prints, in a fresh process.

    `more` is added to its environment.
    """
    return run_json([sys.executable, "-c", code, *arguments], **more)


def run_json(command: list[str], **more: str) -> Any:
    """The JSON that a command prints."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**environment(os.environ), **more},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    pin()
    print(json.dumps(import_module(sys.argv[1]).measure(SIZES[sys.argv[2]])))
