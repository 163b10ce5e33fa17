"""How many snapshots schedules keep and how many steps they run, against the theory."""

import gc
import math
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checkpoint_schedules import Forward, MultistageCheckpointSchedule, StorageType

from adjointgen import grad
from adjointgen.ir.schedules import schedule
from adjointgen.runtime import disk, schedules
from tests.checkpoints.programs import programs

Keeps = Callable[..., bool]


def steps_of(forward: Keeps, backward: Keeps, n: int, limit: tuple[int, ...], known: bool) -> Any:
    """The most snapshots at once, and the steps run beside those of the adjoint."""
    at, kept, levels = [-1], list[int](), [-1]
    most = run = 0
    more = (levels,) if forward is schedules.online_keeps else ()
    for i in range(n):
        if forward(at, kept, i, n if known else -1, *limit, *more):
            kept.append(i)
        most, run = max(most, len(kept)), run + 1
    for i in range(n - 1, -1, -1):
        first, state = schedules.latest(at, kept, i)
        assert first == state
        for j in range(first, i):
            if backward(at, kept, j, i + 1, *limit):
                kept.append(j)
            most, run = max(most, len(kept)), run + 1
        assert kept == at[1:]
    return most, run


def fewest(n: int, c: int) -> int:
    """r n - C(c + r, c + 1) steps: Griewank and Walther 2000."""
    r = 0
    while math.comb(c + r, c) < n:
        r += 1
    return r * n - (math.comb(c + r, c + 1) if r else 0)


def grid() -> Iterator[tuple[int, int]]:
    return ((n, c) for n in (*range(1, 40), 100, 333) for c in range(1, 12))


def test_binomial_runs_the_fewest_steps() -> None:
    for n, c in grid():
        most, run = steps_of(schedules.binomial_keeps, schedules.binomial_keeps, n, (c,), True)
        # The forward sweep takes the last step as well, and its state is kept beside the others.
        assert run == fewest(n, c) + 1 and most <= c + 1, (n, c)


def test_binomial_is_what_a_published_library_counts() -> None:
    for n, c in grid():
        actions = [*MultistageCheckpointSchedule(n, c, 0)]
        taped = StorageType.WORK
        forward = [a for a in actions if isinstance(a, Forward)]
        own = sum(a.n1 - a.n0 for a in forward if not (a.write_adj_deps and a.storage == taped))
        _, run = steps_of(schedules.binomial_keeps, schedules.binomial_keeps, n, (c,), True)
        assert run == own + 1, (n, c)


@pytest.mark.parametrize("known", [True, False])
def test_log_keeps_few_and_runs_few(known: bool) -> None:
    for n in (1, 2, 3, 10, 63, 64, 65, 1000, 4097):
        most, run = steps_of(schedules.log_keeps, schedules.log_keeps, n, (), known)
        assert most <= math.log2(n) + 2 and run - n <= n * math.log2(n) / 2 + n


@pytest.mark.parametrize("c", [1, 2, 3, 5, 10])
def test_online_is_near_the_optimum(c: int) -> None:
    for n in (1, 2, 5, 10, 100, 1000):
        most, run = steps_of(schedules.online_keeps, schedules.binomial_keeps, n, (c,), False)
        assert most <= c + 1 and run - 1 <= 1.15 * fewest(n, c) + c + 2, (n, c, run)


def test_periodic_runs_each_step_once_more() -> None:
    most, run = steps_of(schedules.periodic_keeps, schedules.periodic_keeps, 1000, (30,), False)
    assert most <= 1000 // 30 + 1 + 30 and run <= 2000


def test_texts_of_schedules() -> None:
    for text in ("log", "binomial, snapshots=3", "periodic, period=4", 'disk="a b", snapshots=2'):
        assert str(schedule(text)) == text
    assert schedule('memory="2 GB"').bytes == 2 * 10**9
    assert schedule(str(schedule('memory="1.5 kB"'))).bytes == 1500


def filled(folder: Path, count: int = 7) -> tuple[list[int], disk.Files]:
    """Files with a state for each step."""
    at = [-1]
    files = disk.Files(str(folder), at, 3)
    for i in range(count):
        at.append(i)
        files.append((np.full(4, float(i)), i))
    return at, files


def test_files_give_back_what_they_are_given(tmp_path: Path) -> None:
    at, files = filled(tmp_path)
    assert len(files) == 7 and len(files.memory) == 4 and not [*tmp_path.iterdir()]
    for i in range(6, -1, -1):
        first, (array, number) = schedules.latest(at, files, i)
        assert (first, number) == (i, i) and np.array_equal(array, np.full(4, float(i)))


@pytest.mark.parametrize("damage", ["cut", "byte", "other run", "other step"])
def test_damaged_files_are_told(damage: str, tmp_path: Path) -> None:
    _, files = filled(tmp_path)
    place = files.places[-1]
    if damage == "cut":
        files.file.truncate(place + 40)
    else:
        files.file.seek(place + {"byte": 60, "other run": 0, "other step": 8}[damage])
        old = files.file.read(1)
        files.file.seek(-1, os.SEEK_CUR)
        files.file.write(bytes([old[0] ^ 1]))
    with pytest.raises(OSError, match=r"error\[AG504\].* step 6 cannot be read"):
        files[-1]


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    at, files = filled(tmp_path, 0)
    files.file.close()
    files.file = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115
    at.append(0)
    with files.file, pytest.raises(OSError, match=r"error\[AG504\].* cannot be written: No space"):
        files.append(np.zeros(4))


def test_nothing_is_left_after_an_exception(tmp_path: Path) -> None:
    kept = programs(tmp_path, f'disk="{tmp_path.as_posix()}", snapshots=2, period=2')
    before = {*tmp_path.iterdir()}
    with pytest.raises(ValueError, match="too large"):
        grad(kept.raising)(np.full(4, 1e7), 0.7, 5)
    assert {*tmp_path.iterdir()} == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "states"), [("log", 14), ("binomial, snapshots=5", 7), ('memory="100 kB"', 15)]
)
def test_peaks(text: str, states: int, tmp_path: Path) -> None:
    size, steps = 1000, 3000
    gradient = grad(programs(tmp_path, text).heat)
    u0 = np.linspace(0.0, 1.0, size)
    gradient(u0, 0.1, 2)
    gc.collect()
    tracemalloc.start()
    gradient(u0, 0.1, steps)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The step itself has some twenty arrays at work.
    assert peak < (states + 20) * 8 * size


def test_memory_does_not_grow_with_the_steps(tmp_path: Path) -> None:
    folder = tmp_path.as_posix()
    gradient = grad(programs(tmp_path, f'disk="{folder}", snapshots=10, period=250').heat)
    u0 = np.linspace(0.0, 1.0, 10)
    gradient(u0, 0.1, 1000)

    def peak(steps: int) -> int:
        gc.collect()
        tracemalloc.start()
        gradient(u0, 0.1, steps)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    # What else the process does while it is measured only adds to a peak.
    few, many = (min(peak(steps), peak(steps)) for steps in (1000, 5000))
    # 4000 states are 320 kB; the places in the file are some bytes for each of 16.
    assert many < few + 32000
