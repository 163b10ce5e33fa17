"""adjointgen on code that nobody here wrote, in the packages that are installed.

    python -m tests.sweep                        every kept list of cases
    python -m tests.sweep PACKAGE …              the kept lists of these
    python -m tests.sweep --find PACKAGE         the calls of a package that can be judged, and them
        [--keep]                                 … and keep their list
        [--method fun]                           methods of its classes instead of functions
    [--functions TEXT] [--every N] [--jobs N] [--path FOLDER] [--json FILE]

Prints counts and causes; fails where a number is wrong or something crashed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from tests.sweep.case import HOME, Case, from_dict, read, write
from tests.sweep.discover import cases, functions, methods
from tests.sweep.judge import Outcome
from tests.sweep.pool import outcomes
from tests.sweep.report import causes, table


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.sweep")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    parser.add_argument("--find", action="store_true", help="look for calls in the package")
    parser.add_argument("--keep", action="store_true", help="keep what --find finds")
    parser.add_argument("--method", help="the method of classes that --find looks for")
    parser.add_argument("--functions", default="", help="only cases whose name has this text")
    parser.add_argument("--every", type=int, default=1, help="a sample: every so many cases")
    parser.add_argument(
        "--path", action="append", default=[], type=os.path.abspath, help="a folder to import from"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=os.path.abspath, help="outcomes, by line")
    return parser.parse_args(arguments)


def version(package: str) -> str:
    """The version of the distribution that has the package."""
    homes = metadata.packages_distributions().get(package, [package])
    try:
        return metadata.version(homes[0])
    except metadata.PackageNotFoundError:
        return "0"


def wanted(package: str, chosen: argparse.Namespace) -> list[Case]:
    """The cases of a package, found or kept."""
    if not chosen.find:
        kept = read(package)
        if version(package) != kept["version"]:
            print(f"{package} {version(package)} is installed; {kept['version']} was kept")
        found: Iterable[Case] = map(from_dict, kept["cases"])
    elif chosen.method:
        found = methods(package, chosen.method)
    else:
        found = (case for path, f in functions(package) for case in cases(path, f))
    named = [case for case in found if chosen.functions in case.function]
    return named[min(1, chosen.every - 1) :: chosen.every]


def sweep(package: str, chosen: argparse.Namespace) -> list[tuple[Case, Outcome]]:
    """The outcomes of a package, printed by cause; the list is kept where that is asked for."""
    found = list(outcomes(wanted(package, chosen), chosen.jobs, tuple(chosen.path)))
    print(f"\n{package}\n{causes(found)}", flush=True)
    if chosen.keep:
        judged = [case.as_dict() for case, outcome in found if outcome.status != "undecided"]
        write({"package": package, "version": version(package), "cases": judged})
    return found


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
    sys.path[:0] = chosen.path
    # Examples may write files where they run.
    os.chdir(tempfile.mkdtemp())
    kept = sorted(path.name.rpartition("-")[0] for path in HOME.glob("*.json"))
    found = {package: sweep(package, chosen) for package in chosen.packages or kept}
    print(f"\n{table(found)}")
    if chosen.json:
        lines = [
            json.dumps({"package": package, **case.as_dict(), **outcome.as_dict()})
            for package, one in found.items()
            for case, outcome in one
        ]
        Path(chosen.json).write_text("\n".join(lines) + "\n", "utf-8")
    return int(any(o.status in ("wrong", "crashed") for one in found.values() for _, o in one))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
