"""What is put into a container is the object itself: a write by either name is seen by the other.

Each way to make a container of two fresh lists, dicts, arrays or objects is taken together with
each way to write to its entries. The derivative is compared with differences of the function.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adjointgen import value_and_grad
from tests.effects.logged import load

BEGIN = """
import functools
from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np

class O:
    def __init__(self, v=0.0):
        self.v = v

@dataclass
class Data:
    p: object
    rest: list

def pair(p, q): return [p, q]
def by_name(**k): return [k["p"], k["q"]]
def starred(*a): return list(a)

def yielding(*a):
    yield from a

def bump_key(m): m["v"] += m["v"] ** 2
def bump_entry(m): m[0] += m[0] ** 2
def bump_attribute(m): m.v += m.v**2
"""
MAKERS = (
    "c = [A, B]",
    "c = []; c.append(A); c.append(B)",
    "c = []; c.extend([A, B])",
    "c = []; c += [A, B]",
    "c = [A] + [B]",
    "c = []; c.insert(0, B); c.insert(0, A)",
    "c = [None, None]; c[0] = A; c[1] = B",
    "c = [0.0, 0.0, 1.0]; c[0:2] = [A, B]; c.pop()",
    "c = [v for v in (A, B)]",
    "c = (A, B)",
    "c = list((A, B))",
    'd = {"a": A, "b": B}; c = list(d.values())',
    'd = {}; d["a"] = A; d["b"] = B; c = [d["a"], d["b"]]',
    'd = {}; d.setdefault("a", A); d.setdefault("b", B); c = [d["a"], d["b"]]',
    'd = dict(a=A, b=B); c = [d["a"], d["b"]]',
    'd = {}; d.update(a=A); d.update({"b": B}); c = [d["a"], d["b"]]',
    "o = O(); o.p = A; o.q = B; c = [o.p, o.q]",
    "o = O(); o.l = []; o.l.append(A); o.l.append(B); c = o.l",
    "c = [*(A, B)]",
    "c = [p for p, q in zip([A, B], [1, 2])]",
    "c = pair(A, B)",
    "c = by_name(p=A, q=B)",
    "c = starred(A, B)",
    'd = defaultdict(list); d["c"].append(A); d["c"].append(B); c = d["c"]',
    "c = sorted([A, B], key=lambda v: 0)",
    "c = list(reversed([B, A]))",
    "c = list(g for g in (A, B))",
    "c = list(yielding(A, B))",
    "c = list(map(lambda v: v, [A, B]))",
    "e = [[A], [B]]; c = [e[0][0], e[1][0]]",
    "c = [A if n > 0 else B, B]",
    "c = [A] * 2",
    "c = [A, B].copy()",
    "c = [A, B, 1][0:2]",
    "e = [A, B]; c = [e.pop(0), e.pop()]",
    "o = Data(A, [B]); c = [o.p, *o.rest]",
    'd = {}; c = [d.get("a", A), d.get("b", B)]',
    "c = [None or A, [] or B]",
    "c = functools.partial(pair, A)(B)",
    "c = [(w := A), B]",
)
KINDS = (
    ('{{"v": x * {0}}}', '["v"]', "bump_key"),
    ("dict(v=x * {0})", '["v"]', "bump_key"),
    ("[x * {0}]", "[0]", "bump_entry"),
    ("np.array([x * {0}])", "[0]", "bump_entry"),
    ("O(x * {0})", ".v", "bump_attribute"),
)
WRITES = (
    "for m in c: mE += x * x",
    "for i in range(2): c[i]E *= x",
    "for m, f in zip(c, [x, 2.0]): mE += f",
    "for i, m in enumerate(c): mE = mE * (i + 2.0)",
    "p, q = c; pE += x; qE *= x",
    "[BUMP(m) for m in c]",
    "c[-1]E += x",
)


def programs() -> Iterator[tuple[str, str]]:
    """The name and the source of each program."""
    for i, make in enumerate(MAKERS):
        for j, (fresh, entry, bump) in enumerate(KINDS):
            for k, write in enumerate(WRITES):
                made = make.replace("A", fresh.format(1.0)).replace("B", fresh.format(2.0))
                changed = write.replace("E", entry).replace("BUMP", bump)
                body = "\n    ".join((made, changed, f"return sum(m{entry} for m in c)"))
                yield f"made_{i}_{j}_{k}", f"def f(x, n=1):\n    {body}\n"


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], ModuleType]:
    folder = tmp_path_factory.mktemp("containers")

    def made(name: str, source: str) -> ModuleType:
        return load(name, BEGIN + source, Path(folder))

    return made


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("name", "source"), list(programs()), ids=lambda o: o.partition("(")[0])
def test_a_write_is_seen(name: str, source: str, modules: Callable[[str, str], ModuleType]) -> None:
    f: Any = modules(name, source).f
    value, slope = value_and_grad(f)(1.3)
    near, far = (f(1.3 + k * 1e-3) - f(1.3 - k * 1e-3) for k in (1, 2))
    assert value == pytest.approx(f(1.3), rel=1e-14)
    assert slope == pytest.approx((8.0 * near - far) / 12e-3, rel=1e-8)
    sys.modules.pop(name, None)
