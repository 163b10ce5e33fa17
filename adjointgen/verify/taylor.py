"""Taylor tests: with the right derivatives the remainders shrink like the next power of h.

    |f(x + h v) - f(x)|                                   ~ h
    |f(x + h v) - f(x) - h f'(x) v|                       ~ h^2
    |f(x + h v) - f(x) - h f'(x) v - h^2/2 v f''(x) v|    ~ h^3

The test needs no reference and no tolerance on the derivative: a wrong one leaves the remainder a
power short.  Orders are observed between successive steps; remainders at the level of rounding say
nothing about an order, only that the derivative is right up to that level.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjointgen.verify.line import Line, line_through
from adjointgen.verify.structures import Mask, Vector, flatten, spread

STEPS = tuple(2.0**-k for k in range(4, 12))


@dataclass(frozen=True, slots=True)
class TaylorRow:
    """Remainders at one step, without and with each derivative, and the rounding in them."""

    step: float
    remainders: tuple[float, ...]
    rounding: float

    def visible(self, column: int) -> bool:
        """Whether a remainder stands out of the rounding."""
        return self.remainders[column] > 4.0 * self.rounding


@dataclass(frozen=True, slots=True)
class TaylorTable:
    """Rows of shrinking steps; column k has the remainder after k derivatives, of order k + 1."""

    rows: tuple[TaylorRow, ...]

    def orders(self, column: int) -> tuple[float, ...]:
        """The order between each row and the next; NaN where a remainder is not visible."""
        return tuple(
            _order(one, other, column)
            for one, other in zip(self.rows[:-1], self.rows[1:], strict=True)
        )

    def order(self, column: int) -> float:
        """The order at the smallest visible steps; infinite where rounding is all that is left."""
        seen = [row for row in self.rows if row.visible(column)]
        last = [_order(one, seen[-1], column) for one in seen[-3:-1]]
        best = max(last, default=math.inf)
        settled = not self.rows or not self.rows[-1].visible(column)
        return math.inf if settled and best < column + 0.6 else best

    def __str__(self) -> str:
        count = len(self.rows[0].remainders) if self.rows else 0
        orders = [(math.nan, *self.orders(column)) for column in range(count)]
        lines = ["step       " + "".join(f"  remainder {k}  order" for k in range(count))]
        for i, row in enumerate(self.rows):
            cells = "".join(
                f"  {remainder:11.3e}  {_text(order[i]):>5}"
                for remainder, order in zip(row.remainders, orders, strict=True)
            )
            lines.append(f"{row.step:<11.3e}{cells}")
        return "\n".join(lines)


def taylor_test(
    function: Callable[..., Any],
    args: Sequence[Any],
    direction: Any,
    y_dot: Any,
    y_dot_dot: Any = None,
    *,
    wrt: Sequence[int] = (0,),
    steps: Sequence[float] = STEPS,
) -> TaylorTable:
    """The remainders of `function` at `args` along `direction`, a tree for each argument in `wrt`.

    `y_dot` is f'(x) v and `y_dot_dot`, if given, f''(x)[v, v].
    """
    line = line_through(function, args, wrt, direction)
    known = [tree for tree in (y_dot, y_dot_dot) if tree is not None]
    derivatives = [flatten(tree, like=line.result) for tree in known]
    nothing = np.zeros_like(line.here)
    return taylor_table(line, steps, derivatives, nothing, nothing, np.isfinite(line.here))


def taylor_table(
    line: Line,
    steps: Sequence[float],
    derivatives: Sequence[Vector],
    noise: Vector,
    slack: Vector,
    use: Mask,
) -> TaylorTable:
    """The remainders along a line of the results in `use`, each leaf measured by its own size.

    `noise` is the function's own, `slack` the error that the first derivative may have.
    """
    first = derivatives[0] if derivatives else np.zeros_like(line.here)
    size = np.maximum(spread(line.result, line.here), spread(line.result, first))
    weight = np.where(use, 1.0 / np.where(size > 0.0, size, 1.0), 0.0)
    rows = []
    with np.errstate(all="ignore"):
        for h in sorted(set(steps), reverse=True):
            rests = [line.at(h) - line.here]
            for k, derivative in enumerate(derivatives, start=1):
                rests.append(rests[-1] - h**k / math.factorial(k) * derivative)
            remainders = tuple(_norm(rest, weight) for rest in rests)
            rounding = 2.0 * line.noise(first) + 4.0 * noise + h * slack
            if np.all(np.isfinite(remainders)):
                rows.append(TaylorRow(h, remainders, _norm(rounding, weight)))
    return TaylorTable(tuple(rows))


def _norm(vector: Vector, weight: Vector) -> float:
    return float(np.linalg.norm(np.where(weight > 0.0, vector * weight, 0.0)))


def _order(one: TaylorRow, other: TaylorRow, column: int) -> float:
    if not (one.visible(column) and other.visible(column)):
        return math.nan
    shrunk = one.remainders[column] / other.remainders[column]
    return math.log2(shrunk) / math.log2(one.step / other.step)


def _text(order: float) -> str:
    return "" if math.isnan(order) else f"{order:.2f}"
