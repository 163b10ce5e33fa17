"""`adjointgen rules`: what has a derivative rule, and the rule in both modes.

Everything is read from the table of rules, so that what is printed is what is done.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

import click

from adjointgen.cli.formula import formula
from adjointgen.cli.messages import format_option
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.table import Parameter, Row

KINDS = {
    "elementwise": "acts entry by entry",
    "linear": "linear in what is differentiated",
    "general": "has a rule of its own for each mode",
    "structural": "moves values, known to the transforms by name",
    "constant": "has derivative zero",
    "refuse": "is refused",
}


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@format_option
def rules(name: str | None) -> None:
    """Show what has a derivative rule, in both modes.

    NAME is an operation as it is called: sin, np.sin, math.sin, .sum, or +. Without it, lists all.
    """
    if name is None:
        click.echo("\n".join(listing()))
        return
    found = rows_named(name)
    if not found:
        close = difflib.get_close_matches(_qualified(name), sorted(set(_words())), n=3)
        meant = f"; do you mean {', '.join(close)}?" if close else ""
        raise click.BadParameter(f"no operation {name}{meant}")
    click.echo("\n\n".join("\n".join(_page(row)) for row in found))


def rows_named(name: str) -> list[Row]:
    """The rows that a name may mean: by qualified name, by symbol, or by how that name ends."""
    exact = TABLE.find(_qualified(name)) or TABLE.rows.get(name)
    if exact is not None:
        return [exact]
    rows = [row for row in TABLE.rows.values() if name and row.symbol == name]
    if rows:
        return rows
    end = f".{name}"
    found = {row.name for spelling, row in TABLE.by_spelling.items() if spelling.endswith(end)}
    return [row for row in TABLE.rows.values() if row.name in found]


def _qualified(name: str) -> str:
    return "numpy." + name[3:] if name.startswith("np.") else name


def _words() -> Iterator[str]:
    """Every word that finds a row."""
    for spelling in TABLE.by_spelling:
        yield spelling
        yield spelling.rpartition(".")[2]
    yield from TABLE.rows


def listing() -> Iterator[str]:
    """A table of what can be written, by kind."""
    for kind, meaning in KINDS.items():
        own = (row for name, row in TABLE.rows.items() if name not in TABLE.declared)
        rows = [row for row in own if row.kind == kind and _spelled(row)]
        if not rows:
            continue
        yield f"{kind}: {meaning}"
        names = _together(rows)
        width = max(map(len, names))
        for name in sorted(names):
            yield f"  {name.ljust(width)}  {names[name]}".rstrip()
        yield ""


def _together(rows: Sequence[Row]) -> dict[str, str]:
    """What is said of each row by its name; a distribution has one line for all its functions."""
    found: dict[str, str] = {}
    for row in rows:
        name = _spelled(row)
        owner = name.rpartition(".")[0]
        name = f"{owner}.*" if owner.startswith("scipy.stats.") else name
        found[name] = found.get(name) or row.because or row.edge
    return found


def _spelled(row: Row) -> str:
    """How an operation is written, at its shortest; empty for what only the transforms write."""
    return row.symbol or (_short(row.spellings[0]) if row.spellings else "")


def _short(spelling: str) -> str:
    if spelling.startswith("."):
        return f"array{spelling}"
    return spelling.replace("numpy.", "np.", 1).removeprefix("builtins.")


def _page(row: Row) -> Iterator[str]:
    """Everything that the table says of an operation."""
    yield f"{row.name}({', '.join(map(_parameter, row.parameters))})"
    yield ""
    yield f"kind      {row.kind}: {KINDS[row.kind]}"
    written = [*([row.symbol] if row.symbol else []), *map(_short, row.spellings)]
    if written:
        yield f"written   {', '.join(written)}"
    yield from _modes(row)
    if row.kind == "elementwise" and isinstance(row.domain, tuple):
        intervals = ", ".join(f"[{low:g}, {high:g}]" for low, high in dict.fromkeys(row.domain))
        yield f"tested    on {intervals}"
    for label, text in (("edge", row.edge), ("because", row.because), ("see", row.source)):
        if text:
            yield f"{label:<10}{text}"


def _modes(row: Row) -> Iterator[str]:
    found = formula(row)
    if found is None:
        return
    if found.types:
        yield f"for       {found.types}"
    for label, lines in (("tangent", found.tangent), ("adjoint", found.adjoint)):
        for k, line in enumerate(lines):
            yield f"{label if k == 0 else '':<10}{line}"


def _parameter(parameter: Parameter) -> str:
    if parameter.variadic:
        return f"*{parameter.name}"
    if parameter.operand:
        return parameter.name if parameter.required else f"{parameter.name}=None"
    return f"{parameter.name}={parameter.default!r}"
