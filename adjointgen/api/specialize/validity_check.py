"""Validity guards: code that re-checks at every call what a program was made from.

    def stands():  … and t0["exp"] is v0 and t1["helper"] is v1 and t2.__code__ is v2.code …

A loop over look-ups costs a call several times what the look-ups do. The text holds names alone, so
programs that read the same names share its code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any
from weakref import ref

from adjointgen.watch import MISSING, Cell, Declared, Definition, Kinds, Look, Members


def standing(root: Any, looks: Iterable[Look]) -> Callable[[], bool]:
    """What tells whether a function has its code, no rule was declared since, and every look-up
    still gives the same object."""
    made: Callable[[], bool] = _made("", [], {}, root, looks)
    return made


def standing_for(
    root: Any, looks: Iterable[Look], tests: Iterable[str], held: Mapping[str, Any]
) -> Callable[[tuple[Any, ...]], bool]:
    """The same, and whether the arguments `args` pass tests that read what is held."""
    made: Callable[[tuple[Any, ...]], bool] = _made("args", [*tests], {**held}, root, looks)
    return made


def _made(
    parameters: str, tests: list[str], held: dict[str, Any], root: Any, looks: Iterable[Look]
) -> Any:
    tests += ["declared.count == count", "root().__code__ is code"]
    held |= {"missing": MISSING, "declared": Declared, "count": Declared.count}
    held |= {"root": ref(root), "code": root.__code__}
    for k, look in enumerate(looks):
        text, held[f"t{k}"], held[f"v{k}"] = _test(look, k)
        tests.append(text)
    exec(_code(parameters, tuple(tests)), held)
    return held["stands"]


@lru_cache(maxsize=256)
def _code(parameters: str, tests: tuple[str, ...]) -> CodeType:
    """A function of these tests; a name that is gone is no longer what it was."""
    lines = [
        f"def stands({parameters}):",
        "    try:",
        f"        return {' and '.join(tests)}",
        "    except (LookupError, ValueError):",
        "        return False",
    ]
    return compile("\n".join(lines), "<stands>", "exec")


def _test(look: Look, k: int) -> tuple[str, Any, Any]:
    """The test of one look-up, with its table and what was found."""
    table, name, value = look.table, look.name, look.value
    if isinstance(table, Members) and name in vars(table.module):
        table = vars(table.module)
    if type(table) is dict:
        if value is MISSING:
            return f"{name!r} not in t{k}", table, value
        return f"t{k}[{name!r}] is v{k}", table, value
    if isinstance(table, Cell) and value is not MISSING:
        return f"t{k}.cell_contents is v{k}", table.cell, value
    if isinstance(table, Kinds) and value is not MISSING:
        return f"type(t{k}[{name!r}]) is v{k}", table.globals, value
    if isinstance(table, Definition) and value is table.state and not table.state.keywords:
        parts = (f"t{k}.__code__ is v{k}.code", f"t{k}.__defaults__ is v{k}.defaults")
        return " and ".join((*parts, f"not t{k}.__kwdefaults__")), table.function, value
    return f"t{k}({name!r}, missing) is v{k}", table.get, value
