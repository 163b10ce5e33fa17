"""`adjointgen show`: one stage between a function and its derivative."""

from __future__ import annotations

from pathlib import Path

import click

from adjointgen.api.module import arguments_of, generate_targets
from adjointgen.api.programs import Step, names_of
from adjointgen.api.stages import Stages
from adjointgen.api.targets import Target
from adjointgen.cli.messages import format_option
from adjointgen.cli.options import TARGET, TargetCommand, derivative_options, options_from
from adjointgen.config.options import MODES, Options
from adjointgen.frontend.lower import lower

LISTINGS = ("ssa", "activity", "tape")


@click.command(cls=TargetCommand)
@click.argument("target", type=TARGET, metavar="FILE.py::NAME")
@click.option(
    "--stage", required=True, type=click.Choice((*LISTINGS, *MODES)), help="What to show."
)
@derivative_options
@format_option
def show(
    target: Target,
    stage: str,
    wrt: tuple[str, ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
) -> None:
    """Show a stage between a function and its derivative.

    ssa is the function as single assignments, activity says what the derivative passes through,
    tape what is recorded and why; tangent and adjoint are the generated programs.
    """
    options = options_from(wrt, [stage] if stage in MODES else MODES, types, constants, disable)
    if stage in MODES:
        text = generate_targets([target], options, Path.cwd()).body
    else:
        text = getattr(stages(target, options), stage)
    click.echo(text.rstrip("\n"))


def stages(target: Target, options: Options) -> Stages:
    """The stages of a function that is named by text."""
    source = target.source(Path.cwd())
    function = lower(source, arguments_of(source, options))
    return Stages(function, names_of(function, Step("adjoint", options.wrt or None)))
