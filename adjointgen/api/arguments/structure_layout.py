"""Where the parts of structured arguments are, as data that is kept with a program."""

from __future__ import annotations

from typing import Any

from adjointgen.ir.nodes import Tree
from adjointgen.records import dataclass

Step = tuple[bool, Any]
"""Whether it is an attribute, and the name or key."""
Path = tuple[int, tuple[Step, ...]]
"""The position of an argument, and the steps into it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of the arguments are that a program was made for.

    `leaves` are the parameters of the primal, `opened` the attributes that it looks at, `shared`
    the objects that may be one. `results` is the structure of the program's result, `bare` the
    objects that do not hold what the program takes from their classes, a method.
    """

    leaves: tuple[Path, ...]
    opened: tuple[Path, ...]
    shared: tuple[Path, ...]
    results: Tree
    bare: tuple[tuple[Path, str], ...] = ()
