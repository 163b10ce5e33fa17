"""One page, side by side: the user's source, its stages, and its derivatives.

    line 11 of the source  ->  class `l11` on every line, of any panel, that comes from it

A style sheet is enough for the links: what shares a class lights up together under the pointer, and
stays lit where the address ends in the line (`#source-11`, `#adjoint-11`). The page is one file
without scripts and without anything from outside, and depends on its arguments alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Final

from adjointgen.errors import Span
from adjointgen.views.listing import Line, Listing
from adjointgen.views.markup import listing, plain, python
from adjointgen.views.tables import Row, Table

Panel = Listing | Table
_LIT: Final = "background: var(--lit)"


def html(
    primal_source: Listing,
    tangent_source: Listing,
    adjoint_source: Listing,
    stages: Sequence[Panel],
) -> str:
    """The page. The lines of the panels are linked to the lines of `primal_source`."""
    derived = [tangent_source, adjoint_source, *stages]
    links = _Links(primal_source, derived)
    title = plain(primal_source.title)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>\n{_style()}{links.style()}</style>",
        "</head>",
        "<body>",
        *_header(title, [primal_source, *derived]),
        "<main>",
        *links.panel(primal_source),
        *_columns([[p for k, p in enumerate(derived) if k % 2 == side] for side in (0, 1)], links),
        "</main>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(parts)


@cache
def _style() -> str:
    return (files("adjointgen.views") / "page.css").read_text("utf-8")


def _header(title: str, panels: Sequence[Panel]) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>{title}</h1>"
    yield "<nav>"
    for panel in panels[1:]:
        yield f'<a href="#{panel.key}">{plain(panel.title)}</a>'
    yield "</nav>"
    yield (
        "<p>Point at a line to see what belongs to it; follow its number to keep it marked. "
        '<span class="dot"></span> active: derivatives pass through.</p>'
    )
    yield "</header>"


def _columns(columns: Sequence[Sequence[Panel]], links: _Links) -> Iterator[str]:
    for column in columns:
        yield '<div class="column">'
        for panel in column:
            yield from links.panel(panel)
        yield "</div>"


class _Links:
    """Which lines of the source have something that belongs to them, and where it begins."""

    def __init__(self, source: Listing, derived: Sequence[Panel]) -> None:
        self._file = next((line.place.file for line in source.lines if line.place), "")
        self._numbers = {line.number for line in source.lines if line.number}
        self._first: dict[tuple[str, int], int] = {}
        for panel in derived:
            items: Sequence[Line | Row] = panel.lines if isinstance(panel, Listing) else panel.rows
            for k, item in enumerate(items):
                number = self._number(item.place)
                if number:
                    self._first.setdefault((panel.key, number), k)

    def _number(self, place: Span | None) -> int:
        """The line of the source that a place is, or 0."""
        known = place is not None and place.file == self._file and place.line in self._numbers
        return place.line if place is not None and known else 0

    def style(self) -> str:
        """One rule for every line of the source that something belongs to."""
        lines = sorted({n for _, n in self._first})
        rules = (f"body:has(.l{n}:hover, .l{n}:target) .l{n} {{ {_LIT} }}\n" for n in lines)
        return "".join(rules)

    def panel(self, panel: Panel) -> Iterator[str]:
        yield f'<section id="{panel.key}">'
        yield f"<h2>{'Source' if panel.key == 'source' else plain(panel.title)}</h2>"
        match panel:
            case Listing():
                yield from self._listing(panel)
            case Table():
                yield from self._table(panel)
        yield "</section>"

    def _listing(self, panel: Listing) -> Iterator[str]:
        texts = [line.text for line in panel.lines]
        if panel.language == "python":
            code = python(texts)
        else:
            code = [listing(text, panel.names) for text in texts]
        yield '<div class="code">'
        for k, (line, markup) in enumerate(zip(panel.lines, code, strict=True)):
            at = self._source_gutter(line) if line.number else self._gutter(line.place)
            dot = f'<span class="{"dot" if line.active else "no"}"></span>' if line.number else ""
            jumps = self._jumps(line.number) if line.number else ""
            opening = self._opening("div", panel.key, k, line.place, "line")
            yield f"{opening}{at}{dot}<code>{markup}</code>{jumps}</div>"
        yield "</div>"

    def _table(self, panel: Table) -> Iterator[str]:
        if not panel.rows:
            yield f"<p>{plain(panel.empty)}</p>"
            return
        yield '<div class="code"><table>'
        head = "".join(f"<th>{plain(cell)}</th>" for cell in ("", *panel.head))
        yield f"<thead><tr>{head}</tr></thead>"
        yield "<tbody>"
        for k, row in enumerate(panel.rows):
            first, *rest = (plain(cell) for cell in row.cells)
            name = f'<span class="v">{first}</span>' if row.active else first
            cells = "".join(f"<td>{cell}</td>" for cell in (self._gutter(row.place), name, *rest))
            yield f"{self._opening('tr', panel.key, k, row.place, 'row')}{cells}</tr>"
        yield "</tbody></table></div>"

    def _opening(self, tag: str, key: str, k: int, place: Span | None, kind: str) -> str:
        """The tag of a line; the first of a panel for a line of the source can be jumped to."""
        number = self._number(place)
        if not number:
            return f'<{tag} class="{kind}">'
        is_first = key == "source" or self._first.get((key, number)) == k
        anchor = f' id="{key}-{number}"' if is_first else ""
        return f'<{tag} class="{kind} l{number}"{anchor}>'

    def _source_gutter(self, line: Line) -> str:
        return f'<a class="at" href="#source-{line.number}">{line.number}</a>'

    def _gutter(self, place: Span | None) -> str:
        number = self._number(place)
        if number:
            return f'<a class="at" href="#source-{number}">{number}</a>'
        if place is None:
            return '<span class="at"></span>'
        where = plain(f"{PurePath(place.file).name}:{place.line}")
        return f'<span class="at" title="{where}">\N{NORTH EAST ARROW}</span>'

    def _jumps(self, number: int) -> str:
        """Links to where each panel has something that belongs to a line of the source."""
        keys = [key for key, n in self._first if n == number]
        links = (f'<a href="#{key}-{number}">{key}</a>' for key in keys)
        return f'<span class="jumps">{"".join(links)}</span>' if keys else ""
