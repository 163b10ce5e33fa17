"""Which variables of a module that is imported its functions change.

state.G        in state.py:  def step(): global G; G += 1.0
"""

from __future__ import annotations

import linecache
import re
from types import ModuleType


def changes(module: ModuleType, name: str) -> bool:
    """Whether a function of a module declares one of its variables to be its own to change."""
    file = getattr(module, "__file__", None)
    lines = linecache.getlines(file) if isinstance(file, str) else []
    declares = re.compile(rf"\bglobal\b[^#]*\b{re.escape(name)}\b")
    return any("global" in line and declares.search(line) is not None for line in lines)
