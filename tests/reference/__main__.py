"""SciPy's public functions that are differentiable: right, refused or wrong, by module.

`python -m tests.reference [MODULE …] [--write]` makes a function of each line of `calls.txt` and of
each function of every continuous distribution of SciPy's own list, takes its derivative in both
modes, and compares it with differences. `--write` puts the table into docs/coverage.md.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from adjointgen import check
from adjointgen.errors import AdjointgenError
from tests.reference.listing import CALLS, Call, calls

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
BLOCK = re.compile(r"(<!-- reference -->\n).*?(<!-- /reference -->\n)", re.DOTALL)
KINDS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
ROW = np.array([0.4, 1.7, -0.6, 2.2, 0.9])
POINTS: dict[str, Any] = {
    "s": 0.7,
    "v": ROW,
    "p": np.array([0.5, 1.8, 0.7, 2.3, 1.1]),
    "q": np.array([0.35, 0.6, 0.15, 0.82, 0.47]),
    "m": np.array([[1.3, 0.4, -0.2], [0.3, 2.1, 0.5], [-0.6, 0.2, 1.7]]),
    "d": np.array([[2.3, 0.4, -0.2], [0.4, 3.1, 0.5], [-0.2, 0.5, 1.7]]),
    "w": np.array([ROW, [1.0, 2.1, 0.5, 0.3, 1.3], [0.2, -1.4, 0.8, 1.6, -0.7]]),
}
HEAD = "import numpy as np\nfrom scipy.{module} import *\n{points}\n"
VALUES = "\n".join(
    f"{name} = np.array({value.tolist()!r})" for name, value in POINTS.items() if name != "s"
)
FUNCTION = "def called(x):\n    r = {expression}\n    return np.sum(r * r)\n"


def distributions() -> Iterator[Call]:
    """Every function of every continuous distribution, by its argument, location and scale."""
    from scipy import stats
    from scipy.stats._distr_params import distcont

    for name, shapes in {entry[0]: entry[1] for entry in distcont}.items():
        for kind in KINDS:
            quantile = kind in ("ppf", "isf")
            point = 0.37 if quantile else float(getattr(stats, name)(*shapes).ppf(0.37))
            given = ", ".join(map(repr, map(float, shapes)))
            first = "x" if quantile else f"x * 1.3 + 0.1 * (x / {point!r})"
            more = f"{given}, " if given else ""
            # Not proportional to each other: where all are, the standardised number is constant.
            moved = f"0.1 * (x / {point!r}) ** 2, 1.3 * (x / {point!r}) ** 3"
            expression = f"{name}.{kind}({first}, {more}{moved})"
            yield Call("stats distributions", f"{name}.{kind}", expression, point)


def judged(call: Call, folder: Path) -> tuple[str, str]:
    """What becomes of a call, and why."""
    module = call.group.split()[0]
    text = HEAD.format(module=module, points=VALUES) + FUNCTION.format(expression=call.expression)
    point = POINTS[call.point] if isinstance(call.point, str) else call.point
    try:
        f = _loaded(folder, text).called
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not np.isfinite(f(point)):
                return "no value", "the function has no value there"
            report = check(f, (point,))
    except AdjointgenError as error:
        return "refused", str(error).splitlines()[0]
    except Exception as error:
        return "crashed", f"{type(error).__name__}: {error}"
    failed = [row.test for row in report.rows if row.verdict not in ("pass", "kink")]
    # SciPy takes the points of some interpolations in a random order, which changes last digits.
    right = report.rows and set(failed) <= {"second call"}
    return ("right", "") if right else ("wrong", ", ".join(failed))


def _loaded(folder: Path, text: str) -> ModuleType:
    path = folder / f"reference_{len(list(folder.iterdir()))}.py"
    path.write_text(text, "utf-8")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def table(found: dict[str, Counter[str]]) -> Iterator[str]:
    """One line for each module, and their sum."""
    yield "| module | functions | right | refused | wrong |"
    yield "|---|---|---|---|---|"
    total: Counter[str] = Counter()
    for group, counted in found.items():
        total += counted
        yield _line(f"`scipy.{group.split()[0]}` {' '.join(group.split()[1:])}".strip(), counted)
    yield _line("all", total)


def _line(title: str, counted: Counter[str]) -> str:
    number = counted.total()
    wrong = counted["wrong"] + counted["crashed"]
    share = f"{counted['right']} ({100.0 * counted['right'] / max(number, 1):.0f} %)"
    refused = counted["refused"] + counted["no value"]
    return f"| {title} | {number} | {share} | {refused} | {wrong} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    left: dict[str, list[str]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        for call in (*calls(), *distributions()):
            if given.modules and call.group not in given.modules:
                continue
            import_module(f"scipy.{call.group.split()[0]}")
            result, why = judged(call, Path(name))
            found[call.group][result] += 1
            if result != "right":
                left[call.group].append(call.name)
                print(f"{result:8} {call.group}.{call.name}: {why}", flush=True)
    lines = [*table(found), "", *_rest(left)]
    print("\n".join(lines))
    if given.write:
        page = PAGE.read_text("utf-8")
        block = "\n".join(lines)
        PAGE.write_text(BLOCK.sub(lambda m: f"{m[1]}{block}\n{m[2]}", page), "utf-8")


def _rest(left: dict[str, list[str]]) -> Iterator[str]:
    """What is not right; of a distribution whose functions all are not, its name."""
    for group, names in left.items():
        counted = Counter(name.partition(".")[0] for name in names)
        whole = {owner for owner, n in counted.items() if n == len(KINDS)}
        rest = [n for n in names if n.partition(".")[0] not in whole]
        yield f"* `{group}`: {', '.join([*sorted(whole), *rest])}"


if __name__ == "__main__":
    assert CALLS.exists()
    main()
