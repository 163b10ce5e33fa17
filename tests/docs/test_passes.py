"""The page of optimising passes has one section for each, and no other."""

import re
from pathlib import Path
from typing import Final

from adjointgen.passes.table import OPTIONAL

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "passes.md"


def test_every_pass_has_a_section_in_order() -> None:
    assert tuple(re.findall(r"^## (\w+)$", PAGE.read_text("utf-8"), re.M)) == OPTIONAL


def test_the_files_that_it_names_are_there() -> None:
    for name in re.findall(r"`((?:transform|analysis|lowering)/[\w/.]*)`", PAGE.read_text("utf-8")):
        assert (ROOT / "adjointgen" / name).exists(), name
