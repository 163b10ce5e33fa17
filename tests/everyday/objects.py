"""Objects that the module holds, and objects that are made by classes of every kind."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, -0.4])


class Spring:
    """Stiffness is a property, the rest length an attribute of the class."""

    rest = 0.5

    def __init__(self, stiffness: float) -> None:
        self.__stiffness = stiffness
        self.limit: float | None = None

    @property
    def stiffness(self) -> float:
        return self.__stiffness

    def __stretch(self, x: Any) -> Any:
        return x - self.rest

    def energy(self, x: Any) -> Any:
        e = 0.5 * self.stiffness * self.__stretch(x) ** 2
        return e if self.limit is None else np.minimum(e, self.limit)


class Assembly:
    def __init__(self, *parts: Any) -> None:
        self.parts = list(parts)
        self.weights = {"first": 2.0, "rest": 0.5}

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __getitem__(self, k: int) -> Any:
        return self.parts[k]

    def __call__(self, x: Any) -> Any:
        total = 0.0
        for k, part in enumerate(self):
            total = total + self.weights["first" if k == 0 else "rest"] * part.energy(x)
        return total


ASSEMBLY = Assembly(Spring(2.0), Spring(3.0), Assembly.__new__(Assembly))
ASSEMBLY.parts.pop()


@at(1.4)
def springs(x: float) -> Any:
    return ASSEMBLY(x) * ASSEMBLY[-1].energy(x) + len(ASSEMBLY) * x


class Tagged(type):
    """A class of classes that counts nothing and names what it makes."""

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        made = super().__call__(*args, **keywords)
        made.scale = 2.0 if cls.__name__ == "Power" else 1.0
        return made


class Power(metaclass=Tagged):
    scale: float

    def __init__(self, base: Any, n: int = 2) -> None:
        self.base, self.n = base, n

    def value(self) -> Any:
        return self.scale * self.base**self.n


@at(1.4)
def made_by_a_metaclass(x: float) -> Any:
    return Power(x, n=3).value() + Power(x * x).value()


class Clamped:
    """`__new__` may give an object of another class."""

    def __new__(cls, x: Any, kind: str = "soft") -> Any:
        return super().__new__(Soft if kind == "soft" else cls)

    def __init__(self, x: Any, kind: str = "soft") -> None:
        self.x = x

    def value(self) -> Any:
        return self.x


class Soft(Clamped):
    def value(self) -> Any:
        return np.tanh(super(Soft, self).value())  # noqa: UP008


@at(0.6)
def made_by_new(x: float) -> Any:
    return Clamped(x).value() * Clamped(x, "hard").value()


class Angle(float):
    def radians(self) -> Any:
        return self * np.pi / 180.0

    def __add__(self, other: Any) -> Any:
        return Angle(float(self) + float(other))


RIGHT = Angle(90.0)


@at(30.0)
def numbers_of_a_class(x: float) -> Any:
    return np.sin((Angle(x) + RIGHT).radians()) * x + RIGHT * x - RIGHT.radians()


class Path(list):  # type: ignore[type-arg]
    def to(self, *points: Any) -> Path:
        for p in points:
            self.append(p)
        return self

    @property
    def length(self) -> Any:
        return sum((self[k + 1] - self[k]) ** 2 for k in range(len(self) - 1))


@at(1.4)
def list_of_a_class(x: float) -> Any:
    path = Path([0.0, x]).to(x * x, 3.0)
    return path.length + path[-2] * len(path) + (path[0] if path else x)


@dataclasses.dataclass(frozen=True, order=True)
class Span:
    low: float
    high: float
    name: str = dataclasses.field(default="", compare=False)


@at(1.4)
def data_classes_compared(x: float) -> Any:
    a, b = Span(x, 2.0, "a"), Span(x, 3.0, "b")
    if a < b and a != b and not a >= b and Span(x, 2.0) == a:
        return b.high * a.low**2
    return x


@functools.total_ordering
class Grade:
    def __init__(self, points: float) -> None:
        self.points = points

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grade) and self.points == other.points

    def __lt__(self, other: Grade) -> bool:
        return self.points < other.points


@at(1.4)
def ordered_by_one_method(x: float) -> Any:
    best = max(Grade(x), Grade(1.0))
    return best.points**2 if best >= Grade(0.5) and best != Grade(7.0) else x


class Bounded:
    """A data descriptor with a state of its own."""

    def __init__(self, top: float) -> None:
        self.top = top

    def __set_name__(self, owner: type, name: str) -> None:
        self.slot = f"_{name}_value"

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        return self if obj is None else getattr(obj, self.slot, 1.0)

    def __set__(self, obj: Any, value: Any) -> None:
        setattr(obj, self.slot, np.minimum(value, self.top))


class Valve:
    flow = Bounded(2.5)
    drop = Bounded(9.0)

    def __init__(self, flow: Any) -> None:
        self.flow = flow


HELD_VALVE = Valve(1.5)


@at(1.4)
def read_and_set_by_descriptors(x: float) -> Any:
    valve = Valve(x * 3.0)
    valve.drop = x * x
    return valve.flow * valve.drop + HELD_VALVE.flow * x * HELD_VALVE.drop


class Lazy:
    """Forwards what it does not have, and keeps what is set in a dict."""

    def __init__(self, inner: Any) -> None:
        object.__setattr__(self, "kept", {"inner": inner})

    def __setattr__(self, name: str, value: Any) -> None:
        self.kept[name] = value

    def __getattr__(self, name: str) -> Any:
        if name in self.kept:
            return self.kept[name]
        return getattr(self.kept["inner"], name)


@at(1.4)
def attributes_by_code(x: float) -> Any:
    lazy = Lazy(Spring(x))
    lazy.gain = x * x
    return lazy.gain * lazy.stiffness + lazy.energy(2.0)


LAZY = Lazy(Spring(4.0))


@at(1.4)
def attributes_of_a_held_object_by_code(x: float) -> Any:
    return LAZY.energy(x) * LAZY.stiffness * getattr(LAZY.inner, "damping", 0.5)


class Law(enum.Enum):
    LINEAR = "linear"
    SQUARE = "square"

    def apply(self, x: Any) -> Any:
        return x * x if self is Law.SQUARE else 2.0 * x

    @property
    def degree(self) -> int:
        return 2 if self is Law.SQUARE else 1


LAWS: dict[Law, Callable[[Any], Any]] = {Law.LINEAR: lambda x: 3.0 * x, Law.SQUARE: np.exp}


@at(1.4)
def enumerations(x: float) -> Any:
    total = 0.0
    for law in Law:
        total = total + law.apply(x) * law.degree + LAWS[law](x)
    return total


class Complex2(NamedTuple):
    re: float
    im: float

    def __mul__(self, other: Any) -> Any:
        return Complex2(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def norm(self) -> Any:
        return self.re**2 + self.im**2


UNIT = Complex2(0.6, 0.8)


@at(1.4)
def named_tuples_that_compute(x: float) -> Any:
    return (UNIT * Complex2(x, 2.0)).re * (Complex2(x, x * x) * UNIT).norm()


@at(1.4)
def class_of_the_function(x: float) -> Any:
    gain = x + 1.0

    class Stage:
        order = 2
        names: ClassVar[int] = 3

        def __init__(self, v: Any, next: Any = None) -> None:
            self.v, self.next = v, next

        @property
        def own(self) -> Any:
            return gain * self.v**self.order

        @staticmethod
        def limit(v: Any) -> Any:
            return np.tanh(v)

        @classmethod
        def of(cls, *vs: Any) -> Any:
            made = None
            for v in vs:
                made = cls(v, made)
            return made

        def total(self) -> Any:
            return self.own if self.next is None else self.limit(self.own) + self.next.total()

    return Stage.of(x, 2.0, x * x).total() * Stage.names


class Unit:
    """A number with a unit: operators on both sides."""

    def __init__(self, value: Any, unit: str) -> None:
        self.value, self.unit = value, unit

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Unit):
            return NotImplemented
        if self.unit != other.unit:
            raise TypeError(f"{self.unit} and {other.unit}")
        return Unit(self.value + other.value, self.unit)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Unit):
            return Unit(self.value * other.value, f"{self.unit} {other.unit}")
        return Unit(self.value * other, self.unit)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __float__(self) -> float:
        return float(self.value)


METRE = Unit(1.0, "m")


@at(1.4)
def quantities(x: float) -> Any:
    area = (x * METRE + METRE * 2.0) * (3.0 * METRE)
    return area.value * len(area.unit) + float(METRE * x)


@at(V)
def objects_in_a_list(x: np.ndarray) -> Any:
    parts = [Spring(1.0), Spring(2.0), Spring(3.0)]
    chosen = [p for p in (*parts, ASSEMBLY[0], LAZY) if isinstance(p, Spring)]
    return sum(p.energy(x[k % 3]) for k, p in enumerate(chosen))


class Damped:
    """Private names, read and set by methods that are differentiated themselves."""

    __order = 2

    def __init__(self, rate: float) -> None:
        self.__rate = rate

    def energy(self, x: Any) -> Any:
        return self.__damped(x) ** Damped.__order

    def stretched(self, x: Any) -> Any:
        self.__rate = 2.0 * x
        return self.__damped(x)

    def __damped(self, x: Any) -> Any:
        return np.exp(-self.__rate * x)


class Shifted(Damped):
    def energy(self, x: Any) -> Any:
        return super().energy(x + 1.0) * x


at(0.4, name="method_with_private_names")(Damped(0.3).energy)
at(0.4, name="method_that_sets_a_private_name")(Damped(0.3).stretched)
at(0.4, name="method_of_a_class_above")(Shifted(0.3).energy)
