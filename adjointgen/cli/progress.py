"""What is being worked on, on a terminal; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from adjointgen.cli.messages import is_quiet


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Call the result with the name of each piece of work when it begins."""
    context = click.get_current_context(silent=True)
    if not sys.stderr.isatty() or (context and is_quiet()):
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    columns = [SpinnerColumn(), TextColumn("{task.description}")]
    several = [BarColumn(), MofNCompleteColumn()] if total > 1 else []
    # Results go to standard output while this runs, and must reach it as they are.
    with Progress(
        *columns,
        *several,
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as shown:
        task = shown.add_task("", total=total)
        begun = 0

        def begin(name: str) -> None:
            nonlocal begun
            shown.update(task, description=name, completed=begun)
            begun += 1

        yield begin
