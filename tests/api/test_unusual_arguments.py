"""Arguments of classes that answer unusually are refused with a code, or passed on."""

from __future__ import annotations

import types
from typing import Any

import pytest

from adjointgen import AdjointgenError, grad, jvp


class Keyed(dict[str, Any]):
    """A dict whose attributes are its entries: it raises KeyError where it has none."""

    __getattr__ = dict.__getitem__


def product(p: Any) -> Any:
    return p["a"] * p["b"]


def passed_on(x: float, p: Any) -> float:
    return float(p["a"]) * x


@pytest.mark.parametrize("make", [Keyed, lambda **d: types.MappingProxyType(d)])
def test_what_is_no_dict(make: Any) -> None:
    p = make(a=2.0, b=3.0)
    for run in (lambda: grad(product)(p), lambda: jvp(product, (p,), (p,))):
        with pytest.raises(AdjointgenError) as caught:
            run()
        assert caught.value.code == "AG403"
    assert grad(passed_on)(0.5, p) == 2.0
