"""What a program means: its value, and its directional derivatives by differences.

    φ(t) = f(x + t ẋ),   φ'(0) = lim (φ(h) - φ(-h)) / 2h

Nothing here knows of differentiation rules: the source is executed as it stands, and φ' comes from
Ridders' extrapolation of central differences (C. J. F. Ridders, Accurate computation of F'(x) and
F'(x)F''(x), Adv. Eng. Softw. 4, 1982), which brings its own error estimate. A central difference
is blind to a kink at 0, so slopes from the left and from the right are compared as well. Points
with a bad estimate or with two slopes are rejected, never judged.
"""

import ast
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from adjointgen.opt.program import FUNCTION, Program, Vector, flatten, refill

TRUSTED: Final = 1e-6
ROUNDS: Final = 20_000


class Rejected(Exception):
    """The oracle has no opinion on this program; the text says why."""


class _Guard(ast.NodeTransformer):
    """Count the rounds of `while` loops, and take `stop_gradient` from the oracle."""

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_tick", ast.Load()), [], [])))
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        return None if node.module == "adjointgen" else node


class Primal:
    """A program as a function of its differentiated numbers, with what `stop_gradient` holds.

    `stop_gradient(e)` is constant to a derivative. Differences see that if e keeps the value that
    it had at the base point, so its values there are recorded once and replayed ever after.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._held: list[Any] = []
        self._next = 0
        self._recording = True
        self._rounds = 0
        tree = ast.fix_missing_locations(_Guard().visit(ast.parse(program.source)))
        self._names: dict[str, Any] = {"_tick": self._tick, "stop_gradient": self._stop}
        try:
            with warnings.catch_warnings(action="error", category=SyntaxWarning):
                exec(compile(tree, "<oracle>", "exec"), self._names)
        except Exception as error:
            raise Rejected(f"does not load: {type(error).__name__}") from error
        self.after = program.fresh_args()
        self.result = self.call(self.after)
        self._recording = False
        self.base = flatten(self.result)

    def call(self, args: list[Any]) -> Any:
        """The result of the source for `args`, which the program may modify."""
        self._next, self._rounds = 0, 0
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise", under="ignore"):
                return self._names[FUNCTION](*args)
        except Rejected:
            raise
        except ArithmeticError as error:
            raise Rejected(f"not finite: {type(error).__name__}: {error}") from error
        except Exception as error:
            raise Rejected(f"raises {type(error).__name__}: {error}") from error

    def moved(self, dots: list[Any], t: float) -> list[Any]:
        """The arguments, the differentiated ones moved by `t` along `dots`."""
        args = self.program.fresh_args()
        for position, dot in zip(self.program.active, dots, strict=True):
            args[position] = refill(args[position], flatten(args[position]) + t * flatten(dot))
        return args

    def at(self, dots: list[Any], t: float) -> Vector:
        values = flatten(self.call(self.moved(dots, t)))
        if values.shape != self.base.shape:
            raise Rejected("the size of the result depends on a value")
        return values

    def _tick(self) -> None:
        self._rounds += 1
        if self._rounds > ROUNDS:
            raise Rejected("does not terminate")

    def _stop(self, value: Any) -> Any:
        if self._recording:
            self._held.append(np.copy(value))
            return value
        if self._next == len(self._held):
            raise Rejected("stop_gradient is reached by another path")
        self._next += 1
        return self._held[self._next - 1]


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """φ'(0), component by component, and how far it may be off."""

    value: Vector
    error: Vector


def directions(program: Program, seed: int) -> list[Any]:
    """A random ẋ for every differentiated argument."""
    rng = np.random.default_rng(seed)
    args = [program.args[position] for position in program.active]
    return [
        refill(a, rng.uniform(0.3, 1.0, flatten(a).size) * rng.choice([-1, 1], flatten(a).size))
        for a in args
    ]


def slope(phi: Callable[[float], Vector], start: float = 0.02) -> Slope:
    """φ'(0), or `Rejected` where the differences do not settle or the two sides disagree."""
    found = ridders(phi, start)
    scale = 1.0 + np.max(np.abs(found.value), initial=0.0)
    if not np.all(found.error <= TRUSTED * scale):
        raise Rejected("differences do not settle")
    if all(_gap(phi, h) > 1e-5 * scale for h in (1e-4, 1e-5)):
        raise Rejected("kink: the one-sided slopes differ")
    return found


def ridders(phi: Callable[[float], Vector], h: float, levels: int = 10) -> Slope:
    """Neville's table of central differences for h, h/2, h/4, …; per component, its best entry."""
    row = [_central(phi, h)]
    best, error = row[0], np.full(row[0].shape, np.inf)
    for _ in range(levels - 1):
        h /= 2
        above, row, factor = row, [_central(phi, h)], 4.0
        for old in above:
            row.append((factor * row[-1] - old) / (factor - 1.0))
            factor *= 4.0
            change = np.maximum(np.abs(row[-1] - row[-2]), np.abs(row[-1] - old))
            better = change <= error
            best, error = np.where(better, row[-1], best), np.where(better, change, error)
    return Slope(best, error)


def _central(phi: Callable[[float], Vector], h: float) -> Vector:
    return (phi(h) - phi(-h)) / (2.0 * h)


def _gap(phi: Callable[[float], Vector], h: float) -> float:
    """How much the second-order slopes from the right and from the left differ."""
    centre = phi(0.0)
    right = (-3.0 * centre + 4.0 * phi(h) - phi(2.0 * h)) / (2.0 * h)
    left = (3.0 * centre - 4.0 * phi(-h) + phi(-2.0 * h)) / (2.0 * h)
    return float(np.max(np.abs(right - left), initial=0.0))


def derivative(primal: Primal, dots: list[Any]) -> Slope:
    """The directional derivative of a program at its arguments."""
    return slope(lambda t: primal.at(dots, t))


def steepness(primal: Primal) -> float:
    """A quick look at how strongly the results answer to the arguments."""
    dots = directions(primal.program, 1)
    change = primal.at(dots, 1e-6) - primal.base
    return float(np.max(np.abs(change), initial=0.0) / 1e-6)
