"""The documentation as a site: Sphinx builds it without a warning, and finds every public name."""

import io
import re
from pathlib import Path

import pytest
from sphinx.application import Sphinx

import adjointgen
from adjointgen import rules

pytestmark = pytest.mark.filterwarnings("ignore:.*Check CHANGES for Sphinx API")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site that was built just now; warnings are errors."""
    folder, warnings = tmp_path_factory.mktemp("site"), io.StringIO()
    app = Sphinx(
        str(DOCS), str(DOCS), str(folder), str(folder / ".doctrees"), "html",
        status=None, warning=warnings,
    )  # fmt: skip
    app.build(force_all=True)
    assert warnings.getvalue() == ""
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {page.relative_to(DOCS).with_suffix(".html") for page in DOCS.rglob("*.md")}
    assert len(pages) > 40
    assert {page for page in pages if not (site / page).is_file()} == set()


def test_the_reference_has_every_public_name(site: Path) -> None:
    public = {f"adjointgen.{name}" for name in adjointgen.__all__ if name != "__version__"}
    public |= {f"adjointgen.rules.{name}" for name in {*rules.__all__} - {*adjointgen.__all__}}
    described = set(re.findall(r'id="(adjointgen\.[\w.]+)"', (site / "reference.html").read_text()))
    assert public - described == set()
