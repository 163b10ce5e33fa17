"""Programs that tests make with a changed engine are kept apart from those of others."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from unittest import mock

from adjointgen.api.calls import generated
from adjointgen.api.calls.kept_programs import Kept


@contextmanager
def own_programs() -> Iterator[None]:
    """Programs that are kept with a function are not found meanwhile, nor these afterwards."""
    before, token = generated.kept_for, object()

    def apart(function: object, way: Hashable) -> Kept:
        return before(function, (token, way))

    with mock.patch.object(generated, "kept_for", apart):
        yield
