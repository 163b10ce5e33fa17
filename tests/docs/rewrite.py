"""Puts into the pages what their code gives now: `python -m tests.docs.rewrite [PAGE …]`.

`output` blocks that no longer fit are replaced by what is printed, and messages of error pages by
the message that is raised. Blocks that fit stay, and with them the `…` that a person put there.
Review the difference like code.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from adjointgen.errors import AdjointgenError
from tests.docs.test_docs import BLOCK, PAGES, ROOT, fits
from tests.test_error_pages import read_page, run


def rewritten(page: str, name: str, folder: Path) -> str:
    """The page with the outputs of its blocks, which are run in a folder."""
    module = ModuleType(f"page_{name}")
    source = folder / f"{module.__name__}.py"
    source.write_text(_code(page), "utf-8")
    sys.modules[module.__name__] = module
    parts, end, printed = [], 0, ""
    for block in BLOCK.finditer(page):
        if block[1] == "python":
            printed = _printed(page, block, str(source), vars(module))
        elif block[1] == "output" and not fits(block[2].strip(), printed.strip()):
            parts += [page[end : block.start(2)], printed.strip() + "\n"]
            end = block.end(2)
    return "".join([*parts, page[end:]])


def _code(page: str) -> str:
    """The page's code at the lines of the page, for whoever asks for the source of a function."""
    lines = [""] * (page.count("\n") + 1)
    for block in BLOCK.finditer(page):
        if block[1] == "python":
            body, above = block[2].splitlines(), page.count("\n", 0, block.start(2))
            lines[above : above + len(body)] = body
    return "\n".join(lines) + "\n"


def _printed(page: str, block: re.Match[str], file: str, names: dict[str, Any]) -> str:
    above = page.count("\n", 0, block.start(2))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n" * above + block[2], file, "exec"), names)
    return out.getvalue()


def rewritten_error(text: str, folder: Path) -> str:
    """An error page with the message that its example gives."""
    page = read_page(text)
    try:
        run(folder / "refused", page.model, page.call)
    except AdjointgenError as error:
        return text.replace(page.message, str(error).replace(f"{folder / 'refused'}/", ""))
    raise AssertionError(f"{page.title}: nothing is refused")


def main(names: Sequence[str] = ()) -> None:
    """Rewrite these pages, or all, each in a folder of its own with a copy of the examples."""
    os.environ["ADJOINTGEN_CACHE"] = "off"
    chosen = [path for path in PAGES if not names or path.stem in names]
    for path in chosen:
        old = path.read_text("utf-8")
        with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
            folder = Path(name).resolve()
            shutil.copytree(ROOT / "examples", folder / "examples")
            sys.path.insert(0, str(folder))
            error = re.fullmatch(r"AG\d{3}", path.stem)
            new = rewritten_error(old, folder) if error else rewritten(old, path.stem, folder)
            sys.path.remove(str(folder))
            for module in [m for m in sys.modules if m.partition(".")[0] == "examples"]:
                del sys.modules[module]
        if new != old:
            path.write_text(new, "utf-8")
            print(f"rewrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
