"""Writes the table of passes into docs/architecture.md: `python -m tests.docs.tables`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from adjointgen.passes.row import Pass
from adjointgen.passes.table import IN_ORDER, PHASES

ARCHITECTURE: Final = Path(__file__).parents[2] / "docs" / "architecture.md"
BLOCK: Final = re.compile(r"(<!-- passes -->\n).*?(<!-- /passes -->\n)", re.DOTALL)


def with_passes(page: str) -> str:
    """The page with the tables that the table of passes gives now."""
    assert BLOCK.search(page), "docs/architecture.md has no block between <!-- passes --> marks"
    return BLOCK.sub(lambda found: f"{found[1]}{_tables()}{found[2]}", page)


def _tables() -> str:
    lines = ["| phase | passes |", "|---|---|"]
    for phase, steps in PHASES.items():
        named = [
            one if isinstance(one, str) else f"{one[0]} (+ {', '.join(one[1:])})" for one in steps
        ]
        lines.append(f"| {phase} | {', '.join(named)} |")
    lines += ["", "| pass | file | what it does | source |", "|---|---|---|---|"]
    lines += [f"| {_name(row)} | `{row.file}` | {row.does} | {row.source} |" for row in IN_ORDER]
    return "\n".join(lines) + "\n"


def _name(row: Pass) -> str:
    return f"[{row.name}](passes.md#{row.name})" if row.optional else row.name


if __name__ == "__main__":
    ARCHITECTURE.write_text(with_passes(ARCHITECTURE.read_text("utf-8")), "utf-8")
