"""Constants of a module that programs read, as text: long arrays of whole numbers by their order.

    0 1 | 0 1 2 | 1 2 3 | 2 3 4 | ...     ->     [0, 1], np.add.outer(np.arange(98), [0, 1, 2])

A sequence is a row of pieces, each of which repeats a period to which constants are added each
time; what repeats in no way stands there as it is. Some pieces in turn may repeat, one number added
to all of them, as the lines of a grid do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, Final

import numpy as np

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.printer import INDENT
from adjointgen.ir.nodes import Table
from adjointgen.records import dataclass

PERIODS: Final = 24
"""Entries of a period, at most."""
SHORT: Final = 24
"""Numbers that stand in a list; of more a text is split."""
WIDTH: Final = 92
PIECES: Final = 8
"""Pieces that repeat together, at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`starts + k * steps` for `k` from 0 up to `count`, one after the other."""

    starts: tuple[int, ...]
    steps: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """Some pieces, so many times, each time with `step` more in every number."""

    pieces: tuple[Piece, ...]
    step: int
    count: int


def constant(table: Table, modules: Modules) -> str:
    """The statement that makes a constant."""
    modules.used.add("numpy")
    given = [f"{key}={_text(value, key, modules.numpy)}" for key, value in table.arguments]
    return f"{table.name} = _{table.helper}({', '.join(given)})"


def _text(value: object, key: str, np_: str) -> str:
    if not isinstance(value, tuple) or key == "shape":
        return repr(value)
    texts = [_repeated(one, np_) for one in repeated([*pieces(value)])]
    return _joined(texts, np_) if texts else f"{np_}.zeros(0, int)"


def _joined(texts: Sequence[str], np_: str) -> str:
    """The array of these parts."""
    if len(texts) > 1:
        return f"{np_}.concatenate([{', '.join(texts)}])"
    return f"{np_}.array({texts[0]})" if texts[0].startswith("[") else texts[0]


def _repeated(one: Repeated, np_: str) -> str:
    inner = [_piece(piece, np_) for piece in one.pieces]
    if one.count == 1:
        return inner[0]
    if not one.step:
        return f"{np_}.tile({_joined(inner, np_)}, {one.count})"
    times = _ranged(0, one.step, one.count, np_)
    return f"{np_}.add.outer({times}, {_joined(inner, np_)}).ravel()"


def _piece(piece: Piece, np_: str) -> str:
    starts, steps, count = piece.starts, piece.steps, piece.count
    if count == 1:
        return _listed(starts, np_)
    if len(starts) == 1:
        first, step = starts[0], steps[0]
        if not step:
            return f"{np_}.full({count}, {first})"
        ends = f"{first}, {first + count * step}" if first else f"{count * step}"
        return f"{np_}.arange({ends})" if step == 1 else _ranged(first, step, count, np_)
    if not any(steps):
        return f"{np_}.tile({list(starts)}, {count})"
    if len({*steps}) == 1:
        times = _ranged(0, steps[0], count, np_)
        return f"{np_}.add.outer({times}, {list(starts)}).ravel()"
    product = f"{np_}.outer({np_}.arange({count}), {list(steps)})"
    return f"({product} + {list(starts)}).ravel()"


def _ranged(first: int, step: int, count: int, np_: str) -> str:
    if step == 1 and not first:
        return f"{np_}.arange({count})"
    return f"{np_}.arange({first}, {first + count * step}, {step})"


def _listed(numbers: Sequence[int], np_: str) -> str:
    """Numbers without an order."""
    if len(numbers) <= SHORT:
        return str(list(numbers))
    lines = wrap(" ".join(map(str, numbers)), WIDTH)
    text = f"\n{INDENT}".join(lines)
    return f'{np_}.array("""\n{INDENT}{text}\n{INDENT}""".split(), int)'


def pieces(numbers: Sequence[int]) -> Iterator[Piece]:
    """The pieces of a sequence, the longest that begins at each place."""
    array = np.array(numbers, np.int64)
    covered = [_covered(array, period) for period in range(1, PERIODS + 1)]
    gains = np.array([row - 3 * (k + 1) - 3 for k, row in enumerate(covered)])
    best = np.argmax(gains, axis=0) if len(array) else np.zeros(0, int)
    at, alone = 0, list[int]()
    while at < len(array):
        period = int(best[at]) + 1
        if gains[period - 1, at] <= 0:
            alone.append(int(array[at]))
            at += 1
            continue
        if alone:
            yield Piece(tuple(alone), (), 1)
            alone = []
        count = int(covered[period - 1][at]) // period
        starts = array[at : at + period]
        steps = array[at + period : at + 2 * period] - starts
        yield Piece(tuple(starts.tolist()), tuple(steps.tolist()), count)
        at += count * period
    if alone:
        yield Piece(tuple(alone), (), 1)


def repeated(row: Sequence[Piece]) -> Iterator[Repeated]:
    """The pieces, those that repeat told once. What is left has a single piece each."""
    at = 0
    while at < len(row):
        found = [_from(row, at, width) for width in range(1, PIECES + 1)]
        best = max(found, key=lambda one: len(one.pieces) * one.count - 2 * len(one.pieces))
        if best.count < 3:
            best = Repeated((row[at],), 0, 1)
        yield best
        at += len(best.pieces) * best.count


def _from(row: Sequence[Piece], at: int, width: int) -> Repeated:
    """How often so many pieces from a place on are repeated."""
    first, second = row[at : at + width], row[at + width : at + 2 * width]
    step = second[0].starts[0] - first[0].starts[0] if second else 0
    count = 1
    while row[at + count * width : at + (count + 1) * width] == [
        _moved(piece, count * step) for piece in first
    ]:
        count += 1
    return Repeated(tuple(first), step, count)


def _moved(piece: Piece, by: int) -> Piece:
    return Piece(tuple(start + by for start in piece.starts), piece.steps, piece.count)


def _covered(array: Any, period: int) -> Any:
    """How many numbers from each place on repeat a period to which a constant is added."""
    size, found = len(array), np.zeros(len(array), np.int64)
    if size < 2 * period:
        return found
    same = array[2 * period :] - 2 * array[period:-period] + array[: size - 2 * period] == 0
    places = np.arange(len(same) + 1)
    ends = np.where(np.append(~same, True), places, len(same))
    runs = np.minimum.accumulate(ends[::-1])[::-1] - places
    found[: len(runs)] = runs + 2 * period
    return found - found % period
