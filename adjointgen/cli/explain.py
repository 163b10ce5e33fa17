"""`adjointgen explain`: the page of an error code, as it stands in the documentation."""

from __future__ import annotations

import difflib
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from adjointgen.cli.messages import format_option


@click.command()
@click.argument("code", metavar="CODE")
@format_option
def explain(code: str) -> None:
    """Print the page of an error code, such as AG201."""
    pages = error_pages()
    name = code.upper()
    if name not in pages:
        close = difflib.get_close_matches(name, pages, n=3, cutoff=0.5) or sorted(pages)
        raise click.BadParameter(f"no page {code}; there is {', '.join(close) or 'none'}")
    text = pages[name].read_text("utf-8")
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        click.echo(text, nl=False)


def error_pages() -> dict[str, Traversable]:
    """The pages by code: in the package as installed, or in the source tree beside it."""
    for folder in (files("adjointgen") / "docs" / "errors", _beside()):
        if folder.is_dir():
            pages = {Path(page.name).stem: page for page in folder.iterdir()}
            return {code: page for code, page in sorted(pages.items()) if code.startswith("AG")}
    return {}


def _beside() -> Traversable:
    return Path(__file__).parents[2] / "docs" / "errors"
