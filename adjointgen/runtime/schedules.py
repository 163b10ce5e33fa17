"""Which states of a loop are kept: the schedules of checkpointed adjoints.

`at` has -1 and then the step of each snapshot, in ascending order. Before step `i` each function
says whether the state is to be kept, and removes the snapshots that it replaces. The reverse sweep
is to begin before step `stop`; -1 where that is not known.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""

from __future__ import annotations

from typing import Any


def log_keeps(at: Any, snapshots: Any, i: int, stop: int) -> bool:
    """Keep 0, 1/2, 3/4, 7/8 ... of the steps: the last one with its low bits cleared, one by one.

    There are at most log2(n) + 1 snapshots, and n log2(n) / 2 steps are run again. A snapshot is
    replaced by one whose number has more trailing zeros, so that n need not be known.
    """
    if i <= at[-1] or (stop >= 0 and i & (stop - 1) & -(i & -i) != (stop - 1) & -(i & -i)):
        return False
    while at[-1] > i & (i - 1):
        snapshots.pop()
        at.pop()
    at.append(i)
    return True


def binomial_keeps(at: Any, snapshots: Any, i: int, stop: int, limit: int) -> bool:
    """Keep the states for which the fewest steps are run again, with `limit` snapshots.

    The state before the last step is kept beside them: the reverse sweep begins there. (Griewank
    and Walther 2000.)
    """
    if i <= at[-1]:
        return False
    if at[-1] < 0 or i == stop - 1:
        at.append(i)
        return True
    if i - at[-1] != offset(stop - at[-1], limit - len(snapshots) + 1):
        return False
    at.append(i)
    return True


def offset(n: int, c: int) -> int:
    """Where the next of `c` snapshots goes in `n` steps, the first of which has one; 0 for none.

    No step is run again more often than r times: the smallest r with (c + r)! / (c! r!) >= n.
    """
    if n <= 1 or c <= 1:
        return 0
    r, reach = 0, 1
    while reach < n:
        r += 1
        reach = reach * (c + r) // r
    before = reach * r // (c + r)
    return min(before, n - before * c // (c + r - 1))


def online_keeps(at: Any, snapshots: Any, i: int, stop: int, limit: int, levels: Any) -> bool:
    """Keep each state; where there are `limit`, it replaces one of a lower level than a later one.

    Where there is none, it replaces the last one, one level higher: no step is run again more often
    than necessary, for any number of steps. (Wang, Moin and Iaccarino 2009.)
    """
    level = 0
    if len(snapshots) == limit:
        if limit == 1:
            return False
        k, highest = len(snapshots) - 1, levels[-1]
        while k > 1 and levels[k] >= highest:
            highest = levels[k]
            k -= 1
        if k <= 1:
            k, level = len(snapshots), levels[-1] + 1
        # Numba corrupts memory in `pop(k)` of a list of arrays.
        for m in range(k, len(snapshots)):
            at[m], levels[m], snapshots[m - 1] = at[m + 1], levels[m + 1], snapshots[m]
        at.pop()
        levels.pop()
        snapshots.pop()
    at.append(i)
    levels.append(level)
    return True


def periodic_keeps(at: Any, snapshots: Any, i: int, stop: int, limit: int) -> bool:
    """Keep one state in `limit` in the forward sweep, and each state of a period in the reverse."""
    if i <= at[-1] or (stop < 0 and i % limit):
        return False
    at.append(i)
    return True


def disk_keeps(at: Any, snapshots: Any, i: int, stop: int, limit: int) -> bool:
    """Keep each state of a period's begin in a file, and `limit` of one period in memory.

    (Aupy and Herrmann 2017: between snapshots in files the schedule is that of memory alone.)
    """
    if i <= at[-1]:
        return False
    if i % snapshots.period and i - at[-1] != offset(
        stop - at[-1], limit - len(snapshots.memory) + 1
    ):
        return False
    at.append(i)
    return True


def latest(at: Any, snapshots: Any, i: int) -> Any:
    """The last snapshot before step `i`, and its step; later ones are not needed again."""
    while at[-1] > i:
        snapshots.pop()
        at.pop()
    return at[-1], snapshots[-1]
