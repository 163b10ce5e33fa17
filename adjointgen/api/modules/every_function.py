"""`FILE.py::*`: every function of a file that can be differentiated, by name.

A function takes part that is defined at the top of the file under a public name, has an argument
and a result of floating-point numbers, and is not refused. The others are named, with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from adjointgen.api.cache.atomic_write import read_text
from adjointgen.api.modules.module import arguments_of, generate_targets
from adjointgen.api.modules.target_names import EVERY, Target
from adjointgen.api.programs.build_program import Step, names_of
from adjointgen.config.options import Options
from adjointgen.errors import AdjointgenError, SourceError
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.lower import lower
from adjointgen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Chosen:
    """The functions that take part, and those that do not, each with the reason."""

    targets: tuple[Target, ...]
    left_out: tuple[tuple[Target, str], ...] = ()


def every_function(targets: Sequence[Target], options: Options, base: Path) -> Chosen:
    """Targets with every `*` replaced by the functions that it stands for.

    Raises SourceError (AG001, AG002, AG003, AG006) where a file cannot be read, or has none.
    """
    found: list[Target] = []
    left_out: list[tuple[Target, str]] = []
    for target in targets:
        if target.name != EVERY:
            found.append(target)
            continue
        before = len(found)
        for one in _public(target, base):
            reason = _reason(one, own_options(one, options, base), base)
            if reason:
                left_out.append((one, reason))
            else:
                found.append(one)
        if len(found) == before:
            raise SourceError(
                f"no function in {target.place} can be differentiated",
                code="AG002",
                help="; ".join(f"{one.name}: {why}" for one, why in left_out) or "it defines none",
            )
    return Chosen(tuple(dict.fromkeys(found)), tuple(left_out))


def own_options(target: Target, options: Options, base: Path) -> Options:
    """The options without declarations of parameters that a function does not have."""
    names = {parameter.arg for parameter in parameters(target.source(base).arguments)}
    return replace(
        options,
        types=tuple(row for row in options.types if row[0] in names),
        constants=tuple(row for row in options.constants if row[0] in names),
    )


def _public(target: Target, base: Path) -> list[Target]:
    text = read_text(target.file(base)) if target.text is None else target.text
    try:
        tree = ast.parse(text or "")
    except (SyntaxError, ValueError):
        tree = None
    if text is None or tree is None:
        # Reading any function of it says in full what is wrong.
        replace(target, name="_").source(base)
        return []
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [replace(target, name=name) for name in names if not name.startswith("_")]


def _reason(target: Target, options: Options, base: Path) -> str:
    """Why a function does not take part; empty where it does."""
    try:
        source = target.source(base)
        function = lower(source, arguments_of(source, options))
        if not names_of(function, Step("adjoint")):
            return "no argument of floating-point numbers"
        if not any(value.type.is_differentiable for value in function.body.yields):
            return "no result of floating-point numbers"
        generate_targets([target], options, base)
    except AdjointgenError as error:
        return f"{error.code}: {error.message}"
    return ""
