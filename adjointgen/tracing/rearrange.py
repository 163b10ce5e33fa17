"""Functions that move entries, and compute nothing.

Run on the numbers of the entries in place of the entries, such a function says where each entry of
its result comes from: the adjoint goes back there. Numbers are so large that no other integer is
one.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from adjointgen.tracing.standins import filled
from adjointgen.tracing.tape import Part, Spelling

NAMES: Final = frozenset(
    [
        "array",
        "asarray",
        "asanyarray",
        "ascontiguousarray",
        "asfortranarray",
        "copy",
        "astype",
        "reshape",
        "ravel",
        "flatten",
        "transpose",
        "matrix_transpose",
        "permute_dims",
        "flip",
        "fliplr",
        "flipud",
        "roll",
        "rot90",
        "repeat",
        "tile",
        "take",
        "diagonal",
        "broadcast_to",
        "expand_dims",
        "squeeze",
        "swapaxes",
        "moveaxis",
        "rollaxis",
        "resize",
        "delete",
        "insert",
        "append",
        "concatenate",
        "concat",
        "stack",
        "hstack",
        "vstack",
        "dstack",
        "column_stack",
        "block",
        "where",
        "select",
        "choose",
        "compress",
        "extract",
        "tril",
        "triu",
        "diag",
        "diagflat",
        "pad",
        "take_along_axis",
        "require",
        "item",
        "atleast_1d",
        "full",
        "full_like",
        "trim_zeros",
        "fill_diagonal",
    ]
)

FIRST: Final = 1 << 50


def rearrangement(function: Any) -> Any:
    """The rule of a function that moves entries."""

    def rule(g: Any, kept: list[Any], spelling: Spelling) -> list[Any]:
        starts = np.cumsum([FIRST, *(np.size(one) for one in kept[1:])])
        numbers = [
            np.arange(start, start + np.size(one)).reshape(np.shape(one))
            for start, one in zip(starts, kept[1:], strict=False)
        ]
        kwargs = {k: v for k, v in spelling.kwargs.items() if k not in ("dtype", "casting")}
        args = filled(_silent(spelling.args), [None, *numbers])
        found = np.asarray(function(*args, **filled(_silent(kwargs), [None, *numbers])))
        given = []
        for start, one in zip(starts, numbers, strict=False):
            own = (found >= start) & (found < start + one.size)
            part = np.asarray(g)[own]
            given.append(Part(found[own].astype(np.intp) - start, part))
        return given

    rule.by_operand = True  # type: ignore[attr-defined]
    return rule


def _silent(tree: Any) -> Any:
    """Arguments with 0 for every float; what selects stays."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind(_silent(part) for part in tree)
    if kind is dict:
        return {key: _silent(part) for key, part in tree.items()}
    if kind is float or kind is complex:
        return 0
    if isinstance(tree, np.ndarray | np.generic) and tree.dtype.kind in "fc":
        return np.zeros(tree.shape, int)
    return tree
