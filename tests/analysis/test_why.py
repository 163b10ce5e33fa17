"""Why a value is active, as a refusal says it."""

from pathlib import Path

import pytest

from adjointgen import generate
from adjointgen.errors import AdjointgenError

HEAD = "import math\nimport numpy as np\n\n\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def f(p):\n    return math.ulp(p)\n", "`p` is differentiated"),
        (
            "def f(p):\n    return np.lib.stride_tricks.as_strided(2.0 * p)\n",
            "it depends on `p` (differentiated)",
        ),
        (
            "def f(p):\n    q = p + 1.0\n    return math.ulp(q)\n",
            "`q` depends on `p` (differentiated; through line 6)",
        ),
        (
            "def f(p):\n    q = p + 1.0\n    r = q * q\n    return math.ulp(r)\n",
            "`r` depends on `p` (differentiated; through lines 6 and 7)",
        ),
        (
            "def f(p):\n    p = p + 1.0\n    return math.ulp(p)\n",
            "`p` is differentiated (through line 6)",
        ),
        (
            "def f(p):\n    a = p + 1.0\n    b = a * a\n    c = b * b\n    d = c * c\n"
            "    return math.ulp(d)\n",
            "`d` depends on `p` (differentiated; through lines 6, 7 … 9)",
        ),
        (
            "def f(p):\n    q = p * 2.0\n    return np.lib.stride_tricks.as_strided(q)\n",
            "`q` depends on `p` (differentiated; through line 6)",
        ),
    ],
)
def test_reason(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(HEAD + text, "utf-8")
    with pytest.raises(AdjointgenError) as refused:
        generate(f"{path}::f", wrt="p", types={"p": "float"})
    assert refused.value.label == reason
