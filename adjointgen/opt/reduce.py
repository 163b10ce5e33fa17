"""The smallest function found that fails as a given one does: `adjointgen opt --reduce`.

What fails is a wrong number after a pass (`bisect.py`), a refusal with its code, or a fault of
adjointgen itself. The search is `shrink.py`.
"""

from __future__ import annotations

from typing import Final

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.lower import lower, type_of
from adjointgen.frontend.source.source import source_from_function
from adjointgen.opt.bisect import bisected
from adjointgen.opt.judge import point_of
from adjointgen.opt.program import Program, load, unload
from adjointgen.opt.shrink import shrink
from adjointgen.pipeline import Mode

FINE: Final = ""
BUDGET: Final = 600
"""How many candidates are tried."""


def failure(program: Program, mode: Mode, compiled: bool = False) -> str:
    """How a program fails: the pass after which it is wrong, a code, or an exception; "" if not.

    Raises what the function itself raises at its arguments.
    """
    f = load(program)
    try:
        args = dict(zip(program.parameters, program.fresh_args(), strict=True))
        point = point_of(f, args, program.wrt)
        try:
            types = {name: type_of(name, value) for name, value in args.items()}
            function = lower(source_from_function(f), types)
            return bisected(function, point, mode, (), compiled).culprit
        except AdjointgenError as error:
            return error.code
        except Exception as error:  # a fault of adjointgen itself
            return type(error).__name__
    finally:
        unload(program)


def reduced(program: Program, mode: Mode, compiled: bool = False) -> tuple[str, Program]:
    """How a program fails, and the smallest program found that fails in the same way."""
    wanted = failure(program, mode, compiled)
    if wanted == FINE:
        return FINE, program

    def fails(smaller: Program) -> bool:
        try:
            return failure(smaller, mode, compiled) == wanted
        except Exception:  # what does not run is no smaller program
            return False

    return wanted, shrink(program, fails, BUDGET)
