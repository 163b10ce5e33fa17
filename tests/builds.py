"""How often programs are made until they know enough of the lengths of their arguments."""

from collections import Counter
from typing import Any

import pytest

from adjointgen.api.programs import build_program


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The programs that are made from now on, by the name of the function."""
    found: Counter[str] = Counter()
    follow = build_program.follow

    def counting(function: Any, *args: Any) -> Any:
        found[function.name] += 1
        return follow(function, *args)

    monkeypatch.setattr(build_program, "follow", counting)
    return found
