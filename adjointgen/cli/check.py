"""`adjointgen check` and `adjointgen diff`: are generated files what would be generated now?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from adjointgen.api.modules.drift import Drift, drift
from adjointgen.api.modules.header import is_generated
from adjointgen.api.modules.target_names import STDIN, shown
from adjointgen.cli.messages import as_github, chosen_format, format_option, note, show_error
from adjointgen.cli.options import standard_input
from adjointgen.cli.progress import progress
from adjointgen.cli.project import project_requests, request_for
from adjointgen.config.options import Request
from adjointgen.records import replace

DRIFTED = 1

Job = tuple[str, Path, Request | None, Path | None]


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@format_option
@click.pass_context
def check(ctx: click.Context, files: tuple[str, ...]) -> None:
    """Tell whether generated files are what would be generated now.

    Says what is not: source changed, options changed, tool changed, edited by hand. Without a FILE,
    checks every target under [tool.adjointgen] in pyproject.toml; a folder stands for the generated
    files below it, and - for standard input. A comment or a line added elsewhere is no drift.
    """
    found = _examined(files)
    for one in found:
        _report(one)
    drifted = [one for one in found if not one.ok]
    for one in drifted:
        if one.error is not None:
            show_error(one.error)
    count = f"{len(found)} file{'s' * (len(found) != 1)}"
    if drifted:
        note(
            f"{len(drifted)} of {count} drifted; `adjointgen diff` shows how", drifted=len(drifted)
        )
        ctx.exit(DRIFTED)
    note(f"{count} up to date", drifted=0)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@format_option
@click.pass_context
def diff(ctx: click.Context, files: tuple[str, ...]) -> None:
    """The same as check, as a unified diff from each file to what would be generated now."""
    found = _examined(files)
    for one in found:
        if text := one.diff():
            click.echo("\n".join(map(_coloured, text.split("\n"))))
        elif not one.ok:
            note(f"{one.path}: {one.detail}", file=one.path)
            if one.error is not None:
                show_error(one.error)
    if not all(one.ok for one in found):
        ctx.exit(DRIFTED)


def _examined(files: tuple[str, ...]) -> list[Drift]:
    jobs = [job for file in files for job in _jobs(file)] if files else _project_jobs()
    found = []
    with progress(len(jobs)) as begin:
        for name, path, request, base in jobs:
            begin(name)
            text = standard_input() if name == STDIN else None
            found.append(replace(drift(path, request, base, text), path=name))
    return found


def _jobs(file: str) -> Iterator[Job]:
    """A file, or the generated files of a folder, each with the project's target for it."""
    path = Path(file)
    if file == STDIN:
        yield file, path, None, None
        return
    if not path.exists() and request_for(path) is None:
        raise click.BadParameter(f"there is no file {file}")
    for one in _generated_below(path) if path.is_dir() else [path]:
        base, request = request_for(one) or (None, None)
        yield one.as_posix(), one, request, base


def _project_jobs() -> list[Job]:
    base, requests = project_requests()
    files = [base / request.output for request in requests]
    return [
        (shown(file, Path.cwd()), file, request, base)
        for file, request in zip(files, requests, strict=True)
    ]


def _generated_below(folder: Path) -> Iterator[Path]:
    """The generated files of a folder, hidden folders left out."""
    for path in sorted(folder.rglob("*.py")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        with path.open("rb") as file:
            if is_generated(file.read(100).decode("utf-8", "ignore")):
                yield path


def _report(found: Drift) -> None:
    """One line per file: of JSON for every file, else for those that drifted."""
    match chosen_format():
        case "json":
            causes = [{"kind": cause.kind, "detail": cause.detail} for cause in found.causes]
            line = {"file": found.path, "ok": found.ok, "causes": causes}
            click.echo(json.dumps(line, ensure_ascii=False))
        case "github" if not found.ok:
            click.echo(as_github(found.detail, found.path))
        case "text" if not found.ok:
            click.echo(f"{found.path}: {click.style(found.detail, 'red')}")


def _coloured(line: str) -> str:
    match line[:1]:
        case "+":
            return click.style(line, "green")
        case "-":
            return click.style(line, "red")
        case "@":
            return click.style(line, "cyan")
    return line
