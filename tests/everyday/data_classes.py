"""The `__init__` that is made for a data class, called by the classes below it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at


@dataclass
class Inputs:
    a: float = 1.0
    b: float = 2.0
    kept: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.n = self.a * 2


@dataclass
class Scaled(Inputs):
    def __init__(self, a: float, k: float) -> None:
        super().__init__(a=a * k)
        self.k = k


class Old(Inputs):
    def __init__(self, a: float, **kw: float) -> None:
        Inputs.__init__(self, a, **kw)
        self.a += 1.0

    def __post_init__(self) -> None:
        self.n = 3.0 * self.b


@dataclass
class Bare:
    a: float


class Later(Bare):
    """Its `__post_init__` is not called: the class above had none when it was made."""

    def __init__(self, a: float) -> None:
        super().__init__(a)
        self.c = 2.0

    def __post_init__(self) -> None:
        self.a = 100.0


@dataclass(frozen=True)
class Frozen:
    a: float


@dataclass(frozen=True)
class Below(Frozen):
    b: float = 2.0

    def __init__(self, a: float) -> None:
        super().__init__(a * 3)


class Twice(Bare):
    def __init__(self, v: float) -> None:
        Bare.__init__(self, a=v)
        super().__init__(self.a * v)


@at(1.3)
def made_init_by_super(x: float) -> Any:
    s, f = Scaled(x, 3.0), Below(x)
    return s.n * s.k * s.b + len(s.kept) + f.a * f.b


@at(1.3)
def made_init_by_name(x: float) -> Any:
    s = Old(x, b=x * x)
    return s.n * s.a + Twice(x).a


@at(1.3)
def after_init_that_is_not_called(x: float) -> Any:
    s = Later(x)
    return s.a * s.c * x
