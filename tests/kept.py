"""What a test makes with a changed engine, and what it declares, is kept apart from other tests."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from unittest import mock

from adjointgen.api.calls import generated
from adjointgen.api.calls.kept_programs import Kept
from adjointgen.rules.all import TABLE
from adjointgen.watch import Declared


@contextmanager
def own_programs() -> Iterator[None]:
    """Programs that are kept with a function are not found meanwhile, nor these afterwards."""
    before, token = generated.kept_for, object()

    def apart(function: object, way: Hashable) -> Kept:
        return before(function, (token, way))

    with mock.patch.object(generated, "kept_for", apart):
        yield


@contextmanager
def own_rules() -> Iterator[None]:
    """Rules that are declared meanwhile are gone afterwards, and none counts as declared before.

    While a user's rule is declared, no program is kept on disk.
    """
    with (
        mock.patch.multiple(
            TABLE,
            rows=dict(TABLE.rows),
            by_spelling=dict(TABLE.by_spelling),
            declared=set(TABLE.declared),
        ),
        mock.patch.multiple(
            Declared,
            count=0,
            equations=Declared.equations.copy(),
            functions=Declared.functions.copy(),
        ),
    ):
        yield
