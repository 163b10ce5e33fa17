"""Defaults of parameters that are one object for all calls: they may be read, and not be changed.

    def f(x, used={}):      what a call puts into `used` the next one finds there

Where it is written to, or handed to an object that is, depends on the path; it is refused there.
What the text says of the object has to hold of the live one, since other calls may have changed it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from adjointgen.frontend.domain.abstract_values import Abstract, Ref
from adjointgen.frontend.state.context import Context
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import OBJECT
from adjointgen.watch import Held, look

_DEFAULT: Final = "default"
_DISPLAYS: Final = (ast.List, ast.Dict, ast.Set)
_FEW: Final = 64


def mark(ctx: Context, value: Abstract, name: str, node: ast.expr) -> None:
    """Note that a list, dict or array is the default of a parameter.

    Where lists are objects, since code may change them, this may be one of those that are changed.
    """
    if isinstance(node, ast.Name | ast.Attribute | ast.Constant):
        return
    if isinstance(value, Ref):
        ctx.memo[_DEFAULT, value.cell] = name, node
    elif isinstance(node, _DISPLAYS) and isinstance(value, Value) and value.type == OBJECT:
        refuse(ctx, name, node)


def check_kept(ctx: Context, cells: Iterable[int]) -> None:
    """Refuse to write to a default, or to let an object have it that code may change.

    Raises Unsupported (AG130).
    """
    for cell in cells:
        if (found := ctx.memo.get((_DEFAULT, cell))) is not None:
            refuse(ctx, *found)


def refuse(ctx: Context, name: str, node: ast.expr | None) -> NoReturn:
    what = f"the default of {name} is one object that all calls share, and it is changed"
    ctx.refuse("AG130", what, f"write `{name}=None` and make it inside the function", node=node)


def is_as_written(live: object, node: ast.expr) -> bool | None:
    """Whether a live default is what the text says, which is noted.

    None where that is no list or dict of constants.
    """
    try:
        said = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    if not isinstance(said, list | dict) or len(said) > _FEW:
        return None
    return look(Held(live, _spelled), "a default") == _spelled(said)


def _spelled(value: Any) -> str:
    """A text that is one object for equal ones, as what is noted is compared by identity."""
    return sys.intern(repr(value))
