"""Directives in comments: each changes the program, none the derivative, and misuse is refused."""

import io
import re
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import (
    AdjointgenError,
    DirectiveWarning,
    adjoint,
    check,
    generate,
    grad,
    hvp,
    inspect,
    value_and_grad,
    vjp,
)
from tests.directives.programs import module

X, K = np.array([0.3, 0.5, 0.9]), 0.7

CHANGES = (
    ("stepped", "joint", (r"wave_joint_adjoint\(u, k, u_bar\)",), ("wave_tape",)),
    ("once", "joint", (r"short_joint_adjoint\(",), ()),
    ("once", "split", (r"short_reverse\(",), ()),
    ("cheap", "store(t)", (r"\bt_tape\.append\(t\)", r"t = t_tape\.pop"), ()),
    ("dear", "recompute(t)", (), (r"\bt_tape",)),
    ("whole", "recompute(t)", (), (r"\bt_tape",)),
    ("rows", "independent", (r"for i in range\(len_u\)",), ("_tape", "reversed", r"-1, -1\)")),
    ("nested", "independent", (r"for i in range\(len\(x\)\)",), (r"-1, -1\)",)),
)
"""Function, directive, expressions that the gradient has with it, and those that it has not."""


@pytest.mark.parametrize("name, directive, has, lacks", CHANGES, ids=lambda v: str(v)[:12])
def test_a_directive_changes_the_text_and_not_the_gradient(
    name: str, directive: str, has: tuple[str, ...], lacks: tuple[str, ...], tmp_path: Path
) -> None:
    plain = getattr(module(tmp_path, "without", "# nothing"), name)
    directed = getattr(module(tmp_path, "directed", f"# adjointgen: {directive}"), name)
    before, after = grad(plain, wrt="x,k"), grad(directed, wrt="x,k")
    for one, other in zip(before(X, K), after(X, K), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-14)
    body = [f.source.split('"""', 2)[2] for f in (before, after)]
    assert body[0].replace("# nothing", "") != body[1].replace(f"# adjointgen: {directive}", "")
    code = "\n".join(line.split("#")[0] for line in body[1].splitlines())
    assert all(re.search(text, code) for text in has), code
    assert not any(re.search(text, code) for text in lacks), code
    assert check(directed, (X, K)).ok
    x_dot = (np.ones(3), 0.5)
    seconds = [hvp(f, (X, K), x_dot) for f in (plain, directed)]
    for one, other in zip(*seconds, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-13)


@pytest.mark.parametrize("name, directive", [(row[0], row[1]) for row in CHANGES])
def test_a_keyword_is_the_comment(name: str, directive: str, tmp_path: Path) -> None:
    plain = getattr(module(tmp_path, "without", "# nothing"), name)
    directed = getattr(module(tmp_path, "directed", f"# adjointgen: {directive}"), name)
    named = {"joint": "joint({})", "split": "split({})", "independent": "independent(i)"}
    called = "wave" if name == "stepped" else "short"
    asked = grad(plain, wrt="x,k", directives=named.get(directive, directive).format(called))
    commented = grad(directed, wrt="x,k")
    # Above the loop the comment is about what enters it as well.
    if name == "whole":
        assert not re.search(r"\bt_tape", _code(asked))
    else:
        assert _code(asked) == _code(commented)
    for one, other in zip(asked(X, K), commented(X, K), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-14)


def _code(f: Any) -> str:
    """The statements of a derivative."""
    f(X, K)
    lines = (line.split("#")[0].rstrip() for line in f.source.split('"""', 2)[2].splitlines())
    return "\n".join(filter(None, lines))


def test_a_keyword_holds_everywhere_and_in_every_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = module(tmp_path, "plain", "# nothing").dear
    asked = ("recompute(t)",)
    value, gradient = value_and_grad(plain, wrt="x,k", directives=asked)(X, K)
    made = adjoint(plain, directives=list(asked))
    np.testing.assert_allclose(made(X, K, 1.0)[1], gradient[0], rtol=1e-14)
    assert made(X, K, 1.0)[0] == value
    assert not re.search(r"\bt_tape", made.source)
    types = {"x": "float64[:]", "k": "float"}
    written = generate("plain.py::dear", modes="adjoint", types=types, directives=asked)
    assert "--directive 'recompute(t)'" in written.source
    assert written.body == generate(plain, modes="adjoint", types=types, directives=asked).body
    tapes = [inspect(plain, X, K, directives=d).tape for d in ("", "recompute( t )")]
    assert ["recompute(t) above" in tape for tape in tapes] == [True, False]


def test_what_changes_nothing_is_told(tmp_path: Path) -> None:
    for name, directive in (
        ("once", "store(y)"),
        ("once", "recompute(y)"),
        ("cheap", "recompute(t)"),
    ):
        directed = getattr(module(tmp_path, "directed", f"# adjointgen: {directive}"), name)
        plain = getattr(module(tmp_path, "plain", "# nothing"), name)
        for f, asked in ((directed, ()), (plain, (directive,))):
            with pytest.warns(DirectiveWarning) as told:
                grad(f, directives=asked)(X, K)
            text = str(told[0].message)
            assert text.startswith("warning[AG013]: ") and f"{directive} changes nothing" in text
            assert told[0].message.span is not None
    changing = module(tmp_path, "directed", "# adjointgen: recompute(t)").dear
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grad(changing)(X, K)


@pytest.mark.parametrize(
    "asked, message",
    [
        ("recompute(nothing)", "computes no nothing"),
        ("joint(nobody)", "calls no nobody"),
        ("independent(z)", "has no `for` loop over z"),
        ("recompute", "names no variable"),
        ("recompte(t)", "is no directive of a function"),
        ("adjoint_of(t) as t_bar: print(t_bar)", "is no directive of a function"),
        ("checkpoint(log)", "is no directive of a function"),
        ("joint()", "names nothing"),
    ],
)
def test_a_keyword_that_is_about_nothing_is_refused(
    asked: str, message: str, tmp_path: Path
) -> None:
    plain = module(tmp_path, "plain", "# nothing").dear
    with pytest.raises(AdjointgenError) as caught:
        grad(plain, directives=asked)(X, K)
    assert caught.value.code in ("AG012", "AG415") and message in caught.value.message


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name, directive", [(row[0], row[1]) for row in CHANGES])
def test_directives_hold_in_split_sweeps_and_compiled_programs(
    name: str, directive: str, tmp_path: Path
) -> None:
    pytest.importorskip("numba")
    plain = getattr(module(tmp_path, "without", "# nothing"), name)
    directed = getattr(module(tmp_path, "directed", f"# adjointgen: {directive}"), name)
    expected = grad(plain, wrt="x,k")(X, K)
    compiled = grad(directed, wrt="x,k", compile="numba")(X, K)
    _, pullback = vjp(directed, X, K)
    for found in (compiled, pullback(1.0)):
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-13)


def test_a_text_that_is_not_run_has_its_directives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module(tmp_path, "directed", "# adjointgen: independent")
    types = {"x": "float64[:]", "k": "float"}
    made = generate("directed.py::rows", modes="adjoint", types=types)
    assert "_tape" not in made.body and "for i in range(len_u):" in made.body


def test_a_wrong_claim_is_found_and_named() -> None:
    def chained(x, k):
        u = x * 1.0
        # adjointgen: independent
        for i in range(1, len(u)):
            u[i] = np.sin(u[i - 1]) * k * u[i]
        return np.sum(u * u)

    report = check(chained, (X, K), bisect=True)
    assert not report.ok and report.faults is not None
    assert [fault.text for fault in report.faults] == ["for i in range(1, len(u)):"]


def noisy(u):
    print("noisy")
    return np.sin(u)


def test_what_would_be_done_twice_is_refused() -> None:
    def f(x):
        # adjointgen: joint
        y = noisy(x)
        return np.sum(y * y)

    def g(x):
        u = x * 1.0
        # adjointgen: independent
        for i in range(len(u)):
            print(i)
            u[i] = np.sin(u[i])
        return np.sum(u)

    for function in (f, g):
        with redirect_stdout(io.StringIO()), pytest.raises(AdjointgenError) as caught:
            grad(function)(X)
        assert caught.value.code == "AG122"


MISUSES = (
    ("independnt", "unknown directive"),
    ("independent(i)", "takes no arguments"),
    ("joint(f)", "takes no arguments"),
    ("joint", "stands above no call"),
    ("split", "stands above no call"),
    ("independent", "stands above no loop"),
    ("checkpoint(independent)", "is no schedule"),
    ("store", "names no variable"),
    ("recompute(x, y)", "names no variable"),
    ("store(x)", "x is not computed in the statement below"),
    ("recompute(nothing)", "nothing is not computed"),
)


@pytest.mark.parametrize("directive, message", MISUSES)
def test_misuse_is_refused(directive: str, message: str, tmp_path: Path) -> None:
    loop = directive.startswith("checkpoint")
    head = "for _ in range(2):\n        y = y * x" if loop else "y = y * x"
    text = f"def f(x):\n    y = x\n    # adjointgen: {directive}\n    {head}\n    return y\n"
    text += "\n\ndef outer(x):\n    return f(x) * x\n"
    (tmp_path / "misused.py").write_text(text, "utf-8")
    for name in ("f", "outer"):
        with pytest.raises(AdjointgenError) as caught:
            generate(f"{tmp_path}/misused.py::{name}", types={"x": "float"})
        assert caught.value.code == "AG012" and message in caught.value.message
        assert caught.value.span is not None and caught.value.span.line == 3


def test_a_while_is_not_independent() -> None:
    def f(x):
        # adjointgen: independent
        while x > 0.1:
            x = x * 0.5
        return x

    with pytest.raises(AdjointgenError) as caught:
        grad(f)(1.0)
    assert caught.value.code == "AG012"
