"""The table of the corpus: `python -m tests.committed [--write FOLDER] [NAME …]`.

Prints for each function the error of its derivatives, and the lines, helpers, tapes and values
without a type of its module, or why it is refused; then what black, ruff and mypy say of them all.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.committed.corpus import Case, cases, counts, largest_error, written
from tests.committed.tools import complaints


def row(case: Case, folder: Path) -> dict[str, int]:
    """Prints the line of a function; its module is left in the folder."""
    source, code = written(case)
    if code:
        print(f"{case.path:72} {code}", flush=True)
        return {code: 1}
    (folder / f"{case.name.strip('_')}_ad.py").write_text(source, "utf-8")
    found = counts(source)
    numbers = "  ".join(f"{number:4} {what}" for what, number in found.items())
    print(f"{case.path:72} {largest_error(case, source):7.0e}  {numbers}", flush=True)
    return {"written": 1, **found}


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(arguments[1] if arguments[:1] == ["--write"] else name)
        folder.mkdir(parents=True, exist_ok=True)
        names = arguments[2:] if arguments[:1] == ["--write"] else arguments
        total: dict[str, int] = {}
        for case in cases():
            if not names or case.name in names:
                for what, number in row(case, folder).items():
                    total[what] = total.get(what, 0) + number
        print("  ".join(f"{number} {what}" for what, number in total.items()))
        print("\n".join(complaints(folder)) or "black, ruff and mypy leave all modules alone")


if __name__ == "__main__":
    main(sys.argv[1:])
