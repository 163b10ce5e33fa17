"""What a test makes with a changed engine, and what it declares, is kept apart from other tests."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from adjointgen.api.cache import same_text
from adjointgen.api.calls import generated
from adjointgen.api.calls.kept_programs import Kept
from adjointgen.rules.all import TABLE
from adjointgen.watch import Declared


@contextmanager
def own_programs() -> Iterator[None]:
    """Programs that are kept with a function are not found meanwhile, nor these afterwards."""
    before, token, texts = generated.kept_for, object(), same_text.known

    def apart(function: object, way: Hashable) -> Kept:
        return before(function, (token, way))

    generated.kept_for, same_text.known = apart, {}
    try:
        yield
    finally:
        generated.kept_for, same_text.known = before, texts


@contextmanager
def own_rules() -> Iterator[None]:
    """Rules that are declared meanwhile are gone afterwards, and none counts as declared before.

    While a user's rule is declared, no program is kept on disk.
    """
    table, declared = dict(vars(TABLE)), {name: getattr(Declared, name) for name in _DECLARED}
    for name in ("rows", "by_spelling", "declared"):
        setattr(TABLE, name, table[name].copy())
    Declared.count = 0
    Declared.equations = Declared.equations.copy()
    Declared.functions = Declared.functions.copy()
    try:
        yield
    finally:
        vars(TABLE).update(table)
        for name, value in declared.items():
            setattr(Declared, name, value)


_DECLARED = ("count", "equations", "functions")
