"""The examples of solvers find what differences find, with fewer evaluations.

What they print is read: times are printed, and not asserted.
"""

import re

import numpy as np
import pytest

from tests.test_examples import EXAMPLES, load

NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"


@pytest.fixture
def printed(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """What an example prints."""
    monkeypatch.syspath_prepend(EXAMPLES)
    load(EXAMPLES / f"{request.param}.py").main()
    return capsys.readouterr().out


def numbers(text: str, before: str) -> list[float]:
    """The numbers that stand after some words."""
    return [float(found) for found in re.findall(rf"{before} {NUMBER}", text)]


def evaluations(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"(\d+) evaluations", text)]


@pytest.mark.parametrize("printed", ["rosenbrock"], indirect=True)
def test_rosenbrock(printed: str) -> None:
    assert max(numbers(printed, "minimum")) < 1e-4
    exact, half, rough = evaluations(printed)[:3]
    assert exact < half < rough and rough > 100 * exact


@pytest.mark.parametrize("printed", ["reaction_diffusion"], indirect=True)
def test_reaction_and_diffusion(printed: str) -> None:
    assert max(numbers(printed, "first solution")) < 1e-6
    exact, grouped, dense = evaluations(printed)[:3]
    assert exact < grouped < dense and dense > 5 * exact


@pytest.mark.parametrize("printed", ["curve_fit"], indirect=True)
def test_a_curve(printed: str) -> None:
    assert max(numbers(printed, "other solution")) < 1e-7
    exact, rough = evaluations(printed)[:2]
    assert 3 * exact < rough
    heights = re.search(r"heights=array\(\[(.*?)\]", printed)
    assert heights is not None
    found = [float(number) for number in heights[1].split(",")]
    np.testing.assert_allclose(found, [1.0, 0.6, 1.4], atol=0.02)


@pytest.mark.parametrize("printed", ["bouncing_ball"], indirect=True)
def test_a_ball(printed: str) -> None:
    assert numbers(printed, "derivatives")[0] < 1e-9
    assert numbers(printed, "gravity") == pytest.approx([9.81, 9.81], rel=1e-6)
    assert numbers(printed, "kept") == pytest.approx([0.8, 0.8], rel=1e-6)
    exact, rough = evaluations(printed)[:2]
    assert exact < rough


@pytest.mark.parametrize("printed", ["optimal_control"], indirect=True)
def test_a_controlled_oscillator(printed: str) -> None:
    first, *others = numbers(printed, "cost")
    assert others == pytest.approx([first, first], rel=1e-7)
    assert max(numbers(printed, "defect")) < 1e-9
    exact, rough = evaluations(printed)[:2]
    assert 20 * exact < rough
