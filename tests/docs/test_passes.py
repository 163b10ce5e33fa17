"""The pages about passes: one section for each optional pass, and the table of all."""

import re
from pathlib import Path
from typing import Final

from adjointgen.passes.table import IN_ORDER, OPTIONAL
from tests.docs.census import NAMES, PASSES, counted_names
from tests.docs.tables import ARCHITECTURE, with_passes

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "passes.md"


def test_every_optional_pass_has_a_section_in_order() -> None:
    assert tuple(re.findall(r"^## ([\w-]+)$", PAGE.read_text("utf-8"), re.M)) == OPTIONAL


def test_the_files_that_it_names_are_there() -> None:
    rooms = "ad|analysis|optimize|storage|targets"
    named = re.findall(rf"`((?:{rooms})/[\w/.]*)`", PAGE.read_text("utf-8"))
    assert len(named) > len(OPTIONAL)
    for name in named:
        assert (ROOT / "adjointgen" / name).exists(), name


def test_the_table_of_passes_is_written_from_theirs() -> None:
    page = ARCHITECTURE.read_text("utf-8")
    assert with_passes(page) == page, "python -m tests.docs.tables"


def test_the_files_that_contributors_are_sent_to_are_there() -> None:
    page = (ROOT / "docs" / "contributing.md").read_text("utf-8")
    table = page.partition("## Where things are")[2].partition("\n## ")[0]
    rows = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 20
    files = {path.name for path in (ROOT / "adjointgen").rglob("*.py")}
    for row in rows:
        for name in re.findall(r"`([\w/]+\.py)`", row):
            assert (ROOT / "adjointgen" / name).is_file() or name in files, name


def test_every_pass_is_there() -> None:
    for row in IN_ORDER:
        assert callable(row.function())
        assert (ROOT / "adjointgen" / row.file).is_file()


def test_the_table_of_what_passes_change_has_all_of_them() -> None:
    assert tuple(counted_names(PAGE.read_text("utf-8"))) == (*PASSES, *NAMES)
