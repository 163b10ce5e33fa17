"""Methods of a dict that the module or an object holds.

    DENSITY.get("air", 1.2)     the entry, where the key is known and is there
    DENSITY.get("ice", 1.2)     the default, where it is not
    DENSITY.get(name, 1.2)      a number, where all entries and the default are numbers of one kind
    DENSITY.items()             the entries one by one, where the keys are known and few
    DENSITY.copy()              a dict that the program has made

That a key is there or not is looked up before each call, as what else a program is made of.
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.domain.abstract_values import VIEWS, Abstract, Method, Zipped
from adjointgen.frontend.domain.module_tables import Known, container, part_of
from adjointgen.frontend.library.dicts import of_module
from adjointgen.frontend.library.module_copies import copied_object
from adjointgen.frontend.state import module_objects
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.live_facts import entries_key
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, hold, read
from adjointgen.ir.nodes import Operand
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.framework.builder import const

_PLAIN = (dict, OrderedDict, MappingProxyType)


def looked_up(ctx: Context, node: ast.Call, method: Method) -> Abstract | None:
    """What a method of a dict of the module gives; None for other methods and objects."""
    owner = content(ctx, method.owner)
    table = module_objects.layout(ctx, owner)
    if isinstance(table, Known) and type(container(table)) is list and method.name == "copy":
        return None if node.args or node.keywords else copied_object(ctx, owner, ())
    if not isinstance(table, Known) or type(container(table)) not in _PLAIN:
        return None
    if method.name in (*VIEWS, "copy") and not node.args and not node.keywords:
        return _entries(ctx, method, container(table))
    if method.name != "get" or node.keywords or len(node.args) not in (1, 2):
        return None
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    (key, *rest), _ = arguments(ctx, node)
    ctx.node = node
    default = rest[0] if rest else const(None)
    there = module_objects.holds(ctx, owner, key)
    if there is None:
        return _at_run_time(ctx, method, table, key, default)
    entry: Abstract = ctx.actions.part(ctx, method.owner, key) if there else default
    return entry


def _entries(ctx: Context, method: Method, table: Mapping[object, object]) -> Abstract | None:
    """All entries, as a dict that the program has made or a view of one."""
    if ctx.outlines.primal or len(table) > module_objects.FEW:
        return None
    if method.name in VIEWS and not ctx.outlines.facts.fold(entries_key(table)):
        # A view shows what is written later.
        return None
    made = of_module(ctx, method.owner)
    whole = None if made is None else hold(ctx, made, "")
    return whole if whole is None or method.name == "copy" else Zipped(method.name, (whole,))


def _at_run_time(
    ctx: Context, method: Method, table: Known, key: Abstract, default: Abstract
) -> Abstract:
    """The entry or the default, whichever the run finds."""
    held, found = container(table), part_of(table, None)
    found = ctx.outlines.facts.kind(entries_key(held), found, bool(held))
    holes = Holes(ctx)
    code = f"{holes.fill(method.owner)}.get({holes.fill(key)}, {holes.fill(default)})"
    same = isinstance(found, Type) and _is_of(found, read(ctx, default))
    # What the function has put there may be differentiated.
    read_from: dict[str, Any] = {"outside": tuple(holes.outside)} if holes.outside else {}
    return verbatim(ctx, code, holes.operands, found if same else OBJECT, **read_from)


def _is_of(found: Type, default: Operand) -> bool:
    """Whether the default is a number of the kind that the entries are."""
    return found.is_scalar and default.type.is_scalar and found.dtype == default.type.dtype
