"""Saying which types are guessed, where a command goes on with a guess."""

from __future__ import annotations

from adjointgen.api.modules.argument_types import argument_types, guesses
from adjointgen.cli.messages import note
from adjointgen.config.options import Options
from adjointgen.frontend.source.source import Source


def tell_guesses(source: Source, options: Options) -> None:
    """One line for each guessed type, on standard error."""
    for guess in guesses(argument_types(source, options)):
        note(f"guessed: {guess}", guessed=guess)
