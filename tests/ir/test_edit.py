"""Tree editing: reads replaced at any depth, definitions renamed, copies under fresh names."""

from collections.abc import Callable, Iterator

import pytest

from adjointgen.ir.edit import clone, rebuild, rename, stem, substitute_in
from adjointgen.ir.nodes import Block, Const, Function, Value, defined_in, reads_of
from adjointgen.ir.text import read, show
from adjointgen.ir.types import FLOAT

ALL_KINDS = """\
function f(x: float64, n: int64) -> (z)
  y: float64 = mul(x, x)
  s: float64 = loop i: int64 from (n, n, n) carry (s_2: float64 = x) trips m: int64:
    t': float64 = add(s_2, x)
    record t_tape <- x
    yield True, x
  w: float64 = while carry (w_2: float64 = x) trips k: int64:
    test:
      c: bool = lt(w_2, x)
      yield c
    body:
      u: float64 = replay t_tape
      yield x
  z: float64 = if x:
    v: float64 = call g(x)
    yield x
  else:
    yield x
  return x
"""


def counter() -> Callable[[str], str]:
    count: Iterator[int] = iter(range(100, 200))
    return lambda stem: f"{stem}_{next(count)}"


@pytest.fixture
def function() -> Function:
    return read(ALL_KINDS)


def test_rebuilding_with_identities_changes_nothing(function: Function) -> None:
    def same(block: Block) -> Block:
        stmts = tuple(rebuild(s, lambda o: o, same) for s in block.stmts)
        return Block(block.params, stmts, block.yields)

    assert same(function.body) == function.body


def test_every_read_is_replaced(function: Function) -> None:
    by = {"x": Const(1.0, FLOAT), "n": Const(2, FLOAT)}
    text = show(substitute_in(function.body, by))
    kept = show(function.body).replace("(x: float64, n: int64)", "PARAMETERS")
    expected = kept.replace("(n, n, n)", "(2:float64, 2:float64, 2:float64)")
    for read_ in ("x)", "x,", "x:\n", "x\n"):
        expected = expected.replace(f" {read_}", f" 1.0{read_[1:]}").replace(
            f"({read_}", f"(1.0{read_[1:]}"
        )
    assert text.replace("(x: float64, n: int64)", "PARAMETERS") == expected


def test_substitutes_are_not_substituted_again(function: Function) -> None:
    x, y = Value("x", FLOAT, "x"), Value("y", FLOAT, "y")
    swapped = substitute_in(function.body, {"x": y, "y": x})
    assert reads(swapped) == {"y": reads(function.body)["x"]} | {
        k: n for k, n in reads(function.body).items() if k != "x"
    }
    assert substitute_in(function.body, {}) is function.body


def reads(block: Block) -> dict[str, int]:
    names = [v.name for v in reads_of(block)]
    return {name: names.count(name) for name in names}


def test_renaming_reaches_definitions_and_reads(function: Function) -> None:
    names = {v.name: f"{v.name}_new" for v in defined_in(function.body)}
    renamed = rename(function.body, names)
    assert {v.name for v in defined_in(renamed)} == set(names.values())
    assert {v.name for v in reads_of(renamed)} <= set(names.values())
    back = rename(renamed, {new: old for old, new in names.items()})
    assert back == function.body


def test_a_clone_shares_no_definition_and_keeps_outer_reads(function: Function) -> None:
    loop = function.body.stmts[1]
    body = loop.body  # type: ignore[union-attr]
    copy = clone(body, counter())
    assert {v.name for v in defined_in(copy)} == {"s_100", "t_101"}
    assert {v.name for v in reads_of(copy)} == {"s_100", "x"}
    by = {"x": Const(1.0, FLOAT)}
    assert {v.name for v in reads_of(clone(body, counter(), by))} == {"s_100"}


def test_stems() -> None:
    assert [stem(n) for n in ("y_2", "y", "x_bar", "x_bar_12", "_3", "y_2_3")] == [
        "y",
        "y",
        "x_bar",
        "x_bar",
        "_3",
        "y_2",
    ]
