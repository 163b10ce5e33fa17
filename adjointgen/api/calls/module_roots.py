"""Whether arguments may be what a program has from the module as well, at little cost.

What looks at the objects themselves (`arguments/module_overlap.py`) draws in what generates. It is
loaded for programs that looked at objects of the module, and write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np

from adjointgen.api.arguments.argument_binding import check_apart
from adjointgen.api.arguments.pack_structures import apart_from_parts
from adjointgen.api.calls.kept_programs import Specialisation
from adjointgen.api.specialize.load_program import Made
from adjointgen.watch import CONSTANT, Held, Look

_OVERLAP: Final = "adjointgen.api.arguments.module_overlap"


def roots_of(made: Made, looks: Sequence[Look], values: Iterable[Any]) -> tuple[Any, ...]:
    """The objects of the module that a program looked at, which arguments like these `values` may
    be as well: what it writes to, and else no numbers and arrays."""
    kinds = (list, dict, tuple, partial)
    looked = any(isinstance(o.table, Held) or isinstance(o.value, kinds) for o in looks)
    objects = any(not isinstance(v, (*CONSTANT, np.generic, np.ndarray)) for v in values)
    if not looked or not (made.written or (objects and made.changes)):
        return ()
    found: tuple[Any, ...] = import_module(_OVERLAP).roots_of(looks)
    return found


def check_shared(special: Specialisation, names: Sequence[str], values: tuple[Any, ...]) -> None:
    """Refuse arguments that are written to and share memory with others, or with what the program
    has from the module. Raises Unsupported (AG113, AG114)."""
    made, beside = special.made, [(look.name, look.value) for look in special.looks]
    if special.roots:
        overlap = import_module(_OVERLAP)
        overlap.check_objects(names, values, special.roots, made.changes)
        beside += overlap.storage_in(special.roots) if made.written else []
    if made.layout is not None:
        names = [names[position] for position, _ in made.layout.leaves]
        values = apart_from_parts(made.layout, values)
    check_apart(tuple(names), values, made.written, beside)
