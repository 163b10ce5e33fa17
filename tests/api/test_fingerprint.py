"""What a program depends on: what changes its fingerprint, and what does not."""

import ast
from pathlib import Path

import pytest

from adjointgen.api.cache.fingerprint import fingerprint, global_names, syntax
from adjointgen.frontend.source.source import source_from_file


def prints(folder: Path, text: str, name: str = "f") -> tuple[str, ...]:
    (folder / "p.py").write_text(text)
    return fingerprint(source_from_file(str(folder / "p.py"), name))


BASE = (
    "import numpy as np\nN = 2\n\ndef g(x):\n    return N * x\n\ndef f(x):\n    return g(x) + x\n"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return g(x) + x", "return g(x) - x"),
        ("def f(x)", "def f(x, y=1)"),
        ("return N * x", "return N + x"),
        ("N = 2", "N = 3"),
        ("N = 2", "N = 2.0"),
        ("N = 2", "N = (2, 2)"),
        ("N = 2", "N = compute()"),
        ("N = 2\n", ""),
        ("    return g(x) + x", '    """Doc."""\n    return g(x) + x'),
        ("g(x) + x", "g(x) + h(x)"),
    ],
)
def test_what_changes_a_fingerprint(tmp_path: Path, old: str, new: str) -> None:
    assert old in BASE
    assert prints(tmp_path, BASE) != prints(tmp_path, BASE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("N = 2", "# two\nN = 2  # two"),
        ("N = 2", "M = 1\nN = 2"),
        ("return g(x) + x", "return (g( x )\n        + x)  # the sum"),
        ("def f(x)", "@staticmethod\ndef f(x)"),
        ("import numpy as np", "import numpy as np, os"),
    ],
)
def test_what_does_not(tmp_path: Path, old: str, new: str) -> None:
    assert old in BASE
    assert prints(tmp_path, BASE) == prints(tmp_path, BASE.replace(old, new))


def test_functions_that_call_each_other(tmp_path: Path) -> None:
    text = "def f(x):\n    return g(x)\n\ndef g(x):\n    return f(x)\n"
    first, *others = prints(tmp_path, text)
    assert first.startswith("FunctionDef(name=str 'f'") and len(others) == 5


def test_members_of_modules_count(tmp_path: Path) -> None:
    one = "import numpy as np\ndef f(x):\n    return np.sin(x)\n"
    two = one.replace("import numpy as np", "import math as np")
    assert prints(tmp_path, one) != prints(tmp_path, two)


def test_globals_are_what_the_compiler_says() -> None:
    text = (
        "def f(a, b=C):\n    d = a\n    def h(e):\n        return d + e + G\n"
        "    return h(K) + (lambda z: z + L)(1)"
    )
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert {"C", "G", "K", "L"} <= global_names(node)
    assert not {"a", "b", "d", "e", "h", "z"} & global_names(node)
    (lambda_,) = [n for n in ast.walk(node) if isinstance(n, ast.Lambda)]
    assert global_names(lambda_) == {"L"}


def test_syntax_has_no_places() -> None:
    one, two = ast.parse("f(x, 1)"), ast.parse("\n\nf(  x, 1 )  # y")
    assert syntax(one) == syntax(two)
    assert syntax(ast.parse("1")) != syntax(ast.parse("1.0")) != syntax(ast.parse("True"))
