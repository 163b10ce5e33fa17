"""A module with a state that its functions change: what `test_module_state.py` imports."""

from typing import Any


class State:
    scale = 1.0

    def __init__(self) -> None:
        self.value = 1.0

    def put(self, t: Any) -> None:
        self.value = t * t

    @classmethod
    def rescale(cls, t: Any) -> None:
        cls.scale = t * t


STATE = State()
TABLE = {"a": 1.0}
LAST: list[Any] = []
NUMBER = 1.0


def put(t: Any) -> None:
    u = t * t
    STATE.value = u


def get() -> Any:
    value = STATE.value * 2.0
    return value


def put_in_table(t: Any) -> None:
    TABLE["a"] = t * t


def append(t: Any) -> None:
    LAST.append(t * t)


def set_number(t: Any) -> None:
    global NUMBER
    NUMBER = t + t


def get_number() -> Any:
    value = NUMBER * NUMBER
    return value


def twice(t: Any) -> Any:
    put(t * 3.0)
    return t * 2.0
