"""Every invariant of the IR: a sound program has them, and a program without one is refused."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from adjointgen.errors import InternalError
from adjointgen.ir.nodes import Block, Const, Function, Leaf, Loop, Record, Value
from adjointgen.ir.text import read
from adjointgen.ir.types import FLOAT, INT
from adjointgen.ir.verify import verify

SOUND = """\
function f(x: float64[x.0], n: int64) -> (s)
  s: float64 = loop i: int64 from (0, n, 1) carry (s_2: float64 = undefined) trips m: int64:
    t: float64 = load(x, i) [index="_"]
    record t_tape <- t
    yield True, t
  loop j: int64 backwards from (0, m, 1):
    u: float64 = replay t_tape
  w: float64 = while carry (w_2: float64 = s) trips k: int64:
    test:
      c: bool = lt(w_2, 1.0)
      yield c
    body:
      yield 2.0
  z: float64 = if True:
    yield w
  else:
    yield 1.0
  return z
"""


def test_a_sound_program_passes() -> None:
    verify(read(SOUND))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("u: float64 = replay", "t: float64 = replay", "t is defined more than once"),
        ("loop j: int64", "loop i: int64", "i is defined more than once"),
        ("yield w\n", "yield t\n", "t is read where it is not defined"),
        ("yield w\n", "yield c\n", "c is read where it is not defined"),
        ("yield True, t", "yield t", "Loop s, m: 1 yields where there should be 2"),
        ("      yield 2.0", "      yield 2.0, 3.0", "While w, k: 2 yields"),
        ("yield c", "yield c, c", "While w, k: 2 yields of the test"),
        ("    yield 1.0\n", "    yield 1.0, 2.0\n", "Branch z: 2 yields"),
        ("s: float64 = loop", "s: float64, r: bool = loop", "Loop s, r, m: 2 results"),
        ("return z", "return z, z", "1 names and 1 places"),
        ("x: float64[x.0], n: int64)", "x: float64[x.0], n: int64)", ""),
        ("      yield 2.0", "      yield 2", "While w, k: w_2 is float64, but meets"),
        ("yield 1.0\n", "yield 1\n", "Branch z: z is float64, but meets"),
        ("(w_2: float64 = s)", "(w_2: float64 = n)", "w_2 is float64, but meets"),
        ("yield True, t", "yield 1, t", "Loop s, m: the stop flag is"),
        ("z: float64 = if True", "z: float64 = if x", "Branch z: the test is"),
        ("yield c", "yield x", "While w, k: the test is"),
        ("replay t_tape", "replay u_tape", "u_tape is replayed but never recorded"),
        ("u: float64 = replay", "u: int64 = replay", "t_tape is recorded as float64, replayed as"),
    ],
)
def test_a_fault_is_found(old: str, new: str, fault: str) -> None:
    assert old in SOUND
    function = read(SOUND.replace(old, new))
    if not fault:
        return verify(function)
    with pytest.raises(InternalError, match="function f") as error:
        verify(function)
    assert fault in error.value.message


def edited(change: Callable[[Block], Block]) -> Function:
    function = read(SOUND)
    return replace(function, body=change(function.body))


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (
            edited(lambda b: replace(b, yields=(Value("z", INT, "z"),))),
            "z is read as Value(name='z', type=Type(dtype='int64'",
        ),
        (
            edited(lambda b: replace(b, stmts=(Record("r", Value("q", FLOAT)), *b.stmts))),
            "q is read where it is not defined",
        ),
        (edited(lambda b: replace(b, params=b.params[:1])), "2 parameters for 1 values"),
        (replace(read(SOUND), names=()), "0 names and 1 places"),
        (replace(read(SOUND), results=Leaf(), names=("a", "b")), "2 names and 1 places"),
    ],
)
def test_what_text_cannot_say_is_found(function: Function, fault: str) -> None:
    with pytest.raises(InternalError) as error:
        verify(function)
    assert fault in error.value.message


def test_a_test_may_share_some_parameters_of_the_body() -> None:
    both = "carry (w_2: float64 = s, p: float64 = s) trips k: int64:\n    test"
    text = SOUND.replace("carry (w_2: float64 = s) trips k: int64:\n    test", both)
    text = text.replace("w: float64 = while", "w: float64, v: float64 = while")
    text = text.replace("      yield 2.0", "      yield 2.0, p")
    verify(read(text.replace("test:", "test (w_2: float64, p_2: float64):")))
    with pytest.raises(InternalError, match="p is defined more than once"):
        verify(read(text.replace("test:", "test (p: float64, w_2: float64):")))


def test_missing_inits_are_listed() -> None:
    def change(body: Block) -> Block:
        loop, *rest = body.stmts
        assert isinstance(loop, Loop)
        return replace(body, stmts=(replace(loop, inits=(*loop.inits, Const(1.0, FLOAT))), *rest))

    with pytest.raises(InternalError, match=r"\? = 1.0"):
        verify(edited(change))


OPEN = """\
function f(x: float64, n: int64) -> (s)
  loop i: int64 from (0, n, 1) pair 1:
    t: float64 = mul(x, x)
  s: float64 = loop j: int64 backwards from (0, n, 1) carry (s_2: float64 = 0.0) pair 1:
    s_3: float64 = add(s_2, t)
    yield s_3
  return s
"""


def test_an_open_program_reads_forward_blocks() -> None:
    verify(read(OPEN), open=True)
    with pytest.raises(InternalError, match="t is read where it is not defined"):
        verify(read(OPEN))


@dataclass(frozen=True)
class Place:
    operand: bool = True
    required: bool = True
    variadic: bool = False


@dataclass(frozen=True)
class Signature:
    parameters: tuple[Place, ...]


def test_operations_are_held_to_a_table() -> None:
    many = Signature((Place(), Place(variadic=True), Place(operand=False)))
    two = Signature((Place(), Place(required=False)))
    verify(read(SOUND), rows={"load": many, "lt": two})
    with pytest.raises(InternalError, match="load is not an operation"):
        verify(read(SOUND), rows={"lt": two})
    with pytest.raises(InternalError, match="lt takes 1 to 1 operands, not 2"):
        verify(read(SOUND), rows={"load": many, "lt": Signature((Place(),))})
    with pytest.raises(InternalError, match="lt takes 3 to None operands, not 2"):
        three = Signature((Place(), Place(), Place(), Place(variadic=True)))
        verify(read(SOUND), rows={"load": many, "lt": three})
