"""A sample of what `python -m tests.damage` does, and the tool itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from adjointgen.api.cache import disk_store
from adjointgen.api.cache.disk_store import Entry
from tests.damage.__main__ import Case, Place
from tests.damage.asking import ask
from tests.damage.contents import CHANGES, JSON_CHANGES, Beside
from tests.damage.subjects import SUBJECTS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are copied")


@pytest.mark.slow
def test_a_sample_of_damages() -> None:
    command = [sys.executable, "-m", "tests.damage", "--total", "40"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("40 damages in ")


def unchecked(data: bytes, key: object) -> Entry:
    found = json.loads(data)
    return Entry(found["text"], found["metadata"])


def test_a_cache_without_a_checksum_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJOINTGEN_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(disk_store, "_decode", unchecked)
    place = Place(tmp_path, "gradient")
    file, _ = sorted(place.files)

    def found(kind: str) -> set[str]:
        return {place.judge(Case("gradient", file, kind, False, str(k)))[0] for k in range(4)}

    assert "wrong" in found("program changed")
    assert "ran code" in found("program that runs more")
    assert "failed" in found("field removed")
    assert found("gone") == {"written again"}


def test_the_tool_finds_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {
        "stops": lambda module: [lambda: os._exit(3)],
        "waits": lambda module: [lambda: time.sleep(60)],
        "raises": lambda module: [lambda: 1 / 0],
        "gives": lambda module: [lambda: 1.5, lambda: (2, 3.0)],
    }
    monkeypatch.setattr("tests.damage.asking.SUBJECTS", SUBJECTS | calls)
    assert ask("stops", tmp_path).failure.startswith("ended with status")
    assert ask("waits", tmp_path, seconds=0.5).failure.startswith("no answer")
    assert "ZeroDivisionError" in ask("raises", tmp_path).failure
    assert ask("gives", tmp_path).results == ask("gives", tmp_path, -1).results


def test_changes_are_changes() -> None:
    data = b'{"checksum": "12", "magic": "m", "versions": {"a": "1"}, "key": ["k"], '
    data += b'"text": "def f(x):\\n    return 2.0 * x\\n", "metadata": {"n": [1, 2]}}'
    other = data.replace(b"2.0", b"3.0").replace(b'"12"', b'"13"')
    for name, change in (CHANGES | JSON_CHANGES).items():
        made = {change(data, Beside(Random(k), [other], [other], "evil()")) for k in range(20)}
        assert made - {data}, name
