"""What is differentiated: parameters by the user's names, and the leaves that hold floats."""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.errors import TypeMismatch
from adjointgen.ir.nodes import Function, Node, Value
from adjointgen.ir.packing import Groups, find, leaves, passed


def active_inputs(function: Function, wrt: Collection[str]) -> list[Value]:
    """The parameters that are differentiated, by the user's names.

    Raises TypeMismatch (AG402) for one that is no parameter or holds no floating-point numbers.
    """
    return floats(function, chosen(function, wrt))


def chosen(function: Function, wrt: Collection[str]) -> Groups:
    """What is differentiated: parameters, structures of them, and parts of structures.

    Raises what `active_inputs` raises.
    """
    groups = []
    for name in wrt:
        group = find(function, name)
        if group is None:
            have = ", ".join(p.name for p in passed(function))
            raise TypeMismatch(
                f"{function.name} has no parameter {name} to differentiate",
                code="AG402",
                help=f"choose from {have}",
            )
        empty = isinstance(group[1], Node) and not group[1].children
        if not empty and not floats(function, [group]):
            found = [p for p in function.body.params if p.root == name]
            raise TypeMismatch(
                f"{name} holds {found[0].type.dtype if found else 'no floats'},"
                " which has no derivative",
                code="AG403",
                help=f"pass {name} as a float, or leave it out of wrt",
            )
        groups.append(group)
    return groups


def floats(function: Function, groups: Groups) -> list[Value]:
    """The leaves of groups that can carry a derivative."""
    wanted = {leaf for _, tree in groups for leaf, _ in leaves(tree)}
    return [p for p in function.body.params if p.root in wanted and p.type.is_differentiable]
