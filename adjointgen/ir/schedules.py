"""Checkpoint schedules: which states of a loop are kept for its reverse sweep.

    log                          snapshots at 0, 1/2, 3/4, 7/8 ... of the steps: log2(n) + 1 of them
    binomial, snapshots=10       the fewest recomputed steps for so many snapshots
    periodic, period=100         one snapshot in so many steps, all states of one period
    memory="2 GB"                binomial, with as many snapshots as fit
    disk="folder", snapshots=3   one snapshot per period in files, so many in memory between

A loop of which the number of steps is not known when it starts takes the online form of each.
(Griewank and Walther 2000; Wang, Moin and Iaccarino 2009; Aupy and Herrmann 2017.)
"""

from __future__ import annotations

import ast
import re
from typing import Final

from adjointgen.records import dataclass

RULES: Final = ("log", "binomial", "online", "periodic", "disk")
"""The functions of `runtime/schedules.py`."""
KINDS: Final = ("log", "binomial", "periodic", "memory", "disk")
FORMS: Final = (
    'log, "binomial, snapshots=10", "periodic, period=100", \'memory="2 GB"\' and '
    "'disk=\"folder\", snapshots=3'"
)
CLAIM: Final = "independent"
"""The kind of a schedule that keeps nothing: no iteration reads what another has written."""
_UNITS: Final = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_TAKES: Final = {
    "log": ("",),
    "binomial": ("snapshots",),
    "periodic": ("period",),
    "memory": ("memory",),
    "disk": ("disk", "snapshots", "period"),
}


@dataclass(frozen=True, slots=True)
class Schedule:
    """What a directive asks for; 0 and "" where it does not say."""

    kind: str
    snapshots: int = 0
    period: int = 0
    bytes: int = 0
    folder: str = ""

    def __str__(self) -> str:
        parts = [] if self.kind in ("memory", "disk") else [self.kind]
        parts += [f'memory="{self.bytes} B"'] if self.bytes else []
        parts += [f'disk="{self.folder}"'] if self.folder else []
        parts += [f"snapshots={self.snapshots}"] if self.snapshots else []
        parts += [f"period={self.period}"] if self.period else []
        return ", ".join(parts)


INDEPENDENT: Final = Schedule(CLAIM)


def stated(text: str) -> Schedule:
    """The schedule that a loop states in a listing: a directive."""
    return INDEPENDENT if text == CLAIM else schedule(text[len("checkpoint(") : -1])


def schedule(text: str) -> Schedule:
    """The schedule that the arguments of a directive name. Raises ValueError, which says why."""
    try:
        found = ast.parse(f"f({text})", mode="eval").body
    except SyntaxError:
        raise ValueError(f"{text!r} is no schedule") from None
    assert isinstance(found, ast.Call)
    names = [a.id if isinstance(a, ast.Name) else ast.unparse(a) for a in found.args]
    given = {k.arg or "**": k.value for k in found.keywords}
    kind = names[0] if names else next((k for k in ("disk", "memory") if k in given), "")
    if kind not in KINDS or len(names) > 1 or (names and kind in ("disk", "memory")):
        raise ValueError(f"{text!r} is no schedule")
    for key in given.keys() - {*_TAKES[kind]}:
        raise ValueError(f"{kind} takes no {key!r}")
    made = Schedule(
        kind,
        _count(given, "snapshots", {"binomial": 0, "disk": 3}.get(kind)),
        _count(given, "period", {"periodic": 0, "disk": None}.get(kind)),
        _bytes(_text(given, "memory")) if kind == "memory" else 0,
        _text(given, "disk") if kind == "disk" else "",
    )
    return made


def _count(given: dict[str, ast.expr], key: str, default: int | None) -> int:
    """A positive number; one whose default is 0 has to be given."""
    match given.get(key):
        case None if default == 0:
            raise ValueError(f"how many: {key}=10?")
        case None:
            return default or 0
        case ast.Constant(value=int(number)) if number > 0 and number is not True:
            return number
    raise ValueError(f"{key} is a positive number")


def _text(given: dict[str, ast.expr], key: str) -> str:
    match given[key]:
        case ast.Constant(value=str(text)) if text and '"' not in text:
            return text
    raise ValueError(f"{key} is a text in quotes")


def _bytes(text: str) -> int:
    found = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?b)\s*", text.lower())
    try:
        size = float(found[1]) * _UNITS[found[2]] if found else 0.0
    except ValueError:
        size = 0.0
    if size < 1.0:
        raise ValueError(f'{text!r} is no amount of memory, such as "2 GB"')
    return int(size)
