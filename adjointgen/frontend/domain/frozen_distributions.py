"""Distributions of SciPy with their parameters given: `norm(mu, sigma)`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Module
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE


@dataclass(frozen=True, slots=True, eq=False)
class Frozen:
    """A distribution that the program has made: which one, and its parameters."""

    of: Module
    args: tuple[Abstract, ...]
    keywords: Mapping[str, Abstract]


def is_distribution(module: Module) -> bool:
    """Whether a name stands for a distribution, of which the table has methods."""
    return module.name.startswith("scipy.stats.") and TABLE.find(f"{module.name}.cdf") is not None


def distribution_of(value: Any) -> str | None:
    """The qualified name of the distribution that an object is made of: `scipy.stats.norm`."""
    kinds = {kind.__name__ for kind in type(value).__mro__}
    if "rv_frozen" not in kinds or not type(value).__module__.startswith("scipy.stats"):
        return None
    name = str(value.dist.name)
    plain: Any = getattr(sys.modules.get("scipy.stats"), name, None)
    same = type(plain) is type(value.dist) and (plain.a, plain.b) == (value.dist.a, value.dist.b)
    return f"scipy.stats.{name}" if same and all(map(_is_number, _parameters(value))) else None


def form_of(value: Any) -> object:
    """What a program is told of such an object."""
    return distribution_of(value), len(value.args), tuple(value.kwds), _kinds(value)


def _parameters(value: Any) -> tuple[Any, ...]:
    return *value.args, *value.kwds.values()


def _kinds(value: Any) -> tuple[type, ...]:
    return tuple(map(type, _parameters(value)))


def _is_number(value: object) -> bool:
    return type(value) in (int, float) or type(value).__name__ == "float64"
