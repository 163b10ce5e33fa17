"""The names by which a function calls others, in its calls and in the user's code."""

from __future__ import annotations

import re
from collections.abc import Mapping

from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Apply, Block, Call, Stmt, names_of
from adjointgen.records import replace


def calling(body: Block, names: Mapping[str, str]) -> Block:
    """A body that calls functions by new names."""

    def renamed(stmt: Stmt) -> Stmt:
        match stmt:
            case Call(function=name):
                return replace(stmt, function=names[name])
            case Apply() if handed := names_of(stmt):
                options = dict(stmt.options) | {"calls": tuple(names[n] for n in handed)}
                either = "|".join(map(re.escape, handed))
                code = re.sub(rf"\b(?:{either})\b", lambda m: names[m[0]], str(options["code"]))
                return replace(stmt, options=tuple(sorted((options | {"code": code}).items())))
        return stmt

    return with_simple(body, renamed)
