"""Arrays without axes that a program takes for numbers, and where they would change."""

from __future__ import annotations

import ast

from adjointgen.records import dataclass, field


@dataclass(slots=True)
class ZeroDimArrays:
    """What is known of such arrays in one function, by the names of their values.

    `names` are these arrays, and `shared` those with another name where a loop begins. `rebound`
    are the numbers of which in-place operations make new ones.
    """

    names: dict[str, bool] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    rebound: dict[str, ast.AST] = field(default_factory=dict)
