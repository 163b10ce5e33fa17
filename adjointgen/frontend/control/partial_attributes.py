"""A read of an attribute that an object has on some of the paths that lead here.

    if x > 0.0:                     obj.root, and a flag, which is `x > 0.0`
        obj.root = math.sqrt(x)
    return obj.root                 if not flag: raise AttributeError(...)

Where objects meet, each has the attributes of both, and those that one has not a flag. Setting such
an attribute drops it. (As of names: `unbound_names.py`.)
"""

from __future__ import annotations

import ast

from adjointgen.frontend.control.branches import branch
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Struct
from adjointgen.frontend.domain.partial_structures import flag_of, set_everywhere
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import NO, Context
from adjointgen.frontend.state.storage_cells import content, write
from adjointgen.ir.nodes import Value


def own_or_shared(
    ctx: Context, struct: Struct, name: str, shared: Abstract, node: ast.AST
) -> Abstract:
    """The attribute that an object has on some paths, or that of its class on the others."""
    flag, own = flag_of(struct, name), struct.get(name)
    assert own is not None
    if not isinstance(flag, Value):
        return shared if flag == NO else own
    key = f".{name}"
    arms = (lambda: ctx.set(key, own), lambda: ctx.set(key, shared))
    branch(ctx, flag, *arms, ctx.live | {key}, node)
    found = ctx.get(key)
    ctx.state.names.pop(ctx.key(key), None)
    ctx.node = node
    return found


def check_set(ctx: Context, owner: Abstract, name: str, elsewhere: bool, node: ast.AST) -> None:
    """End the path on which an object has no attribute; `elsewhere`, its class may have one."""
    struct = content(ctx, owner)
    assert isinstance(struct, Struct)
    flag = flag_of(struct, name)
    if flag is None or ctx.state.dead:
        return
    if elsewhere or ctx.catching or not isinstance(owner, Ref):
        what = f"whether the object has an attribute {name} of its own depends on the path"
        ctx.unlike("AG106", what, "set it on every path", node=node)
    message = f"the object has no attribute '{name}' here"

    def known() -> None:
        held = content(ctx, owner)
        assert isinstance(held, Struct)
        write(ctx, owner, set_everywhere(held, name))

    if isinstance(flag, Value):
        branch(ctx, flag, known, lambda: fails(ctx, "AttributeError", message), ctx.live, node)
    elif flag == NO:
        fails(ctx, "AttributeError", message)
    ctx.node = node
