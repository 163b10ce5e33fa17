"""What type checkers know of derivatives.

grad(f)                      the arguments of f; a result of the type of the first one
grad(f, wrt="a")             the arguments of f; any result
grad(f, wrt=("a", "b"))      the arguments of f; a tuple
value_and_grad(f)            the value that f returns, and one of these
"""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

P = ParamSpec("P")
A = TypeVar("A")
R = TypeVar("R", covariant=True)
X = TypeVar("X")

One = int | str
Several = tuple[int | str, ...] | list[int] | list[str] | EllipsisType


class Made(Protocol):
    """What every derivative has besides its call."""

    __name__: str
    __qualname__: str

    @property
    def primal(self) -> Callable[..., Any]:
        """The undecorated function."""

    @property
    def source(self) -> str:
        """The generated text of the last call."""

    @property
    def specialisations(self) -> tuple[str, ...]:
        """The types that programs are kept for."""


class Differentiated(Made, Protocol[P, R]):
    """A derivative that is called as its function."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The derivative."""

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Differentiated[P, R]: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> Callable[..., R]: ...


class ByFirst(Made, Protocol[X, P, R]):
    """A derivative by the first argument."""

    @overload
    def __call__(self, x: X, /, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, **kwargs: Any) -> R: ...

    @overload
    def __get__(self, instance: None, owner: Any = None) -> ByFirst[X, P, R]: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> Callable[..., Any]: ...


class GradBy(Protocol):
    """What `grad(wrt=...)` decorates with, for one argument."""

    def __call__(self, f: Callable[P, Any], /) -> Differentiated[P, Any]:
        """The gradient."""


class GradBySeveral(Protocol):
    """What `grad(wrt=...)` decorates with, for several arguments."""

    def __call__(self, f: Callable[P, Any], /) -> Differentiated[P, tuple[Any, ...]]:
        """The gradient."""


class GradByFirst(Protocol):
    """What `grad()` decorates with."""

    def __call__(self, f: Callable[Concatenate[X, P], Any], /) -> ByFirst[X, P, X]:
        """The gradient."""


class GradWithAux(Protocol):
    """What `grad(has_aux=True)` decorates with."""

    def __call__(self, f: Callable[P, tuple[Any, A]], /) -> Differentiated[P, tuple[Any, A]]:
        """The gradient and what stands beside the value."""


class ValueAndGradBy(Protocol):
    """What `value_and_grad(...)` decorates with."""

    def __call__(self, f: Callable[P, X], /) -> Differentiated[P, tuple[X, Any]]:
        """The value and the gradient."""
