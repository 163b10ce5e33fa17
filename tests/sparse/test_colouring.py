"""Groups of columns can be read apart: what a colouring promises, on random patterns."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

from adjointgen.sparse.colouring import apart, star

RNG = np.random.default_rng(2)


def pattern(symmetric: bool) -> np.ndarray:
    shape = RNG.integers(1, 14), RNG.integers(1, 14)
    made = RNG.random((shape[0], shape[0]) if symmetric else shape) < RNG.uniform(0.0, 0.5)
    made = made | made.T if symmetric else made
    return made | np.eye(len(made), dtype=bool) if symmetric and RNG.random() < 0.5 else made


@pytest.mark.parametrize("round", range(200))
def test_no_two_columns_of_a_group_share_a_row(round: int) -> None:
    made = pattern(symmetric=False)
    groups = apart(csr_array(made))
    assert groups.count == groups.of.max(initial=-1) + 1
    for row in made:
        own = groups.of[row]
        assert len({*own}) == len(own)


@pytest.mark.parametrize("round", range(200))
def test_entries_of_symmetric_patterns_are_alone_in_row_or_column(round: int) -> None:
    made = pattern(symmetric=True)
    groups = star(csr_array(made))
    for i, j in zip(*np.nonzero(made), strict=True):
        in_row = np.sum(groups.of[made[i]] == groups.of[j])
        in_column = np.sum(groups.of[made[j]] == groups.of[i])
        assert in_row == 1 or in_column == 1


def test_known_numbers() -> None:
    band = csr_array(diags_array([np.ones(49), np.ones(50), np.ones(49)], offsets=[-1, 0, 1]))
    assert apart(band).count == star(band).count == 3
    arrow = np.eye(50, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    assert star(csr_array(arrow)).count == 2
    assert apart(csr_array(np.eye(50))).count == star(csr_array(np.eye(50))).count == 1
    assert apart(csr_array(np.ones((3, 6)))).count == 6
    assert apart(csr_array((4, 0))).count == 0
