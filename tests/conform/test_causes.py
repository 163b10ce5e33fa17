"""What was once different in a primal program is alike now, or refused with a code."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from adjointgen.api.calls.modes import primal
from adjointgen.errors import AdjointgenError
from tests.conform.causes import CAUSES, REFUSED
from tests.conform.causes_arrays import OF_ARRAYS
from tests.conform.causes_iterators import OF_ITERATORS

ALL = CAUSES | OF_ARRAYS | OF_ITERATORS


@pytest.mark.parametrize("function", ALL, ids=lambda f: str(f.__name__))
def test_it_is_as_python_has_it(function: Any) -> None:
    given = ALL[function]
    expected = _ending(function, *deepcopy(given))
    found = _ending(primal(function, wrt=()), *deepcopy(given))
    assert found == (REFUSED.get(function.__name__) or expected)


def _ending(call: Callable[..., Any], *given: Any) -> object:
    """The value, the exception, or the code of a refusal."""
    try:
        return repr(call(*given))
    except AdjointgenError as error:
        return error.code
    except Exception as error:
        return repr(error)
