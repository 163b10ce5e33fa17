"""What a worker does in the tests of shards: it imports the example, and dies once."""

import os
import sys
from pathlib import Path
from typing import Any

import shards


def dies_once(mark: str, weights: Any, bias: float, shard: Any, total: int) -> Any:
    """The part of a shard; the first process that comes here ends, and leaves a mark."""
    assert "adjointgen" not in sys.modules
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return shards.part(weights, bias, shard, total)
    os._exit(1)
