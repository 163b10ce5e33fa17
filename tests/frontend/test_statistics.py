"""Definitions of `statistics` have the values of Python's fractions, where sums cancel as well."""

import statistics

import numpy as np
import pytest

from adjointgen import value_and_grad

NAMES = ("mean", "fmean", "variance", "pvariance", "stdev", "pstdev")
POINTS = (
    [1e16, 1.0, -1e16, 3.0],
    [1e8 + 0.25, 1e8 + 0.5, 1e8 + 0.125],
    [0.1, 0.2, 0.3, 0.7, -1.4],
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("point", POINTS, ids=["cancels", "close", "plain"])
def test_values_are_those_of_fractions(name: str, point: list[float]) -> None:
    function = getattr(statistics, name)
    value, slopes = value_and_grad(lambda values: function(values))(point)
    assert value == pytest.approx(function(point), rel=1e-14)
    assert np.all(np.isfinite(slopes))
