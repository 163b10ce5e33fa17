"""`adjointgen show`: one stage between a function and its derivative."""

from __future__ import annotations

from pathlib import Path

import click

from adjointgen.ad.checkpoints.schedule_loops import with_schedule
from adjointgen.api.inspect.stages import Stages
from adjointgen.api.modules.example import read_example
from adjointgen.api.modules.module import generate_targets
from adjointgen.api.modules.target_names import Target
from adjointgen.api.modules.target_programs import call_of, found_by_name, types_at
from adjointgen.api.programs.build_program import Step, names_of
from adjointgen.cli.guesses import tell_guesses
from adjointgen.cli.messages import format_option
from adjointgen.cli.options import (
    TARGET,
    TargetCommand,
    derivative_options,
    example_options,
    kept_options,
    options_from,
)
from adjointgen.cli.project import with_example
from adjointgen.config.compilers import PYTHON
from adjointgen.config.options import EVERY, MODES, Options
from adjointgen.frontend.lower import lower
from adjointgen.frontend.source.asked_directives import with_directives
from adjointgen.ir.schedules import schedule

STAGES = ("ssa", "activity", "tape", *EVERY, "graph", "html")
GRAPHS = {"dot": "graph", "mermaid": "mermaid", "svg": "svg"}


@click.command(cls=TargetCommand)
@click.argument("target", type=TARGET, metavar="FILE.py::NAME")
@click.option("--stage", required=True, type=click.Choice(STAGES), help="What to show.")
@click.option("--as", "form", type=click.Choice([*GRAPHS]), help="The form of a graph. [dot]")
@example_options
@derivative_options
@kept_options
@click.option("--measure", is_flag=True, help="Run the adjoint, and measure its peak of memory.")
@format_option
def show(
    target: Target,
    stage: str,
    form: str | None,
    wrt: tuple[str, ...],
    example: str | None,
    at: tuple[tuple[str, str], ...],
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, str], ...],
    disable: tuple[str, ...],
    checkpoint: str | None,
    directives: tuple[str, ...],
    measure: bool,
) -> None:
    """Show a stage between a function and its derivative.

    ssa is the function as single assignments, activity says what the derivative passes through,
    tape what is recorded and why; tangent and adjoint are the generated programs, and primal is the
    function itself, read and written back. graph is the dataflow, as text that Graphviz or Mermaid
    draws or as a picture, and html a page that shows everything side by side. With an example, tape
    ends in the peak of memory of the adjoint, as it is predicted, and with --measure as it is.
    """
    if form and stage != "graph":
        raise click.UsageError(f"--as {form} is for --stage graph")
    if measure and (stage != "tape" or not (example or at)):
        raise click.UsageError("--measure is for --stage tape, with --example or --at")
    modes = [stage] if stage in EVERY else MODES
    given = (wrt, modes, types, constants, disable, PYTHON, example, at)
    options = with_example(target, options_from(*given, False, checkpoint, directives))
    if stage in EVERY:
        text = generate_targets([target], options, Path.cwd()).body
    else:
        shown = GRAPHS[form or "dot"] if stage == "graph" else stage
        found = stages(target, options)
        text = getattr(found, shown) + (_peak(found, measure) if stage == "tape" else "")
    click.echo(text.rstrip("\n"))


def _peak(found: Stages, measure: bool) -> str:
    """What stands below the tape where there are arguments."""
    if found.arguments is None:
        return ""
    return f"\n\n{found.measure() if measure else found.peak}"


def stages(target: Target, options: Options) -> Stages:
    """The stages of a function that is named by text."""
    base = Path.cwd()
    found = found_by_name(target, base)
    example = read_example(options.example, base) if options.example else None
    source = found.sources[0]
    if example is None and not options.at:
        tell_guesses(source, options)
    asked = options.directives
    function = lower(with_directives(source, asked), types_at(found, options, example))
    kept = options.checkpoint
    function = with_schedule(function, schedule(kept)) if kept else function
    names = names_of(function, Step("adjoint", options.wrt or None))
    given = call_of(found, options, example)
    return Stages(source, function, names, options.disable, given, found.live, kept, asked)
