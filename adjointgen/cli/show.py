"""`adjointgen show`: one stage between a function and its derivative."""

from __future__ import annotations

from pathlib import Path

import click

from adjointgen.api.inspect.stages import Stages
from adjointgen.api.modules.module import arguments_of, generate_targets
from adjointgen.api.modules.target_names import Target
from adjointgen.api.programs.build_program import Step, names_of
from adjointgen.cli.messages import format_option
from adjointgen.cli.options import TARGET, TargetCommand, derivative_options, options_from
from adjointgen.config.options import EVERY, MODES, Options
from adjointgen.frontend.lower import lower

STAGES = ("ssa", "activity", "tape", *EVERY, "graph", "html")
GRAPHS = {"dot": "graph", "mermaid": "mermaid", "svg": "svg"}


@click.command(cls=TargetCommand)
@click.argument("target", type=TARGET, metavar="FILE.py::NAME")
@click.option("--stage", required=True, type=click.Choice(STAGES), help="What to show.")
@click.option("--as", "form", type=click.Choice([*GRAPHS]), help="The form of a graph. [dot]")
@derivative_options
@format_option
def show(
    target: Target,
    stage: str,
    form: str | None,
    wrt: tuple[str, ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
) -> None:
    """Show a stage between a function and its derivative.

    ssa is the function as single assignments, activity says what the derivative passes through,
    tape what is recorded and why; tangent and adjoint are the generated programs, and primal is the
    function itself, read and written back. graph is the dataflow, as text that Graphviz or Mermaid
    draws or as a picture, and html a page that shows everything side by side.
    """
    if form and stage != "graph":
        raise click.UsageError(f"--as {form} is for --stage graph")
    options = options_from(wrt, [stage] if stage in EVERY else MODES, types, constants, disable)
    if stage in EVERY:
        text = generate_targets([target], options, Path.cwd()).body
    else:
        shown = GRAPHS[form or "dot"] if stage == "graph" else stage
        text = getattr(stages(target, options), shown)
    click.echo(text.rstrip("\n"))


def stages(target: Target, options: Options) -> Stages:
    """The stages of a function that is named by text."""
    source = target.source(Path.cwd())
    function = lower(source, arguments_of(source, options))
    names = names_of(function, Step("adjoint", options.wrt or None))
    return Stages(source, function, names, options.disable)
