"""Finding a program again that another process generated.

    key    the function itself, its captured constants, the recipe, the guard, the tool
    entry  the text, and every live name that was looked at while it was generated

An entry is used only if each of its names can be looked up again and means what it meant: a changed
global, an edited helper or another closure is another program. Names are found from the function:
in its globals and cells, in those of the helpers that were found before, and in loaded modules.
What cannot be found again, or has no description, is not kept, and neither is anything once users
have declared rules, on which any program may depend.

Nothing here needs what generates, so a program is recalled in milliseconds.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from types import FunctionType
from typing import Any, Final

from adjointgen._version import __version__
from adjointgen.api.cache.disk_store import Entry, default_store
from adjointgen.api.cache.stable_description import cells_of, described, written
from adjointgen.api.programs.recipes import Recipe
from adjointgen.api.seeds.seed_data import seeding_data, seeding_from
from adjointgen.api.specialize.load_program import Made
from adjointgen.records import replace
from adjointgen.watch import (
    MISSING,
    Cell,
    Declared,
    Definition,
    Held,
    Kinds,
    Look,
    Members,
    Table,
    form_look,
)
from adjointgen.wrapping import plain

Key = tuple[str, ...]
Place = tuple[int, str, str]
"""A table and a name in it: whose (a look-up's number, -1 for the function itself), kind, name."""

PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def key_of(function: Any, recipe: Recipe, disable: Sequence[str], guard: str) -> Key | None:
    """What a program is kept under, or None where it cannot be kept."""
    root = plain(function)
    if default_store() is None or Declared.count or not isinstance(root, FunctionType):
        return None
    text = written(root)
    if text is None:
        return None
    return (text, cells_of(root), repr(recipe), repr(tuple(disable)), guard, tool())


def recall(function: Any, key: Key) -> Made | None:
    """The program that was kept under a key, if all that it depends on is as it was."""
    store = default_store()
    entry = None if store is None else store.load(key)
    match entry:
        case Entry(
            text,
            {
                "name": str(name),
                "seeding": (dict() | None) as seeding,
                "looks": list(rows),
                "written": list(written),
                "reverse": str(reverse),
                "acts": bool(acts),
            },
        ):
            looks = again(plain(function), rows)
            if looks is not None:
                seeds = None if seeding is None else seeding_from(seeding)
                made = Made(text, name, seeds, looks, tuple(written), reverse=reverse)
                return replace(made, acts=acts, changes=acts)
    return None


def keep(function: Any, key: Key, made: Made, text: str) -> None:
    """Keep a program for the processes that come; `text` is the module that it was made from."""
    store, root = default_store(), plain(function)
    if store is None or not _is_current(root, key, text):
        return
    rows = rows_of(root, made.looks)
    if rows is not None:
        data = {
            "name": made.name,
            "seeding": None if made.seeding is None else seeding_data(made.seeding),
            "looks": rows,
            "written": list(made.written),
            "reverse": made.reverse,
            "acts": made.acts,
        }
        store.save(key, Entry(made.text, data))


def _is_current(root: FunctionType, key: Key, text: str) -> bool:
    """Whether the text, which may have been read long ago, is still what the key was made of."""
    lines = linecache.getlines(root.__code__.co_filename, root.__globals__)
    return "".join(lines) == text and written(root) == key[0]


@cache
def tool() -> str:
    """The version of the package, and what its files look like: a working copy changes."""
    total = hashlib.sha256()
    for line in sorted(_files(PACKAGE)):
        total.update(line.encode("utf-8", "surrogateescape"))
    return f"{__version__} {total.hexdigest()[:16]}"


def _files(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir():
                    yield from _files(entry.path)
                elif entry.name.endswith(".py"):
                    status = entry.stat()
                    yield f"{entry.path} {status.st_size} {status.st_mtime_ns}\n"
    except OSError:  # imported from an archive
        return


def rows_of(
    root: FunctionType, looks: Iterable[Look], meaning_of: Callable[[Any], Any] = described
) -> list[list[Any]] | None:
    """The look-ups as data, or None where one of them has no place or description."""
    functions: list[tuple[int, FunctionType]] = [(-1, root)]
    rows: list[list[Any]] = []
    for number, look in enumerate(looks):
        if isinstance(look.table, Held) and look.name == "<form>":
            # What stands under a name is described with its form, which is noted again.
            rows.append([-1, "<form>", "", ""])
            continue
        place, meaning = _place(look, functions), meaning_of(look.value)
        if place is None or meaning is None:
            return None
        rows.append([*place, meaning])
        if isinstance(found := plain(look.value), FunctionType):
            functions.append((number, found))
    return rows


def _place(look: Look, functions: Iterable[tuple[int, FunctionType]]) -> Place | None:
    if isinstance(look.table, Members):
        home = look.table.module.__name__
        return (-1, home, look.name) if sys.modules.get(home) is look.table.module else None
    if isinstance(look.table, Definition):
        owners = (number for number, f in functions if f is look.table.function)
        return next(((number, "<definition>", look.name) for number in owners), None)
    for number, function in functions:
        for kind in ("<globals>", "<cells>", "<kinds>"):
            if _is_same(_table(function, kind, look.name), look.table):
                return number, kind, look.name
    return None


def _is_same(a: Table | None, b: Table) -> bool:
    """Cells and globals compare by content, which is not meant here."""
    if isinstance(a, Cell) and isinstance(b, Cell):
        return a.cell is b.cell
    if isinstance(a, Kinds) and isinstance(b, Kinds):
        return a.globals is b.globals
    return a is b


def _table(function: FunctionType, kind: str, name: str) -> Table | None:
    """Where a function looks up a name."""
    match kind:
        case "<globals>":
            return function.__globals__
        case "<kinds>":
            return Kinds(function.__globals__)
        case "<definition>":
            return Definition(function)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return Cell(cells[name]) if name in cells else None


def again(
    root: FunctionType,
    rows: Iterable[Any],
    opened: Collection[str] = (),
    meaning_of: Callable[[Any], Any] = described,
) -> tuple[Look, ...] | None:
    """The look-ups, done again; None where one gives something else than it did.

    Captured floats that are `opened` may be others.
    """
    found: list[Look] = []
    for owner, kind, name, meaning in rows:
        table: Table | None
        if kind == "<form>":
            found.append(form_look(found[-1].value))
            continue
        if kind.startswith("<"):
            function = root if owner < 0 else plain(found[owner].value)
            table = _table(function, kind, name)
        else:
            module = sys.modules.get(kind)
            table = None if module is None else Members(module)
        if table is None:
            return None
        found.append(Look(table, name, table.get(name, MISSING)))
        value = found[-1].value
        if owner < 0 and kind == "<cells>" and name in opened:
            if type(value) is not float:
                return None
        elif meaning_of(value) != meaning:
            return None
    return tuple(found)
