"""Messages to a log about objects that the program has taken apart: `logger.debug("%s", self)`.

There is no object that the log could be told of. Where the log is not told, which is so for most
levels, nothing is lost; where it is, the program ends in an error of its own.
"""

from __future__ import annotations

import ast
from typing import Final

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import statement
from adjointgen.rules.framework.builder import const

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
_HARMLESS: Final = ("len", "round", "float", "int", "str", "repr", "abs", "sum", "min", "max", "id")


def level_of(ctx: Context, node: ast.Call, function: Named | Method | None) -> int | None:
    """The level of a message, where the program may go on without it."""
    spelling = function.spelling if isinstance(function, Named) else ""
    home, _, name = spelling.rpartition(".")
    if home != "logging" or name not in LEVELS or ctx.outlines.primal or ctx.catching:
        return None
    given = (*node.args, *(k.value for k in node.keywords))
    calls = [n for arg in given for n in ast.walk(arg) if isinstance(n, ast.Call)]
    harmless = all(isinstance(c.func, ast.Name) and c.func.id in _HARMLESS for c in calls)
    return LEVELS[name] if harmless else None


def not_told(ctx: Context, function: Named | Method | None, level: int) -> Abstract:
    """The program ends where the log would be told."""
    assert isinstance(function, Named)
    if function.line:
        ctx.imports[function.line] = None
    owner = function.text.rpartition(".")[0]
    asked = "logging.getLogger()" if owner == "logging" else owner
    what = "AG102: the log is told of an object that the program has taken apart"
    statement(ctx, f'if {asked}.isEnabledFor({level}):\n    raise RuntimeError("{what}")', ())
    return const(None)
