"""Rules that the project declares in which a command is run.

What reads functions stands elsewhere (`project.py`): commands that need no target load none of it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from adjointgen.config.pyproject import ConfigError, find_project, read_rules
from adjointgen.errors import Misuse


def declare_rules() -> None:
    """Declare what the nearest pyproject.toml says of functions without source.

    Raises UsageError where that is not as it should be.
    """
    path = find_project(Path.cwd())
    try:
        if path is not None and (tables := read_rules(path)):
            import_module("adjointgen.rules.opaque_rules").declare_opaque(tables)
    except ConfigError as error:
        raise click.UsageError(str(error)) from error
    except Misuse as error:
        raise click.UsageError(f"{path}: {error.message}") from error
