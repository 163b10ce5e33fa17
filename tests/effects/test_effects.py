"""Every effect happens once, where the user wrote it, and what Python leaves out is left out.

Each program of programs.txt is compared with the function itself, in both modes; behind a `!`
stands the code of the refusal of one that is refused.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from adjointgen import AdjointgenError
from tests.effects.logged import differs, load

FOLDER = Path(__file__).parent
VALUES = {
    "np": np,
    "A": np.array([0.7, -1.3, 2.1]),
    "B": np.array([0.7, -1.3, 2.1, 0.4, 1.1]),
}


def cases() -> list[tuple[str, str, str]]:
    """The name, the arguments and the source of each program."""
    text = "".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.txt")))
    parts = re.split(r"^=== (\w+)(.*)\n", text, flags=re.MULTILINE)
    return list(zip(parts[1::3], parts[2::3], parts[3::3], strict=True))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("case", cases(), ids=lambda case: case[0])
def test_the_program_does_what_the_function_does(
    case: tuple[str, str, str], mode: str, tmp_path: Path
) -> None:
    name, head, source = case
    given, _, code = head.removeprefix(":").partition("!")
    args = eval(f"[{given.strip() or '1.3'}]", dict(VALUES))
    module = load(name, source, tmp_path)
    try:
        found = differs(module, args, mode)
    except AdjointgenError as error:
        assert error.code == code.strip(), error
        return
    assert not found
    assert not code.strip(), "no longer refused"
