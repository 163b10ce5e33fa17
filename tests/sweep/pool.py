"""Cases spread over processes; one that ends with a case is replaced for the next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.sweep.case import Case
from tests.sweep.judge import Outcome

ROOT = Path(__file__).parents[2]


class Worker:
    """A process of `tests.sweep.worker`, started when it is needed."""

    def __init__(self, path: tuple[str, ...] = ()) -> None:
        self.process: subprocess.Popen[str] | None = None
        paths = [str(ROOT), *path, *filter(None, [os.environ.get("PYTHONPATH")])]
        quiet = {"ADJOINTGEN_CACHE": "off", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
        self.environment = {**os.environ, **quiet, "PYTHONPATH": os.pathsep.join(paths)}

    def ask(self, case: Case) -> Outcome:
        process = self.process or self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(case.as_dict()) + "\n")
            process.stdin.flush()
            return Outcome(**json.loads(process.stdout.readline()))
        except (OSError, ValueError):
            self.stop()
            return Outcome("crashed", cause="the process ended")

    def start(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.sweep.worker"],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self.process

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None


def outcomes(
    cases: Iterable[Case], jobs: int = 1, path: tuple[str, ...] = ()
) -> Iterator[tuple[Case, Outcome]]:
    """Every case with its outcome, in order."""
    idle: SimpleQueue[Worker] = SimpleQueue()
    workers = [Worker(path) for _ in range(jobs)]
    for worker in workers:
        idle.put(worker)

    def one(case: Case) -> tuple[Case, Outcome]:
        worker = idle.get()
        try:
            return case, worker.ask(case)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(jobs) as threads:
        try:
            yield from threads.map(one, cases)
        finally:
            for worker in workers:
                worker.stop()
