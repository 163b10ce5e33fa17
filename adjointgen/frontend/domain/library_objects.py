"""What programs are told of objects of SciPy: they hold for all of one form."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.frontend.domain.frozen_distributions import form_of
from adjointgen.frontend.domain.module_tables import Interpolant, interpolant_of
from adjointgen.frontend.domain.random_sources import is_frozen


def told(value: Any) -> object:
    """The form of an interpolator or of a distribution; None of other objects."""
    if not type(value).__module__.startswith("scipy."):
        return None
    if is_frozen(value):
        return form_of(value)
    table = interpolant_of(value)
    return None if table is None else told_of(table)


def told_of(table: Interpolant) -> object:
    """The form of an interpolator."""
    if table.kind == "spline":
        return table.kind
    points = len(table.value.grid) if table.kind == "grid" else 1
    return table.kind, points, *beyond(table.value).values()


def beyond(value: Any) -> dict[str, Any]:
    """What stands beyond the ends of a table."""
    fill, fails = value.fill_value, value.bounds_error
    known = fill is None or isinstance(fill, str)
    return {
        "bounds_error": fails if fails is None else bool(fails),
        "fill_value": fill if known else float(np.ravel(fill)[0]),
    }
