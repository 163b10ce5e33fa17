"""Whether a function with a rule of its user's gives the shape that it is taken to give.

    @custom(adjoint=...)
    def f(A, x): return A @ x        no function of entries: its type has to be stated by `infer=`

Where nothing is stated, the result counts as that of a function that is applied entry by entry. A
function that only computes is called with arrays of such types to see; where that tells nothing,
the program compares the shapes when it runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from adjointgen.frontend.calls.rule_names import look_at_rule
from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.domain.trial_calls import arguments_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, statement
from adjointgen.frontend.state.storage_cells import perhaps, read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.rules.framework.table import Row

_OTHER: Final = "gives another shape than its arguments have: its rule has to state it by infer="


def of_user(ctx: Context, row: Row, given: Sequence[Abstract], result: Value) -> Abstract:
    """What a function with a user's rule gives: an array of its own, or perhaps an argument."""
    if row.given:
        look_at_rule(row)
    if row.guessed is None:
        return result
    operands = [read(ctx, one) for one in given]
    shares = _require_shape(ctx, row, row.guessed, operands, result)
    return perhaps(ctx, result, given) if shares else result


def _require_shape(
    ctx: Context,
    row: Row,
    function: Callable[..., Any],
    operands: Sequence[Operand],
    result: Value,
) -> bool:
    """Refuse (AG104), or test in the program, what is no function of entries.

    Tells whether the result may be an argument, or a view of one.
    """
    name = row.name.rpartition(".")[2]
    described = tuple((o.type, o.value if isinstance(o, Const) else ...) for o in operands)
    is_tried = not row.effect and all(type.kind != "object" for type, _ in described)
    known, shares = _tried(function, described) if is_tried else (None, False)
    if known is False:
        ctx.refuse("AG104", f"{name} {_OTHER}", "say infer= in @adjointgen.custom(...)")
    if known is None:
        _test(ctx, name, operands, result)
    return shares


@lru_cache(maxsize=512)
def _tried(function: Callable[..., Any], described: tuple[Any, ...]) -> tuple[bool | None, bool]:
    """Whether a call gives the shape of the arguments, and memory of one of them."""
    given = arguments_of(described)
    if given is None:
        return None, False
    shapes = [np.shape(one) for one in given]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            made = function(*given)
            arrays = [one for one in (made, *given) if isinstance(one, np.ndarray)]
            shares = any(np.shares_memory(arrays[0], other) for other in arrays[1:])
            return np.shape(made) == np.broadcast_shapes(*shapes), shares
    except Exception:
        return None, False


def _test(ctx: Context, name: str, operands: Sequence[Operand], result: Value) -> None:
    """The program raises where the result has another shape."""
    arrays = [o for o in operands if not o.type.is_scalar]
    holes = Holes(ctx)
    own = f"np.shape({holes.fill(result)})"
    others = [f"np.shape({holes.fill(one)})" for one in arrays]
    wanted = others[0] if len(others) == 1 else f"np.broadcast_shapes({', '.join(others)})"
    code = f"if {own} != {wanted if others else ()}: raise TypeError({f'{name} {_OTHER}'!r})"
    ctx.imports["import numpy as np"] = None
    statement(ctx, code, holes.operands, raises="TypeError")
