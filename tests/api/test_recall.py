"""A program that was kept on disk is used again exactly where it would be generated again.

Every test works on modules that are written to files and imported, as a second process would do it:
a new derivative knows nothing but the disk.
"""

from __future__ import annotations

import importlib
import linecache
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

from adjointgen import grad, value_and_grad
from adjointgen.api.cache import disk_lookup
from adjointgen.api.specialize import specialize
from adjointgen.rules.all import TABLE
from tests.kept import own_programs

ROOT: Final = Path(__file__).parents[2]


class Workshop:
    """Modules in a folder, a cache beside it, and how often something was generated."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.generated = 0

    def load(self, text: str, name: str = "model", folder: str = "one") -> ModuleType:
        """Import a module from a file, in place of one of that name."""
        path = self.folder / folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        linecache.checkcache()
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        exec(compile(text, path, "exec"), module.__dict__)
        return module

    def times(self, call: Callable[[], Any]) -> tuple[Any, int]:
        """A result, and how many programs were generated for it."""
        before = self.generated
        with own_programs():
            return call(), self.generated - before

    def slope(self, f: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, int]:
        """A gradient by a derivative that is new."""
        return self.times(lambda: grad(f, **options)(*arguments))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workshop]:
    made = Workshop(tmp_path)
    original = specialize.make

    def counted(*arguments: Any) -> Any:
        made.generated += 1
        return original(*arguments)

    monkeypatch.setattr(specialize, "make", counted)
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(made.cache))
    before = set(sys.modules)
    yield made
    for name in set(sys.modules) - before:
        if name in ("model", "helpers", "settings"):
            del sys.modules[name]


F: Final = "def f(x):\n    return 2.0 * x * x\n"


def test_the_second_derivative_is_recalled(shop: Workshop) -> None:
    module = shop.load(F)
    assert shop.slope(module.f, 3.0) == (12.0, 1)
    assert shop.slope(module.f, 3.0) == (12.0, 0)
    assert shop.slope(shop.load(F).f, 3.0) == (12.0, 0)


def test_the_text_and_the_seeds_are_recalled(shop: Workshop) -> None:
    module = shop.load("def f(x, y):\n    # A remark.\n    x[0] = x[0] * y\n    return x[0]\n")
    first = value_and_grad(module.f)
    with own_programs():
        second = value_and_grad(module.f)
    found = [made(np.array([3.0, 1.0]), 2.0) for made in (first, second)]
    assert shop.generated == 1
    assert [float(value) for value, _ in found] == [6.0, 6.0]
    assert [slope.tolist() for _, slope in found] == [[2.0, 0.0], [2.0, 0.0]]
    assert first.source == second.source and "# A remark." in second.source
    one, other = (made.generated.last.made for made in (first, second))
    assert (one.name, one.seeds, one.written) == (other.name, other.seeds, other.written)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def f(x):\n    return 5.0 * x * x\n", 30.0),
        ("\ndef f(x):\n    return 2.0 * x * x\n", 12.0),
        ("def f(x):\n    # Twice the square.\n    return 2.0 * x * x\n", 12.0),
        ("@staticmethod\ndef f(x):\n    return 2.0 * x * x\n", 12.0),
        ("def f(x: float) -> float:\n    return 2.0 * x * x\n", 12.0),
    ],
    ids=["number", "line", "comment", "decorator", "annotation"],
)
def test_another_text_is_another_program(shop: Workshop, text: str, wanted: float) -> None:
    assert shop.slope(shop.load(F).f, 3.0) == (12.0, 1)
    assert shop.slope(shop.load(text).f, 3.0) == (wanted, 1)
    assert shop.slope(shop.load(F).f, 3.0) == (12.0, 0)


def test_what_stands_elsewhere_in_the_file_does_not_count(shop: Workshop) -> None:
    assert shop.slope(shop.load(F + "\n\nOTHER = 1\n").f, 3.0) == (12.0, 1)
    assert shop.slope(shop.load(F + "\n\nOTHER = 2\n").f, 3.0) == (12.0, 0)


SCALED: Final = "scale = {}\ndef f(x):\n    return scale * x * x\n"


def test_a_changed_global(shop: Workshop) -> None:
    assert shop.slope(shop.load(SCALED.format(2.0)).f, 3.0) == (12.0, 1)
    assert shop.slope(shop.load(SCALED.format(5.0)).f, 3.0) == (30.0, 1)
    assert shop.slope(shop.load(SCALED.format(5.0)).f, 3.0) == (30.0, 0)
    assert shop.slope(shop.load(SCALED.format(2)).f, 3.0) == (12.0, 1)


def test_a_global_that_is_deleted(shop: Workshop) -> None:
    module = shop.load("scale = 2.0\n" + "def f(x):\n    return abs(x) * scale\n")
    assert shop.slope(module.f, 3.0) == (2.0, 1)
    del module.scale
    with pytest.raises(Exception, match="scale"):
        grad(module.f)(3.0)


def test_a_global_that_hides_a_builtin(shop: Workshop) -> None:
    text = "def f(x):\n    return 2.0 * abs(x)\n"
    assert shop.slope(shop.load(text).f, 3.0) == (2.0, 1)
    hiding = text + "def abs(x):\n    return x * x\n"
    assert shop.slope(shop.load(hiding).f, 3.0) == (12.0, 1)


HELPER: Final = "def helper(x):\n    return {} * x * x\n"
CALLER: Final = "from helpers import helper\ndef f(x):\n    return helper(x) + x\n"


def test_an_edited_helper(shop: Workshop) -> None:
    for scale, wanted in ((2.0, 13.0), (5.0, 31.0)):
        shop.load(HELPER.format(scale), "helpers")
        assert shop.slope(shop.load(CALLER).f, 3.0) == (wanted, 1)
        assert shop.slope(shop.load(CALLER).f, 3.0) == (wanted, 0)


def test_a_helper_of_a_helper_and_its_global(shop: Workshop) -> None:
    inner = "scale = {}\ndef inner(x):\n    return scale * x * x\n"
    for scale, wanted in ((2.0, 13.0), (5.0, 31.0)):
        helpers = inner.format(scale) + "def helper(x):\n    return inner(x)\n"
        shop.load(helpers, "helpers")
        assert shop.slope(shop.load(CALLER).f, 3.0) == (wanted, 1)
        assert shop.slope(shop.load(CALLER).f, 3.0) == (wanted, 0)


def test_a_member_of_a_module(shop: Workshop) -> None:
    text = "import settings as s\ndef f(x):\n    return s.scale * x * x\n"
    for scale, wanted in ((2.0, 12.0), (5.0, 30.0)):
        shop.load(f"scale = {scale}\n", "settings")
        assert shop.slope(shop.load(text).f, 3.0) == (wanted, 1)
        assert shop.slope(shop.load(text).f, 3.0) == (wanted, 0)


def test_another_module_under_a_name(shop: Workshop) -> None:
    shop.load("scale = 2.0\n", "settings")
    shop.load("scale = 5.0\n", "helpers")
    text = "import {} as s\ndef f(x):\n    return s.scale * x * x\n"
    assert shop.slope(shop.load(text.format("settings")).f, 3.0) == (12.0, 1)
    assert shop.slope(shop.load(text.format("helpers")).f, 3.0) == (30.0, 1)


def test_two_projects_with_the_same_names_and_texts(shop: Workshop) -> None:
    for folder, scale, wanted in (("one", 2.0, 13.0), ("two", 5.0, 31.0)):
        shop.load(HELPER.format(scale), "helpers", folder)
        assert shop.slope(shop.load(CALLER, folder=folder).f, 3.0) == (wanted, 1)
    shop.load(HELPER.format(2.0), "helpers", "one")
    assert shop.slope(shop.load(CALLER, folder="one").f, 3.0) == (13.0, 0)


MAKER: Final = "def maker(a):\n    def f(x):\n        return a * x * x\n    return f\n"


def test_closures_that_differ_in_a_number(shop: Workshop) -> None:
    maker = shop.load(MAKER).maker
    assert shop.slope(maker(2.0), 3.0) == (12.0, 1)
    assert shop.slope(maker(5.0), 3.0) == (30.0, 1)
    assert shop.slope(maker(2.0), 3.0) == (12.0, 0)
    assert shop.slope(maker(5.0), 3.0) == (30.0, 0)
    assert shop.slope(maker(5), 3.0) == (30.0, 1)


def test_a_captured_function(shop: Workshop) -> None:
    text = "def maker(g):\n    def f(x):\n        return g(x) * x\n    return f\n"
    module = shop.load(text + "def one(x):\n    return x\ndef two(x):\n    return x * x\n")
    assert shop.slope(module.maker(module.one), 3.0) == (6.0, 1)
    assert shop.slope(module.maker(module.two), 3.0) == (27.0, 1)


def test_a_global_array_is_read_and_not_kept(shop: Workshop) -> None:
    text = "import numpy as np\nw = np.array({})\ndef f(x):\n    return np.sum(w * x * x)\n"
    x = np.array([3.0, 5.0])
    for entries, wanted, count in (
        ([1.0, 2.0], [6.0, 20.0], 1),
        ([10.0, 2.0], [60.0, 20.0], 0),
        ([1, 2], [6.0, 20.0], 1),
        ([[1.0, 2.0], [1.0, 2.0]], [12.0, 40.0], 1),
    ):
        found, generated = shop.slope(shop.load(text.format(entries)).f, x)
        assert found.tolist() == wanted and generated == count


def test_types_and_options_are_told_apart(shop: Workshop) -> None:
    module = shop.load("def f(x, n=2, how='a'):\n    return x**n if how == 'a' else 3.0 * x\n")
    assert shop.slope(module.f, 3.0) == (6.0, 1)
    assert shop.slope(module.f, 3.0, 3) == (27.0, 0)
    assert shop.slope(module.f, 3.0, 2.0) == (6.0, 1)
    assert shop.slope(module.f, 3.0, 2, "b") == (3.0, 1)
    assert shop.slope(module.f, 3.0, 2.0, wrt="n")[0] == pytest.approx(9.0 * math.log(3.0))
    assert shop.slope(module.f, 3.0, disable=["simplify"]) == (6.0, 1)
    assert shop.slope(module.f, np.array(3.0).astype("f4")[()])[1] == 1
    assert shop.times(lambda: grad(grad(module.f))(3.0)) == (2.0, 1)


def test_two_lambdas_on_one_line(shop: Workshop) -> None:
    both = shop.load("both = [lambda x: 2.0 * x * x, lambda x: 5.0 * x * x]\n").both
    assert [shop.slope(f, 3.0) for f in (*both, *both)] == [
        (12.0, 1),
        (30.0, 1),
        (12.0, 0),
        (30.0, 0),
    ]


def test_a_lambda_whose_body_stands_below(shop: Workshop) -> None:
    text = "both = [0,\n    lambda x:\n        {} * x * x\n]\n"
    assert shop.slope(shop.load(text.format(2.0)).both[1], 3.0) == (12.0, 1)
    assert shop.slope(shop.load(text.format(5.0)).both[1], 3.0) == (30.0, 1)


def test_a_text_that_changed_after_it_was_read(shop: Workshop) -> None:
    """The derivative goes on with the text it has, and that is not kept under the new one."""
    module = shop.load(F)
    gradient = grad(module.f)
    assert gradient(3.0) == 12.0
    path = Path(module.__file__ or "")
    path.write_text("def f(x):\n    return 5.0 * x * x\n", "utf-8")
    linecache.checkcache()
    assert gradient(np.float32(3.0)) == 12.0
    assert shop.slope(shop.load(path.read_text("utf-8")).f, np.float32(3.0)) == (30.0, 1)


def test_damaged_and_foreign_entries_are_replaced(shop: Workshop) -> None:
    module = shop.load(F)
    for damage in (b"", b"{}", b'{"magic": "adjointgen cache 1"}', b"\xff\x00"):
        assert shop.slope(module.f, 3.0) == (12.0, 1)
        (entry,) = shop.cache.rglob("*.json")
        assert shop.slope(module.f, 3.0) == (12.0, 0)
        entry.write_bytes(damage)


@pytest.mark.parametrize("word", ["off", "OFF", "0"])
def test_the_cache_can_be_off(shop: Workshop, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("ADJOINTGEN_CACHE", word)
    module = shop.load(F)
    assert [shop.slope(module.f, 3.0) for _ in range(2)] == [(12.0, 1), (12.0, 1)]
    assert not shop.cache.exists()


def test_a_folder_that_cannot_be_written(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop.folder / "file").write_text("")
    monkeypatch.setenv("ADJOINTGEN_CACHE", str(shop.folder / "file"))
    assert shop.slope(shop.load(F).f, 3.0) == (12.0, 1)


def test_declared_rules_may_change_anything(shop: Workshop) -> None:
    module = shop.load(F)
    assert shop.slope(module.f, 3.0) == (12.0, 1)
    TABLE.add(TABLE["sin"])
    assert [shop.slope(module.f, 3.0) for _ in range(2)] == [(12.0, 1), (12.0, 1)]


def test_objects_that_cannot_be_described_are_not_kept(shop: Workshop) -> None:
    text = "import numpy as np\ndraw = np.random.RandomState(3).uniform\n"
    module = shop.load(text + "def f(x):\n    draw()\n    return 2.0 * x * x\n")
    assert [shop.slope(module.f, 3.0) for _ in range(2)] == [(12.0, 1), (12.0, 1)]
    assert not list(shop.cache.rglob("*.json"))


def test_a_working_copy_of_the_package_is_a_version(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = shop.load(F)
    assert shop.slope(module.f, 3.0) == (12.0, 1)
    package = shop.folder / "package"
    (package / "inner").mkdir(parents=True)
    monkeypatch.setattr(disk_lookup, "PACKAGE", str(package))
    for text in ("", "pass\n"):
        (package / "inner" / "part.py").write_text(text)
        disk_lookup.tool.cache_clear()
        assert [shop.slope(module.f, 3.0) for _ in range(2)] == [(12.0, 1), (12.0, 0)]
    disk_lookup.tool.cache_clear()


SECOND: Final = """
import sys
import model
from adjointgen import grad
print(repr(grad(model.f)(0.5)))
parts = "emit.write.module", "frontend", "rules", "ad", "optimize", "passes"
heavy = ("libcst", "black", *(f"adjointgen.{part}" for part in parts))
print(sorted(name for name in sys.modules if name.startswith(heavy)))
"""


def test_a_second_process_imports_nothing_that_generates(tmp_path: Path) -> None:
    text = "import math\ndef f(x):\n    assert x < 9, 'far'\n    return x * math.sin(x)\n"
    (tmp_path / "model.py").write_text(text)
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    environment = {**os.environ, "ADJOINTGEN_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path}

    def run() -> list[str]:
        command = [sys.executable, "-c", SECOND]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    (first, loaded), (second, needed) = run(), run()
    assert float(first) == math.sin(0.5) + 0.5 * math.cos(0.5)
    assert second == first
    assert "adjointgen.emit.write.module" in loaded and needed == "[]"
    assert "libcst" not in loaded
