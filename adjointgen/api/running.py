"""Running generated text: compiled once, with its lines registered for tracebacks and debuggers.

The code lives in a namespace of its own; the user's module is neither read nor written, but for
the objects that the program reads at run time, which are passed in by name.
"""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable, Mapping
from typing import Any


def load(text: str, name: str, given: Mapping[str, Any]) -> Callable[..., Any]:
    """The function `name` of a generated module."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    filename = f"<adjointgen {name} {digest}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": f"adjointgen.generated.{name}", **given}
    exec(compile(text, filename, "exec"), namespace)
    found: Callable[..., Any] = namespace[name]
    return found
