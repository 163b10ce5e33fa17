"""The faults: what a slip of the hand in one pass could be, at least one for every pass.

They stand in faults.txt, one after the other:

    === pass: what goes wrong
    in optimize.scalar.cse, again transform.other
    - text that stands once in the module
    + text in its place
"""

import re
from pathlib import Path
from typing import Final

from tests.planted.plant import Fault

_FILE: Final = Path(__file__).with_name("faults.txt")
_FAULT: Final = re.compile(
    r"^=== (?P<name>.+)\n"
    r"in (?P<module>[\w.]+)(?:, again (?P<again>[\w., ]+))?\n"
    r"- (?P<old>.+)\n"
    r"\+ (?P<new>.+)\n",
    re.MULTILINE,
)


def _faults(text: str) -> tuple[Fault, ...]:
    found = tuple(
        Fault(m["name"], m["module"], m["old"], m["new"], _names(m["again"]))
        for m in _FAULT.finditer(text)
    )
    assert len(found) == text.count("\n=== "), "a fault is not understood"
    return found


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(text.split(", ")) if text else ()


FAULTS: Final = _faults(_FILE.read_text("utf-8"))
MEANING: Final = _faults(_FILE.with_name("meaning.txt").read_text("utf-8"))
