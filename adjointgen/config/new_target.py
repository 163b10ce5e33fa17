"""A target written into pyproject.toml as text: what stands there keeps its form and comments.

The table goes below the last target, or to the end of the file. The file is read before and after:
if it then says anything but what it said, and the new target, it is not written.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

HEAD: Final = "[[tool.adjointgen.targets]]"
_TABLE: Final = re.compile(r"^\s*\[", re.MULTILINE)
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def with_target(text: str, target: Mapping[str, Any]) -> str:
    """The text with one target more. Raises ValueError where that cannot be done by a table."""
    lines = "\n".join([HEAD, *(f"{key} = {_value(value)}" for key, value in target.items())])
    last = text.rfind(HEAD)
    found = _TABLE.search(text, last + len(HEAD)) if last >= 0 else None
    at = len(text) if found is None else found.start()
    before, after = text[:at].rstrip("\n"), text[at:].lstrip("\n")
    parts = [part for part in (before, lines, after.rstrip("\n")) if part]
    made = "\n\n".join(parts) + "\n"
    wanted = tomllib.loads(text)
    tool = wanted.setdefault("tool", {}).setdefault("adjointgen", {})
    tool.setdefault("targets", [])
    if not isinstance(tool["targets"], list):
        raise ValueError("[tool.adjointgen] targets is no array of tables")
    tool["targets"] = [*tool["targets"], dict(target)]
    try:
        same = tomllib.loads(made) == wanted
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        raise ValueError("the targets are not written as tables; add this one by hand:\n\n" + lines)
    return made


def _value(value: Any) -> str:
    """A value as TOML writes it; JSON's strings are TOML's."""
    if isinstance(value, dict):
        rows = (f"{_key(name)} = {_value(item)}" for name, item in value.items())
        return f"{{ {', '.join(rows)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)
