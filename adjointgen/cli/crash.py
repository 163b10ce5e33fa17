"""A fault of adjointgen itself: a short message, and a file with what a report needs.

The file holds the traceback and the listing of the program at hand. It stays on the user's machine.
"""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback

import click

from adjointgen._version import __version__
from adjointgen.errors import InternalError


def report_crash(error: Exception) -> None:
    """Write the report and say where it is."""
    head = error.message if isinstance(error, InternalError) else _named(error)
    click.echo(f"internal error: {head}", err=True)
    click.echo("This is a fault of adjointgen, not of your program. Please report it.", err=True)
    text = crash_text(error)
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="adjointgen-", suffix=".txt", delete=False
        ) as file:
            file.write(text)
    except OSError:
        click.echo(text, err=True)
    else:
        click.echo(f"What a report needs is in {file.name}", err=True)


def crash_text(error: Exception) -> str:
    """Versions, the command, the traceback, and the listing."""
    listing = error.listing if isinstance(error, InternalError) else ""
    lines = [
        f"adjointgen {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {' '.join(sys.argv[1:])}",
        "",
        "".join(traceback.format_exception(error)),
        listing or "There is no listing of the program.",
        "",
    ]
    return "\n".join(lines)


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}".rstrip(
        ": "
    )
