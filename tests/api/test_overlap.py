"""Arguments that share memory are refused where one of them is written."""

import numpy as np
import pytest

from adjointgen import grad
from adjointgen.errors import Unsupported


def written(x, y):
    x[0] = 2 * y[1]
    return np.sum(x * y)


def read(x, y):
    return np.sum(x * y)


A = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("args", [(A, A), (A[:2], A[1:]), (A, A[::-1])])
def test_overlap_with_a_written_argument_is_refused(args):
    with pytest.raises(Unsupported) as refusal:
        grad(written)(*args)
    assert refusal.value.code == "AG113"


def test_disjoint_parts_of_one_array_are_fine():
    m = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(grad(written)(m[0], m[1]), [0.0, 4.0, 5.0])
    assert np.array_equal(grad(written)(m[:, 0].copy(), m[:, 1]), [0.0, 4.0])


def test_overlap_is_fine_where_nothing_is_written():
    assert np.array_equal(grad(read)(A, A), A)
