"""The tangent of what is no number is None; that of a number that does not depend is zero."""

from __future__ import annotations

from typing import Any

from adjointgen import jvp


def described(x: Any) -> Any:
    return {"a": x * 2.0, "s": "text", "n": 3, "z": None, "b": True}


def test_texts_have_no_tangent() -> None:
    value, tangent = jvp(described, (1.5,), (1.0,))
    assert value == described(1.5)
    assert tangent == {"a": 2.0, "s": None, "n": 0.0, "z": None, "b": 0.0}
