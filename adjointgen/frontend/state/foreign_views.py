"""Arrays that may be views of storage that an object holds: what is written to them is stored.

z = np.asarray(m)       z may be what m is a view of
z *= 2.0                store(z, z * 2.0), and not a new value under the name z
"""

from __future__ import annotations

from adjointgen.frontend.state.context import Context
from adjointgen.ir.nodes import WRITES, Apply, Operand, Value
from adjointgen.rules.framework.opaque_writes import gives_new
from adjointgen.rules.framework.table import TABLE

STORED = ("array", "list", "object")


def is_foreign_view(ctx: Context, value: Operand) -> bool:
    """Whether an array may share the storage of what code of which nothing is known was given."""
    made = maker(ctx, value)
    if made is None:
        return value.type.is_array and value.type.rank is None
    if made.op in WRITES:
        return is_foreign_view(ctx, made.args[0])
    if made.op == "verbatim":
        given = any(arg.type.kind in STORED for arg in made.args)
        return given and not gives_new(str(made.option("callee", "")))
    places = TABLE[made.op].looks_into([a.type for a in made.args], dict(made.options))
    shared = [made.args[k] for k in places]
    return any(a.type.kind == "object" or is_foreign_view(ctx, a) for a in shared)


def maker(ctx: Context, value: Operand) -> Apply | None:
    """The operation that made a value, where it is in a block that is still open."""
    for stmts in reversed(ctx.blocks):
        for stmt in reversed(stmts):
            if isinstance(stmt, Apply) and isinstance(value, Value) and value in stmt.results:
                return stmt
    return None
