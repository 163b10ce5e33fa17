"""Every public function of SciPy is in the list: called, or left out with a reason."""

from importlib import import_module

import numpy as np
import pytest
import scipy

from tests.reference.__main__ import judged
from tests.reference.listing import MODULES, calls, listed

KNOWN = "1.17"


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.skipif(not scipy.__version__.startswith(KNOWN), reason="a list of one version")
def test_every_function_is_listed(module: str) -> None:
    found = import_module(f"scipy.{module}")
    names = {n for n in found.__all__ if _is_function(getattr(found, n))}
    assert names - listed(module) == set()


def _is_function(value: object) -> bool:
    known = isinstance(value, type) or hasattr(value, "rvs") or not callable(value)
    return not known or isinstance(value, np.ufunc)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("call", list(calls())[::17], ids=lambda call: f"{call.group}.{call.name}")
def test_a_sample_is_right_or_refused(call, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert judged(call, tmp_path)[0] in ("right", "refused")
