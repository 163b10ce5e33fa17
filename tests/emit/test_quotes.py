"""Reverse statements stand below the user's statement that they are the derivative of."""

from pathlib import Path
from textwrap import dedent

from adjointgen import generate


def reverse(folder: Path, text: str, wrt: str = "x") -> str:
    """The reverse sweep of `f` in a module of this text."""
    (folder / "model.py").write_text(dedent(text))
    body = generate(f"{folder}/model.py::f", wrt, "adjoint").body
    return dedent(body.partition("# Reverse sweep.\n")[2])


def test_each_group_has_its_statement(tmp_path: Path) -> None:
    text = """
        import math

        def f(x: float, n: int) -> float:
            for _ in range(n):
                y = math.sin(x)  # a wave
                x = (
                    x * y
                )
            if x > 1.0:
                return x * x
            elif x > 0.5:
                x = 2.0 * x
            return x
        """
    found = reverse(tmp_path, text)
    quoted = [line.strip() for line in found.split("\n") if "#" in line]
    assert quoted == ["# if x > 1.0:", "# return x * x", "# x = 2.0 * x", "# x = (x * y)", Y]
    assert "elif" in found


Y = "# y = math.sin(x)"


def test_a_helper_is_quoted_where_its_statements_stand(tmp_path: Path) -> None:
    text = """
        def square(v):
            return v * v

        def f(x: float, k: float) -> float:
            y = square(x) * k
            return y * y
        """
    assert "# return v * v\n" in reverse(tmp_path, text)


def test_what_a_tool_would_obey_is_not_quoted(tmp_path: Path) -> None:
    text = """
        def f(x: float) -> float:
            type: float = x * x
            return type * type
        """
    found = reverse(tmp_path, text)
    assert "# type" not in found and "# model.py:3" in found


def test_long_statements_are_cut(tmp_path: Path) -> None:
    terms = " + ".join(f"x * {k}.5" for k in range(30))
    found = reverse(tmp_path, f"def f(x: float) -> float:\n    y = {terms}\n    return y * y\n")
    (line,) = (line for line in found.split("\n") if line.startswith("# y = "))
    assert line.endswith(" ...") and len(line) <= 84
