"""NumPy functions without a row that are defined by others, in `runtime/defined.py`.

They are read as a helper of the user's would be, and lowered where a float goes in; a call that
computes with integers and strings alone is copied.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from adjointgen.frontend.cells import content, read
from adjointgen.frontend.context import Context
from adjointgen.frontend.source import source_from_file
from adjointgen.frontend.values import Abstract, Closure, Ref, Seq
from adjointgen.ir.nodes import Const, Value

FILE = Path(__file__).parent.parent / "runtime" / "defined.py"
MODULES = {
    "scipy.interpolate": ("bisplev",),
    "adjointgen": ("jacobian",),
    "math": ("ldexp", "remainder", "modf", "dist"),
}
"""What is defined of other modules than NumPy; `math` shares the rest of the names with it."""
BOTH = ("ldexp", "modf")
RANKS = {"bisplev": (0,)}
"""What is defined for arrays of these numbers of axes only."""


@lru_cache(maxsize=64)
def defined(spelling: str) -> Closure | None:
    """The definition of a function, by its qualified name."""
    module, _, name = spelling.rpartition(".")
    elsewhere = {other for names in MODULES.values() for other in names} - {*BOTH}
    known = _names() - elsewhere if module == "numpy" else MODULES.get(module, ())
    if name not in known:
        return None
    return Closure(source_from_file(str(FILE), name))


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    tree = ast.parse(FILE.read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def is_meant(
    ctx: Context, spelling: str, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> bool:
    """Whether a call is one that the definition is for."""
    ranks = RANKS.get(spelling.rpartition(".")[2])
    if ranks is not None and not (args and rank_of(ctx, args[0]) in ranks):
        return False
    return holds_floats(ctx, (*args, *keywords.values()))


def rank_of(ctx: Context, value: Abstract) -> int | None:
    """The number of axes, where it is known."""
    match content(ctx, value):
        case Value() | Ref():
            return read(ctx, value).type.rank
        case Seq(items=items) if items:
            inner = rank_of(ctx, items[0])
            return None if inner is None else inner + 1
        case Const():
            return 0
    return None


def holds_floats(ctx: Context, values: Iterable[Abstract]) -> bool:
    """Whether floats that are no constants are among the arguments."""
    return any(_is_float(ctx, value) for value in values)


def _is_float(ctx: Context, value: Abstract) -> bool:
    match content(ctx, value):
        case Value(type=type):
            return type.is_differentiable
        case Ref() as held:
            return read(ctx, held).type.is_differentiable
        case Seq(items=items):
            return holds_floats(ctx, items)
    return False
