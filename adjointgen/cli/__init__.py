"""The command line: `adjointgen COMMAND ...`, and what becomes of what goes wrong.

    0    fine                       3    refused: a coded message says what and where
    1    drift, or a wrong number   123  a fault of adjointgen itself
    2    not understood             130  interrupted

A command is imported when it is run or its help is read, so that `adjointgen --help` loads none of
the numerical packages. Results go to standard output, messages to standard error.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from adjointgen._version import __version__
from adjointgen.cli.crash import report_crash
from adjointgen.cli.messages import (
    REFUSED,
    USAGE,
    chosen_format,
    close_messages,
    format_option,
    show_error,
    show_usage,
)
from adjointgen.errors import AdjointgenError

INTERNAL: Final = 123
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

# Each command with the module that it stands in, and what the list of commands says of it.
COMMANDS: Final = {
    "generate": ("generate", "Write the tangent and adjoint programs of functions."),
    "init": ("init", "Write a function as a target into pyproject.toml."),
    "check": ("check", "Tell whether generated files are what would be generated now."),
    "diff": ("check", "The same, as a unified diff."),
    "verify": ("verify", "Test derivatives against differences, at a point."),
    "show": ("show", "Show a stage between a function and its derivative."),
    "rules": ("rules", "Show what has a derivative rule, and the rule."),
    "opt": ("opt", "Run passes one by one; find the one that is at fault."),
    "explain": ("explain", "Print the page of an error code."),
}

# The commands whose result is what they find.
FINDING: Final = ("check", "verify")
# The commands that read functions, whose project may declare rules.
READING: Final = ("generate", "check", "diff", "verify", "show", "rules", "opt")


class Commands(click.Group):
    """The commands by name, and the exit code of every way to end."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        if os.environ.get("NO_COLOR"):
            extra["color"] = False
        return super().make_context(info_name, args, parent, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"adjointgen.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except AdjointgenError as error:
            show_error(error)
            ctx.exit(REFUSED)
        except click.UsageError as error:
            if chosen_format() == "text":
                raise
            show_usage(error)
            ctx.exit(USAGE)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            # Whoever read the output has gone; what is still buffered must not be written either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(BROKEN_PIPE)
        except Exception as error:
            report_crash(error)
            ctx.exit(INTERNAL)
        finally:
            close_messages(results=ctx.invoked_subcommand in FINDING)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", "-V", prog_name="adjointgen")
@format_option
@click.pass_context
def main(ctx: click.Context) -> None:
    """Tangent and adjoint programs of Python functions, as Python source.

    A function is named FILE.py::NAME or package.module:NAME. Exit codes: 0 fine; 1 drift, or a
    derivative failed verification; 2 usage; 3 refused; 123 internal error.
    """
    if ctx.invoked_subcommand in READING:
        import_module("adjointgen.cli.declared_rules").declare_rules()
