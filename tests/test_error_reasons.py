"""Pages of codes that have many reasons name each of them.

The reasons are the messages that the frontend refuses with; of one that is put together, the
longest part that is written out counts.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODES = ("AG101", "AG106", "AG111", "AG112")


@cache
def reasons() -> list[tuple[str, str]]:
    """Code and message of every `refuse("AG101", "...")`."""
    found = []
    for path in sorted((ROOT / "adjointgen").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="refuse" | "unlike" | "absent"),
                    args=[ast.Constant(value=str(code)), what, *_],
                ) if (
                    code in CODES
                ):
                    found.append((str(code), longest(what)))
    return found


def longest(message: ast.expr) -> str:
    """The longest literal part of a message; nothing of a name."""
    parts = message.values if isinstance(message, ast.JoinedStr) else [message]
    texts = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    return max((text.strip() for text in texts), key=len, default="")


@pytest.mark.parametrize("code", CODES)
def test_a_page_names_every_reason(code: str) -> None:
    page = (ROOT / "docs" / "errors" / f"{code}.md").read_text("utf-8")
    found = sorted({message for own, message in reasons() if own == code})
    assert len(found) >= 2
    assert [message for message in found if message not in page] == []
