"""The code in the documentation runs, and gives what the documentation says.

Every `python` block of README.md and docs/ is executed; the blocks of one page share one namespace,
in order.  Code that is not meant to run is fenced `py`.  Two conventions state results:

* `f(0.5)  # 5.0775…` compares the comment with the repr of the expression.  A comment that is a
  remark stands on a line of its own; after `print(...)`, which returns nothing, it is free.
* An `output` block right after a `python` block is what that block prints.

In both, `…` stands for any text.  A page runs in a folder of its own with a copy of examples/.
"""

import ast
import contextlib
import io
import re
import shutil
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """A block of code, how many lines of the page stand above it, and what it should print."""

    code: str
    above: int
    output: str | None


def examples(page: str) -> list[Example]:
    """The `python` blocks of a page, each with the `output` block that follows it."""
    blocks = list(BLOCK.finditer(page))
    found = []
    for block, after in zip_longest(blocks, blocks[1:]):
        if block[1] == "python":
            follows = (
                after and after[1] == "output" and not page[block.end() : after.start()].strip()
            )
            output = after[2] if after and follows else None
            found.append(Example(block[2], page.count("\n", 0, block.start(2)), output))
    return found


def expected_values(code: str) -> dict[int, str]:
    """The comment at the end of each line that has code, by line."""
    tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    comments = [token for token in tokens if token.type == tokenize.COMMENT]
    trailing = [token for token in comments if token.line[: token.start[1]].strip()]
    return {token.start[0]: token.string.lstrip("# ").rstrip() for token in trailing}


def fits(expected: str, actual: str) -> bool:
    """Whether a text is the expected one, where `…` stands for any text."""
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, actual, re.DOTALL) is not None


def prints(node: ast.expr) -> bool:
    """Whether an expression is a call of `print`."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    )


def run_example(example: Example, module: ModuleType) -> Iterator[str]:
    """Runs a block; yields what is not as the page says, with the line of the page."""
    values = expected_values(example.code)
    printed = io.StringIO()
    for node in ast.parse(example.code).body:
        expected = values.get(node.end_lineno or node.lineno)
        # Tracebacks, and whoever asks for the source of a function, see the lines of the page.
        ast.increment_lineno(node, example.above)
        with contextlib.redirect_stdout(printed):
            if isinstance(node, ast.Expr) and not prints(node.value) and expected is not None:
                code = compile(ast.Expression(node.value), str(module.__file__), "eval")
                actual = repr(eval(code, vars(module)))
                if not fits(expected, actual):
                    yield f"{node.lineno}: {ast.unparse(node)} gives {actual}, not {expected}"
            else:
                body = ast.Module([node], [])
                exec(compile(body, str(module.__file__), "exec"), vars(module))
    if example.output is not None and not fits(example.output.strip(), printed.getvalue().strip()):
        yield f"{example.above + 1}: prints\n{printed.getvalue()}\nnot\n{example.output}"


def run_page(page: str, name: str, folder: Path) -> list[str]:
    """Runs all blocks of a page in a folder; returns what is not as the page says."""
    found = examples(page)
    lines = [""] * page.count("\n")
    for example in found:
        body = example.code.splitlines()
        lines[example.above : example.above + len(body)] = body
    module = ModuleType(f"page_{name}")
    module.__file__ = str(folder / f"{module.__name__}.py")
    Path(module.__file__).write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        patch.setitem(sys.modules, module.__name__, module)
        return [fault for example in found for fault in run_example(example, module)]


RUN = [path for path in PAGES if path.parent.name != "errors" and examples(path.read_text("utf-8"))]


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_page(path: Path, tmp_path: Path) -> None:
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    faults = run_page(path.read_text("utf-8"), path.stem.replace("-", "_"), tmp_path)
    assert not faults, "\n".join(f"{path.relative_to(ROOT)}:{fault}" for fault in faults)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!\w+:|#)([^)#]+)[^)]*\)", BLOCK.sub("", path.read_text("utf-8")))
    assert not (broken := [link for link in links if not (path.parent / link).exists()]), broken


def test_commands_are_the_same_everywhere() -> None:
    names = ("README.md", "Makefile", ".ci/run")
    readme, makefile, ci = ((ROOT / name).read_text("utf-8") for name in names)
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    shown = " ".join(block[2] for block in BLOCK.finditer(readme))
    assert {"demo", "test"} <= set(re.findall(r"\bmake ([a-z][\w-]*)", shown)) <= targets
    assert "make test" in ci
    for step in ("-m venv ", "--editable '.[test]'", "-m pytest -n auto\n"):
        assert step in readme and step in makefile and step in ci, step


FENCE = "```"


def page_of(code: str, output: str = "") -> str:
    shown = f"{FENCE}output\n{output}{FENCE}\n" if output else ""
    return f"Title\n\n{FENCE}python\n{code}{FENCE}\n\n{shown}{FENCE}py\n1 / 0\n{FENCE}\n"


@pytest.mark.parametrize(
    "page",
    [
        page_of("x = 1  # a remark\nx + 1  # 2\n# a remark\nx\n"),
        page_of("1 / 3  # 0.333…\n"),
        page_of("(1,\n  2)  # (1, 2)\n"),
        page_of("print('a')  # a remark\nprint('b')\n", "a\nb\n"),
        page_of("print('a')\nprint('long')\nprint('b')\n", "a\n…\nb\n"),
        page_of("x = 1\n") + page_of("x  # 1\n"),
        page_of("import inspect\ndef f():\n    return 1\ninspect.getsource(f)  # 'def f…1\\n'\n"),
        page_of(
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(1)  # P(x=1)\n"
        ),
    ],
)
def test_a_true_page_passes(page: str, tmp_path: Path) -> None:
    assert run_page(page, "true", tmp_path) == []


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        (page_of("x = 1\nx + 1  # 3\n"), "5: x + 1 gives 2, not 3"),
        (page_of("1 / 3  # 0.34…\n"), "4: 1 / 3 gives"),
        (page_of("print('a')\n", "b\n"), "4: prints\na\n"),
        (page_of("x = 1\n", "b\n"), "4: prints\n"),
        (page_of("x = 1\n") + page_of("x  # 2\n"), "gives 1, not 2"),
    ],
)
def test_a_false_page_is_found(page: str, fault: str, tmp_path: Path) -> None:
    assert [found for found in run_page(page, "false", tmp_path) if fault in found]


def test_an_error_names_the_line_of_the_page(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_page(page_of("x = 1\nx / 0\n"), "broken", tmp_path)
    assert caught.traceback[-1].lineno + 1 == 5
