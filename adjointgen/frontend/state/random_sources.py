"""Whether what is called draws random numbers: a function of a module, or a method of a generator.

np.random.normal(...)                     by its name
rng = np.random.default_rng(0)            by what made it
def f(x, rng): rng.normal(...)            by the object that is given
"""

from __future__ import annotations

import ast
from typing import Final

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named, Outside, Ref
from adjointgen.frontend.domain.module_tables import Living
from adjointgen.frontend.domain.random_sources import is_source
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.foreign_views import maker
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Value

_MODULES: Final = ("numpy.random", "random", "random.Random", "None.Random")
"""What their functions are members of; the last is how a bound method of Python's is spelled."""


def is_random(
    ctx: Context, function: Named | Method | None, called: ast.expr | None = None
) -> bool:
    """Whether a function, or the object that a method belongs to, draws random numbers.

    Of a method of an object, `called` is the text.
    """
    if function is None and isinstance(called, ast.Attribute):
        with ctx.block(ctx.state.fork()):
            owner = ctx.expression(called.value)
            return isinstance(owner, Value | Ref | Outside) and _draws(ctx, owner)
    match function:
        case Named(spelling=spelling):
            return spelling.rpartition(".")[0] in _MODULES
        case Method(owner=Named(spelling=spelling)):
            return spelling in _MODULES
        case Method(owner=owner):
            return _draws(ctx, owner)
    return False


def _draws(ctx: Context, owner: Abstract) -> bool:
    operand = read(ctx, owner)
    if not isinstance(operand, Value):
        return False
    table = ctx.tables.get(operand.name)
    if isinstance(table, Living):
        return is_source(table.value)
    made = maker(ctx, operand)
    callee = str(made.option("callee", "")) if made is not None else ""
    return is_source(ctx.known.get(operand.name)) or callee.rpartition(".")[0] in _MODULES
