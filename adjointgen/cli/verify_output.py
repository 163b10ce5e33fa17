"""What `adjointgen verify` prints: tables, lines of JSON, or the XML of JUnit.

Source of the XML: the schema of the Jenkins plugin that CI systems read reports by.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from xml.etree import ElementTree

import click

from adjointgen.cli.messages import chosen_format, finding
from adjointgen.records import dataclass
from adjointgen.verify.report import Report, spelled


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one function: a report, or why there is none."""

    name: str
    report: Report | None = None
    error: str = ""


def print_report(name: str, report: Report, whole: bool, as_json: bool) -> None:
    """One report: the table where it failed or is the only one, else what it says beside that."""
    if as_json:
        click.echo(json.dumps({"name": name, **report.as_json()}))
    elif chosen_format() in ("github", "sarif"):
        for row in report.rows:
            if row.verdict in ("fail", "unclear"):
                what = f"expected {spelled(row.expected)}, got {spelled(row.got)}"
                words = f"{report.function}: {row.test}: {what} ({row.verdict}); {row.note}"
                finding(words, name.partition("::")[0], "AG501")
    elif not whole and report.ok:
        click.echo("\n".join([f"{name}: {report.counted}", *report.remarks()]))
    elif sys.stdout.isatty():
        from rich.console import Console

        Console(file=sys.stdout).print(report)
    else:
        click.echo(str(report))


def junit(results: Sequence[Result]) -> str:
    """All reports as one JUnit document: a suite for each function, a case for each test."""
    root = ElementTree.Element("testsuites", name="adjointgen")
    for result in results:
        rows = result.report.rows if result.report else ()
        failures = sum(row.verdict in ("fail", "unclear") for row in rows)
        counts: dict[str, int] = {
            "tests": len(rows) or 1,
            "failures": failures,
            "errors": int(not result.report),
        }
        named = {"name": result.name} | {key: str(value) for key, value in counts.items()}
        suite = ElementTree.SubElement(root, "testsuite", named)
        for row in rows:
            case = ElementTree.SubElement(suite, "testcase", classname=result.name, name=row.test)
            if row.verdict in ("fail", "unclear"):
                what = f"expected {spelled(row.expected)}, got {spelled(row.got)}"
                failure = ElementTree.SubElement(case, "failure", type=row.verdict, message=what)
                failure.text = row.note
        if result.report is None:
            case = ElementTree.SubElement(suite, "testcase", classname=result.name, name="verify")
            ElementTree.SubElement(case, "error", message=result.error.split("\n")[0]).text = (
                result.error
            )
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode")
