"""What is written from text, or refused with a code: programs that once were neither."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjointgen import AdjointgenError, generate

REFUSED = {
    "return outside": ("AG001", "def f(x): return x\nreturn 3\n"),
    "an argument twice": ("AG001", "def g(x, x): return x\ndef f(x): return x\n"),
    "nonlocal in the module": ("AG001", "nonlocal x\ndef f(x): return x\n"),
    "await outside": ("AG001", "def f(x):\n    return await x\n"),
    "yield outside": ("AG001", "yield 3\ndef f(x): return x\n"),
    "a star alone": ("AG001", "def f(x):\n    y = *x\n    return y\n"),
    "break outside": ("AG001", "def f(x):\n    break\n    return x\n"),
    "calls itself on every path": ("AG120", "def f(x, n: int):\n    return f(x, n - 1) + x\n"),
    "a helper that never returns": (
        "AG120",
        "def g(x, n):\n    if n < 0:\n        return g(x, n + 1)\n    return g(x, n - 1)\n"
        "def f(x, n: int): return g(x, n)\n",
    ),
    "a list by a condition": (
        "AG106",
        "def f(d: object, x: float): return [v for k, v in d.items() if v == 2]\n",
    ),
    "a condition number of a number": (
        "AG201",
        "import numpy as np\ndef f(x: float): return np.linalg.cond(x) * x\n",
    ),
    "a product of what may be numbers": ("AG201", "def f(A: float, x: float): return x @ A @ x\n"),
    "trapezoids of what may be numbers": (
        "AG201",
        "import numpy as np\ndef f(y: float, x: float): return np.trapezoid(y, x)\n",
    ),
    "a copy of nothing": ("AG103", "import numpy as np\ndef f(x): return np.sum(np.copy()) * x\n"),
    "axes that a number has not": (
        "AG201",
        "import numpy as np\ndef f(x: float): return np.sum(np.swapaxes(x, 0, 1))\n",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path: Path, name: str) -> None:
    code, text = REFUSED[name]
    file = tmp_path / "model.py"
    file.write_text(text)
    with pytest.raises(AdjointgenError) as caught:
        generate(f"{file}::f")
    assert caught.value.code == code


WRITTEN = {
    "quotes of both kinds": """
def f(x, n: int):
    u = "a'b" + "\\n"
    v = 'c"d'
    print(f"{u}{v!r:>{n}}{{}}", f'{u}{n}')
    return x * x
""",
    "strings side by side": """
def f(x, n: int):
    u = "a'b"
    v = 'c"d'
    print(f"{u:>{n}}{{}}" f'{v!r}' "plain {braces}" f"{n}")
    print("first %s"
          "second %d" % (u, n))
    return x * x
""",
    "what shows itself": """
def f(x, n: int):
    u = "a'b" + str(n)
    print(f"{n=} {u=}" f'{ n = !s:>5}' f"{n + 1=}", f"é {n=}")
    return x * x
""",
    "over several lines": '''
def f(x, n: int):
    u = str(n)
    print(f"""
    {u} é
  {n} and {n:>5}
    """)
    return x * x
''',
    "a match with a guard": """
def f(x, n: int):
    match n:
        case 1 if x > 0:
            return x
        case k if k > 2:
            return x * k
        case _:
            return x * x
""",
    "a pattern with a star and a guard": """
def f(x, n: int):
    match (n, n + 1, 2):
        case [a, *b] if a > len(b): return x * a
        case {"k": v} if v > 1: return x * v
        case _: pass
    return x * x
""",
    "a loop variable that is kept": """
def f(x, n: int):
    fs = []
    for q in [1.0, 2.0, 3.0]:
        fs.append(lambda x, q=q: x * q)
    return fs[0](x) + fs[1](x) * fs[2](x)
""",
    "a conversion that may fail": """
def f(x, n: int):
    try:
        y = float(x)
    except TypeError:
        y = 2.0
    return y * y
""",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_written(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    file = tmp_path / "model.py"
    file.write_text(WRITTEN[name], "utf-8")
    made = generate(f"{file}::f", wrt="x", types={"x": "float64"})
    own: dict[str, Any] = {}
    program: dict[str, Any] = {}
    exec(compile(WRITTEN[name], "model.py", "exec"), own)
    exec(compile(made.source, "made.py", "exec"), program)
    f: Callable[..., float] = own["f"]
    for n in (1, 2, 7):
        value = f(0.7, n)
        said = capsys.readouterr().out
        got, x_bar = program["f_adjoint"](0.7, n)
        assert got == value and capsys.readouterr().out == said
        _, x_dot = program["f_tangent"](0.7, n, x_dot=1.0)
        slope = (f(0.7 + 1e-5, n) - f(0.7 - 1e-5, n)) / 2e-5
        assert x_bar == pytest.approx(slope, rel=1e-8) and x_dot == pytest.approx(x_bar, rel=1e-13)
        capsys.readouterr()
