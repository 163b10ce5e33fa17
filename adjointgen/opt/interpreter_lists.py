"""What the operations on lists mean; the table is tested with arrays in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _list_of(*items: Any, **options: Any) -> Any:
    arrays = bool(items) and all(isinstance(item, np.ndarray) for item in items)
    return np.array(items) if arrays else list(items)


LISTS: dict[str, Callable[..., Any]] = {
    "list_of": _list_of,
    "chain": lambda a, b: a + b if isinstance(a, list) else np.concatenate((a, b)),
    "tile_list": lambda a, count: a * count if isinstance(a, list) else np.tile(a, count),
    "push": lambda a, v: [*a, v] if isinstance(a, list) else np.append(a, v),
    "drop": lambda a: a[:-1],
}
