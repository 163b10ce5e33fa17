"""Every error code has a page, and every page is true.

A page in docs/errors/ shows a file `model.py`, the call that is refused, the exact message, and
what to write instead.  All of it is run here; docs/errors/README.md describes the format.
"""

import ast
import importlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from adjointgen.errors import AdjointgenError

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "errors"
PAGES = sorted(FOLDER.glob("AG*.md"))

SECTIONS = {"Example": "python python", "Message": "text", "Instead": "python( python)?"}


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows: two files `model.py`, the call of each, and the message of one."""

    title: str
    model: str
    call: str
    message: str
    better: str
    better_call: str


def read_page(text: str) -> Page:
    """The parts of a page; a section that is missing or has other blocks is an error."""
    head, *rest = re.split(r"^## +(.+)\n", text, flags=re.MULTILINE)
    title = re.match(r"# (AG\d{3}: .+)\n", head)
    assert title, "a page begins with `# CODE: title`"
    assert head[title.end() :].strip(), "a page says what its code means"
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    assert [*sections] == [*SECTIONS], f"the sections of a page are {', '.join(SECTIONS)}"
    blocks = {}
    for name, kinds in SECTIONS.items():
        found = re.findall(r"^```(\w*)\n(.*?)^```$", sections[name], re.MULTILINE | re.DOTALL)
        shown = " ".join(kind for kind, _ in found)
        assert re.fullmatch(kinds, shown), f"{name} has blocks `{shown}` in place of `{kinds}`"
        blocks[name] = [body for _, body in found]
    (model, call), (message,), (better, *other) = blocks.values()
    return Page(title[1], model, call, message.rstrip("\n"), better, (other or [call])[0])


def run(folder: Path, model: str, call: str) -> None:
    """Runs a call of a page in a folder that holds the file `model.py`."""
    folder.mkdir()
    (folder / "model.py").write_text(model, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        patch.delitem(sys.modules, "model", raising=False)
        importlib.invalidate_caches()
        try:
            exec(
                compile(call, "call.py", "exec"),
                {"adjointgen": importlib.import_module("adjointgen")},
            )
        finally:
            sys.modules.pop("model", None)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path: Path, tmp_path: Path) -> None:
    page = read_page(path.read_text("utf-8"))
    assert page.title.startswith(f"{path.stem}: ")
    # A generated program, which needs nothing of the package, names the code in its message.
    with pytest.raises((AdjointgenError, OSError)) as caught:
        run(tmp_path / "refused", page.model, page.call)
    assert str(caught.value).startswith((f"error[{path.stem}]: ", f"warning[{path.stem}]: "))
    assert getattr(caught.value, "code", path.stem) == path.stem
    assert str(caught.value).replace(f"{tmp_path / 'refused'}/", "") == page.message
    run(tmp_path / "accepted", page.better, page.better_call)


def codes_raised() -> dict[str, str]:
    """Every code that the package names, and a file that names it."""
    codes = {}
    for path in sorted((ROOT / "adjointgen").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Constant(value=str(text)) if re.fullmatch(r"AG\d{3}", text):
                    codes[text] = path.relative_to(ROOT).as_posix()
    return codes


def test_every_code_has_a_page() -> None:
    raised, pages = codes_raised(), {path.stem for path in PAGES}
    missing = [f"{code}: {file}" for code, file in sorted(raised.items()) if code not in pages]
    assert not missing, "codes without a page in docs/errors:\n" + "\n".join(missing)
    assert not (stale := pages - {*raised}), f"pages of codes that nothing raises: {sorted(stale)}"


def test_index_lists_every_page() -> None:
    index = (FOLDER / "README.md").read_text("utf-8")
    listed = re.findall(r"^\* \[(AG\d{3})\]\(\1\.md\): (.+)$", index, re.MULTILINE)
    titles = [read_page(path.read_text("utf-8")).title for path in PAGES]
    assert [f"{code}: {title}" for code, title in listed] == titles


FENCE = "```"
GOOD = f"""# AG201: no derivative rule
Words.
## Example
{FENCE}python
def f(x):
    return x
{FENCE}
{FENCE}python
from model import f
f(refuse=True)
{FENCE}
## Message
{FENCE}text
error[AG201]: no
{FENCE}
## Instead
{FENCE}python
def f(x, refuse):
    pass
{FENCE}
"""


def test_a_page_is_read() -> None:
    page = read_page(GOOD)
    assert page.title == "AG201: no derivative rule" and page.message == "error[AG201]: no"
    assert page.better_call == page.call == "from model import f\nf(refuse=True)\n"
    assert page.better.startswith("def f(x, refuse)")
    assert read_page(GOOD + f"{FENCE}python\n1\n{FENCE}\n").better_call == "1\n"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("# AG201: ", "# AG: ", "begins with"),
        ("Words.", "", "what its code means"),
        ("## Message", "## Text", "the sections of a page"),
        ("text", "python", "Message has blocks `python`"),
        ("## Instead", f"## Instead\n{FENCE}sh\n{FENCE}", "Instead has blocks `sh python`"),
    ],
)
def test_a_malformed_page_is_refused(old: str, new: str, fault: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(fault)):
        read_page(GOOD.replace(old, new))


def test_each_run_sees_its_own_model(tmp_path: Path) -> None:
    run(tmp_path / "a", "x = 1\n", "import model\nassert model.x == 1")
    run(tmp_path / "b", "x = 2\n", "import model\nassert model.x == 2")
    with pytest.raises(AssertionError):
        run(tmp_path / "c", "x = 3\n", "import model\nassert model.x == 2")
