"""How the programs of a written module are verified: each as a tangent or as an adjoint.

`config/modes.py` has the equations. The value is that of the function where a program returns none.
Those of second order are tangents of its gradient, which is that of the decorator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from adjointgen.api.calls.check_arguments import leaves_of
from adjointgen.config.modes import Mode
from adjointgen.records import dataclass
from adjointgen.verify.structures import (
    StructureMismatch,
    children,
    flatten,
    is_float,
    rebuild,
    unflatten,
)

Program = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Run:
    """A program of a mode: `call` runs it with arguments and seeds, `value` is what it is of.

    So many arguments are `chosen` to be differentiated. Where the program follows several
    `directions`, these are multiples of the one that is given.
    """

    mode: Mode
    call: Callable[[Sequence[Any], Sequence[Any]], Any]
    value: Program
    chosen: int
    directions: int = 0

    def __call__(self, given: Sequence[Any], seeds: Any) -> Any:
        """The value, and the tangent or the adjoints."""
        match self.mode:
            case "primal" | "taylor":
                return self.call(given, seeds)
            case "tangent":
                y, y_dot = self.call(given, self._along(seeds))
                return y, self._one(y_dot)
            case "adjoint" | "split":
                y, *bars = self.call(given, self._along(seeds))
                if self.mode == "split" and self.chosen != 1:
                    (bars,) = bars
                return y, self._one(tuple(bars))
        y = self.value(*deepcopy(tuple(given)))
        match self.mode:
            case "hvp":
                return y, self._one(self.call(given, self._along(seeds)))
            case "gradient":
                return y, self._scaled(self.call(given, ()), seeds)
            case "jacobian-sparse" | "hessian-sparse":
                dots = [np.ravel(dot) for dot in leaves_of(tuple(seeds))]
                found = self.call(given, ()) @ np.concatenate([np.zeros(0), *dots])
                ends = np.cumsum([np.size(leaf) for leaf in leaves_of(y)])
                return y, _with_parts(y, _shaped(y, np.split(found, ends[:-1])))
        return y, _product(self.call(given, ()), y, seeds)

    def _along(self, seeds: Any) -> Any:
        """The seeds with an axis more, for their multiples by 1, 2 and so on."""
        if not self.directions:
            return seeds
        factors = np.arange(1.0, self.directions + 1.0)
        return mapped(seeds, lambda leaf: np.asarray(np.multiply.outer(leaf, factors)))

    def _one(self, derivative: Any) -> Any:
        """The derivative along one of the multiples, divided by it: that which is least like the
        first."""
        if not self.directions:
            return derivative
        each = [mapped(derivative, partial(_part, k)) for k in range(self.directions)]
        first = flatten(each[0])
        apart = [np.max(np.abs(flatten(one) - first), initial=0.0) for one in each]
        return each[int(np.argmax(apart))]

    def _scaled(self, gradient: Any, y_bar: Any) -> tuple[Any, ...]:
        """The adjoints for a seed of the one result."""
        bars = (gradient,) if self.chosen == 1 else gradient
        (scale,) = leaves_of(y_bar)
        return tuple(unflatten(bar, float(scale) * flatten(bar)) for bar in bars)


def seeds_in(tree: Any, count: int) -> list[Any]:
    """The seeds of a result, of which there are so many: one for each number and array, or for each
    list of numbers as a whole."""
    found = [*leaves_of(tree)]
    return found if len(found) == count else [*with_lists(tree)]


def with_lists(tree: Any) -> Iterator[Any]:
    """The numbers, arrays and lists of numbers of a structure, in order."""
    if isinstance(tree, list) and all(map(is_float, tree)):
        yield tree
    elif (parts := children(tree)) is not None:
        own = tree.values() if isinstance(tree, dict) else [part for _, part in parts]
        for part in own:
            yield from with_lists(part)
    elif is_float(tree):
        yield tree


def _part(k: int, leaf: Any) -> Any:
    """What belongs to one of the multiples, divided by its factor."""
    return np.asarray(leaf)[..., k] / (k + 1.0)


def mapped(tree: Any, change: Callable[[Any], Any]) -> Any:
    """A structure with something else in the place of each number and array of floats."""
    parts = children(tree)
    if parts is not None:
        return rebuild(tree, [mapped(part, change) for _, part in parts])
    return change(tree) if is_float(tree) else tree


def _product(blocks: Any, y: Any, dots: Sequence[Any]) -> Any:
    """A Jacobian in its blocks times a direction, in the structure of `y`.

    A list of numbers may have one block with an axis more, the first, or a block for each. Raises
    StructureMismatch for a block that has not the axes of both.
    """
    match y:
        case dict():
            return {key: _product(blocks[key], part, dots) for key, part in y.items()}
        case tuple() | list() if isinstance(y, tuple) or isinstance(blocks, list):
            parts = zip(blocks, y, strict=True)
            return rebuild(y, [_product(own, part, dots) for own, part in parts])
        case list():
            return list(_product_of_array(blocks, np.array(y), dots))
    if (parts_ := children(y)) is not None:
        named = [(label[1:], part) for label, part in parts_]
        own = blocks if isinstance(blocks, dict) else vars(blocks)
        return rebuild(y, [_product(own[name], part, dots) for name, part in named])
    return _product_of_array(blocks, y, dots) if is_float(y) else y


def _product_of_array(blocks: Any, y: Any, dots: Sequence[Any]) -> Any:
    """The same of one number or array."""
    total: Any = np.zeros(np.shape(y), np.asarray(y).dtype)
    for dot, block in zip(leaves_of(tuple(dots)), leaves_of(blocks), strict=True):
        shape = np.shape(y) + np.shape(dot)
        if np.shape(block) != shape:
            raise StructureMismatch(f"a block of shape {np.shape(block)} should have {shape}")
        total = total + np.tensordot(block, dot, np.ndim(dot))
    return total


def _shaped(tree: Any, parts: Sequence[Any]) -> list[Any]:
    """Vectors in the shapes of the leaves of a structure."""
    pairs = zip(parts, leaves_of(tree), strict=True)
    return [np.reshape(part, np.shape(leaf)) for part, leaf in pairs]


def _with_parts(tree: Any, parts: Sequence[Any]) -> Any:
    """The structure with other numbers in the places of its leaves, in the order of `leaves_of`."""
    places = count()
    numbered = mapped(tree, lambda leaf: float(next(places)))
    by_place = dict(zip(leaves_of(numbered), parts, strict=True))
    return mapped(numbered, by_place.__getitem__)
