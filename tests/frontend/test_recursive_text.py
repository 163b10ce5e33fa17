"""Functions whose helpers call each other along many paths: what is guessed of arguments ends."""

from pathlib import Path

import pytest

from adjointgen.frontend import rank_inference
from adjointgen.frontend.source.source import source_from_file

CALLS = 6


def test_each_helper_is_read_once_for_a_depth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = " + ".join(f"{name}(x, {k})" for k, name in enumerate("fgh" * CALLS))
    text = "".join(f"def {name}(x, n):\n    return {calls} + x[n]\n\n\n" for name in "fgh")
    file = tmp_path / "model.py"
    file.write_text(text)
    settled = []
    settle = rank_inference.Ranks.settle
    monkeypatch.setattr(
        rank_inference.Ranks, "settle", lambda self: (settled.append(1), settle(self))
    )
    found = rank_inference.ranks_of(source_from_file(str(file), "f"))
    assert found.rank("x") == 1
    assert len(settled) <= 3 * (rank_inference.DEEPEST + 1)
