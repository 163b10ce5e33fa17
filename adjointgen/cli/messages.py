"""Messages: as text, as lines of JSON, as annotations for GitHub, or as one SARIF document.

They go to standard error; what `check` and `verify` find is their result, and goes to standard
output. Of a run with several parts every refusal is told, and the exit code is that of the gravest.

Colour is click's affair: it is dropped where the output is no terminal, or NO_COLOR is set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from adjointgen.api.cache.atomic_write import read_text
from adjointgen.cli.sarif import document, result, result_of
from adjointgen.errors import AdjointgenError

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS: Final = ("text", "json", "github", "sarif")
FAILED: Final = 1
USAGE: Final = 2
REFUSED: Final = 3
_KEY: Final = "adjointgen.format"
_QUIET: Final = "adjointgen.quiet"
_RESULTS: Final = "adjointgen.results"


def _remember(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta[_KEY] = value


def _be_quiet(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_QUIET] = True


def format_option(command: Command) -> Command:
    """The options `--format` and `--quiet`, which every command has."""
    return message_options()(command)


def message_options(*more: str) -> Callable[[Command], Command]:
    """The same, with more forms for the results of a command."""
    silent = click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=_be_quiet,
        is_eager=True,
        help="Say nothing but errors and results.",
    )
    form = click.option(
        "--format",
        type=click.Choice([*FORMATS, *more]),
        expose_value=False,
        callback=_remember,
        is_eager=True,
        help="How messages are written. [text]",
    )

    def add(command: Command) -> Command:
        return form(silent(command))

    return add


def chosen_format() -> str:
    """What `--format` says."""
    found: str = click.get_current_context().meta.get(_KEY, "text")
    return found


def is_quiet() -> bool:
    """Whether `--quiet` was given."""
    return bool(click.get_current_context().meta.get(_QUIET))


class Outcomes:
    """How the parts of a run ended."""

    def __init__(self) -> None:
        self.codes: set[int] = set()

    @contextmanager
    def part(self) -> Iterator[None]:
        """Tell a refusal and go on with what follows."""
        try:
            yield
        except AdjointgenError as error:
            show_error(error)
            self.codes.add(REFUSED)
        except click.UsageError as error:
            show_usage(error)
            self.codes.add(USAGE)

    def end(self) -> None:
        """Leave with the code of the gravest: a wrong number, a refusal, what is not understood."""
        for code in (FAILED, REFUSED, USAGE):
            if code in self.codes:
                click.get_current_context().exit(code)


def show_error(error: AdjointgenError) -> None:
    """A refusal, on standard error."""
    if error.span is not None and not error.source:
        error.source = read_text(Path(error.span.file)) or ""
    match chosen_format():
        case "json":
            click.echo(error.as_json(), err=True)
        case "github":
            click.echo(error.as_github(), err=True)
        case "sarif":
            _kept().append(result_of(error))
        case _:
            click.echo(coloured(str(error)), err=True)


def show_usage(error: click.ClickException) -> None:
    """What is not understood, on standard error."""
    message = error.format_message()
    match chosen_format():
        case "json":
            click.echo(json.dumps({"code": "usage", "message": message}), err=True)
        case "github":
            click.echo(f"::error title=adjointgen::{_escaped(message)}", err=True)
        case "sarif":
            _kept().append(result("usage", message))
        case _:
            click.echo(f"error: {message}", err=True)


def finding(message: str, file: str, kind: str) -> None:
    """What `check` or `verify` found to be wrong of a file, on standard output."""
    match chosen_format():
        case "github":
            click.echo(as_github(message, file))
        case "sarif":
            _kept().append(result(kind, message, file))
        case "text":
            click.echo(f"{file}: {click.style(message, 'red')}")


def close_messages(results: bool) -> None:
    """Print the SARIF document, where that is the format; among `results` or the messages."""
    if chosen_format() == "sarif":
        click.echo(document(_kept()), err=not results)


def _kept() -> list[dict[str, Any]]:
    """The results of a SARIF document so far."""
    found: list[dict[str, Any]] = click.get_current_context().meta.setdefault(_RESULTS, [])
    return found


def note(message: str, **fields: Any) -> None:
    """A message that is no error, on standard error; `fields` are what a program wants of it."""
    if is_quiet():
        return
    match chosen_format():
        case "json":
            click.echo(json.dumps({"message": message, **fields}, ensure_ascii=False), err=True)
        case "sarif":
            pass
        case _:
            click.echo(message, err=True)


def as_github(message: str, file: str) -> str:
    """A workflow command that shows a message at a file."""
    place, text = _escaped(file, ":,"), _escaped(message)
    return f"::error file={place},title=adjointgen::{text}"


def _escaped(text: str, more: str = "") -> str:
    return re.sub(f"[%\r\n{more}]", lambda match: f"%{ord(match[0]):02X}", text)


def coloured(text: str) -> str:
    """A coded message with its parts told apart."""
    head, *rest = text.split("\n")
    parts = re.match(r"(error\[\w+\]): (.*)", head)
    if parts is None:
        return text
    lines = [f"{click.style(parts[1], 'red', bold=True)}: {click.style(parts[2], bold=True)}"]
    return "\n".join([*lines, *map(_coloured_line, rest)])


def _coloured_line(line: str) -> str:
    if line.startswith("help: "):
        return click.style("help", "cyan", bold=True) + line[4:]
    caret = re.fullmatch(r"( *\| [ \t]*)(\^+.*)", line)
    return caret[1] + click.style(caret[2], "red", bold=True) if caret else line
