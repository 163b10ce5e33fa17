"""Faults that users make, planted in `channel.py` or in the module written for it."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Final

TEXT: Final = (Path(__file__).parent / "channel.py").read_text("utf-8")

SOURCE: Final = {
    "the rule of a function that is called in a loop of another": (
        "y_bar * (1.0 - y * y))",
        "y_bar * (1.0 - y))",
        "hidden = squashed(mixed)",
    ),
    "a rule with a wrong second partial": (
        "(a * a_dot + b * b_dot) / y)",
        "(a * a_dot - b * b_dot) / y)",
        "radius = length(x, y)",
    ),
    "a contribution that is left out": (
        "(y_bar * c, np.sum(y_bar * u))",
        "(y_bar * c, None)",
        "drawn = scaled(smooth, speed)",
    ),
    "stop_gradient in a function that is called": (
        "strength = np.sqrt(0.1 + slope * slope)",
        "strength = stop_gradient(np.sqrt(0.1 + slope * slope))",
        "strength = stop_gradient(np.sqrt(0.1 + slope * slope))",
    ),
    "stop_gradient in one arm of a branch": (
        "u[i] = u[i] + rate * math.sin(u[i])",
        "u[i] = u[i] + rate * stop_gradient(math.sin(u[i]))",
        "u[i] = u[i] + rate * stop_gradient(math.sin(u[i]))",
    ),
    "stop_gradient in a loop that runs backwards": (
        "x[i] = d[i] - c[i] * x[i + 1]",
        "x[i] = d[i] - stop_gradient(c[i]) * x[i + 1]",
        "x[i] = d[i] - stop_gradient(c[i]) * x[i + 1]",
    ),
}
"""By name: a text of the source, what stands for it, and the line that is to be named."""

EDITS: Final = {
    "a factor that is left out": (
        "smooth_bar += drawn_bar * speed",
        "smooth_bar += drawn_bar",
        "drawn = scaled(smooth, speed)",
    ),
    "a contribution that is left out": (
        "        drawn_bar[i] += np.sum(gap_bar)\n",
        "",
        "gap = drawn[i] - drawn[j]",
    ),
    "another function": (
        "rate_bar += total_bar * math.sin(u_old)",
        "rate_bar += total_bar * math.cos(u_old)",
        "u[i] = u[i] + rate * math.sin(u[i])",
    ),
    "a sign in the tangent of a function that is called": (
        "moved_dot[1:-1] = u_dot[1:-1] - (0.05",
        "moved_dot[1:-1] = u_dot[1:-1] + (0.05",
        "moved[1:-1] = u[1:-1] - dt * speed * change",
    ),
    "one iteration of the reverse sweep": (
        "        nu_bar += nu_bar_\n",
        "        nu_bar += nu_bar_ if step != 1 else 0.0\n",
        "flux = viscosity(u, nu) * (u[1:] - u[:-1])",
    ),
}
"""The same for a text of the module."""


def module_at(path: Path, text: str) -> ModuleType:
    """A module of a text, in a file of this path."""
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    spec.loader.exec_module(made)
    return made


def replaced(text: str, old: str, new: str) -> str:
    """A text with something else in the place of what it has once."""
    assert text.count(old) == 1, old
    return text.replace(old, new)
