"""Cases in text files: sections that begin with `=== name: rest`."""

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent


class Case(NamedTuple):
    """A named piece of source, and what stands beside its name."""

    name: str
    rest: str
    source: str


def read_cases(name: str) -> list[Case]:
    """The cases of a file, in order."""
    parts = re.split(r"^=== (\w+):?(.*)\n", (FOLDER / name).read_text("utf-8"), flags=re.MULTILINE)
    found = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return [Case(name, rest.strip(), source.strip("\n") + "\n") for name, rest, source in found]
