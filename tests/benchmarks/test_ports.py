"""The versions of the kernels in JAX have the gradients that adjointgen finds, and know their size.

JAX is an extra of the benchmarks.
"""

from __future__ import annotations

import pytest

from adjointgen import value_and_grad
from tests.benchmarks.kernels.all import KERNELS
from tests.benchmarks.versus.agreement import disagreement, flat
from tests.benchmarks.versus.cases import DIRECT_NAMES, RESTRUCTURED_NAMES, Gives

pytest.importorskip("jax", reason="an extra of the benchmarks")
NAMED = {"PORTS": tuple(KERNELS), "DIRECT": DIRECT_NAMES, "RESTRUCTURED": RESTRUCTURED_NAMES}
EACH = [(kind, name) for kind, names in NAMED.items() for name in names]


@pytest.mark.parametrize("kind, name", EACH, ids=[f"{kind}-{name}" for kind, name in EACH])
def test_gradients_are_equal(kind: str, name: str) -> None:
    from tests.benchmarks.with_jax import all as with_jax

    arguments = KERNELS[name].inputs("tiny")
    found = with_jax.gradients(getattr(with_jax, kind)[name])(arguments)()
    expected = value_and_grad(KERNELS[name].primal, wrt=...)(*arguments)
    parts = flat(expected, Gives.GRADIENTS)
    assert disagreement(flat(found, Gives.GRADIENTS), Gives.GRADIENTS, parts) is None


def test_what_needs_too_much_memory_does_not_run() -> None:
    from tests.benchmarks.with_jax import all as with_jax

    arguments = KERNELS["spmv"].inputs("tiny")
    with pytest.raises(MemoryError, match="out of memory: a call holds"):
        with_jax.gradients(with_jax.DIRECT["spmv"], most=100)(arguments)
