"""Sums over shards: the gradient is that of one process, to the last bit, whoever dies."""

import os
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def shards(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The example, whose modules workers find by the path."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    known = {*sys.modules}
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(EXAMPLES), str(Path(__file__).parent)]))
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    import shards

    yield shards
    for name in {*sys.modules} - known:
        if name in ("shards", "shards_dask", "logistic_ad", "dying_worker"):
            del sys.modules[name]


def data(count: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(count, 4))
    labels = (rng.uniform(size=count) > 0.5).astype(float)
    return rng.normal(size=4), 0.3, features, labels


def direct(weights: Any, bias: float, features: Any, labels: Any) -> list[Any]:
    """The mean loss and its gradient, written out."""
    scores = features @ weights + bias
    value = np.mean(np.logaddexp(0.0, scores) - labels * scores)
    slope = (1.0 / (1.0 + np.exp(-scores)) - labels) / len(labels)
    return [value, slope @ features, np.sum(slope)]


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_the_sum_of_parts_is_the_whole(shards: Any, count: int) -> None:
    weights, bias, features, labels = data(41)
    parts = shards.shards_of(features, labels, count)
    found = shards.added([shards.part(weights, bias, one, 41) for one in parts])
    for got, expected in zip(found, direct(weights, bias, features, labels), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_process_that_dies_loses_nothing(shards: Any, tmp_path: Path) -> None:
    from dying_worker import dies_once

    weights, bias, features, labels = data(30)
    parts = shards.shards_of(features, labels, 6)
    serial = shards.added([shards.part(weights, bias, one, 30) for one in parts])
    work = partial(dies_once, str(tmp_path / "died"))
    found = shards.gradient(weights, bias, parts, work=work)
    assert (tmp_path / "died").exists()
    for got, expected in zip(found, serial, strict=True):
        assert np.array_equal(got, expected)


def test_a_dask_worker_that_dies_loses_nothing(shards: Any, tmp_path: Path) -> None:
    import shards_dask
    from dask.distributed import Client, LocalCluster
    from dying_worker import dies_once

    weights, bias, features, labels = data(30)
    parts = shards.shards_of(features, labels, 6)
    serial = shards.added([shards.part(weights, bias, one, 30) for one in parts])
    place = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**place, local_directory=str(tmp_path)) as cluster, Client(cluster) as client:
        work = partial(dies_once, str(tmp_path / "died"))
        found = shards_dask.gradient(client, weights, bias, parts, work)
    assert (tmp_path / "died").exists()
    for got, expected in zip(found, serial, strict=True):
        assert np.array_equal(got, expected)


def test_the_page_shows_the_examples() -> None:
    page = (EXAMPLES.parent / "docs" / "parallel.md").read_text("utf-8")
    blocks = re.findall(r"```py\n(.*?)```", page.split("## Messages")[0], re.DOTALL)
    texts = [(EXAMPLES / name).read_text("utf-8") for name in ("shards.py", "shards_dask.py")]
    assert len(blocks) == len(texts)
    assert all(block in text for block, text in zip(blocks, texts, strict=True))
