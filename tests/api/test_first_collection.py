"""What the first program imports counts as old: no collection goes through it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FIRST = """
import gc, sys, weakref
import numpy
from adjointgen import grad

class Node:
    pass

def f(x):
    return x * x * x

if "frozen" in sys.argv:
    gc.freeze()
frozen, collections = gc.get_freeze_count(), []
node = Node()
node.itself, seen = node, weakref.ref(node)
del node
gc.callbacks.append(lambda phase, info: collections.append(info["generation"]))
assert grad(f)(2.0) == 12.0
print(len(collections), gc.isenabled(), bool(gc.get_freeze_count()) == bool(frozen))
gc.collect()
print(seen() is None)
"""


@pytest.mark.parametrize(("before", "expected"), [("none", "0 True True"), ("frozen", "True True")])
def test_imports_count_as_old(tmp_path: Path, before: str, expected: str) -> None:
    """The first gradient needs no collection; garbage is found later, what is frozen stays."""
    path = tmp_path / "first.py"
    path.write_text(FIRST)
    done = subprocess.run([sys.executable, path, before], capture_output=True, text=True)
    assert not done.stderr
    first, second = done.stdout.splitlines()
    assert first.endswith(expected) and second == "True"
