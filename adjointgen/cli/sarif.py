"""Messages as one SARIF document, which code scanning services read.

Source: OASIS Standard, Static Analysis Results Interchange Format (SARIF) 2.1.0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from adjointgen._version import __version__
from adjointgen.errors import AdjointgenError

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(results: Sequence[dict[str, Any]]) -> str:
    """The document of one run."""
    rules = [{"id": rule} for rule in dict.fromkeys(result["ruleId"] for result in results)]
    driver = {"name": "adjointgen", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "results": list(results)}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def result_of(error: AdjointgenError) -> dict[str, Any]:
    """A refusal."""
    parts = [error.message, error.label, error.help and f"help: {error.help}"]
    found = result(error.code, "\n".join(part for part in parts if part))
    if error.span is not None:
        span = error.span
        region = {
            "startLine": span.line,
            "startColumn": span.column + 1,
            "endLine": span.end_line,
            "endColumn": span.end_column + 1,
        }
        found["locations"] = [_location(span.file, region)]
    return found


def result(rule: str, message: str, file: str = "") -> dict[str, Any]:
    """A message, about a file if there is one."""
    found: dict[str, Any] = {"ruleId": rule, "level": "error", "message": {"text": message}}
    if file:
        found["locations"] = [_location(file, None)]
    return found


def _location(file: str, region: dict[str, int] | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": file}}
    if region is not None:
        place["region"] = region
    return {"physicalLocation": place}
