"""Activity: what an input varies and an output is useful to, through every kind of statement."""

import pytest

from adjointgen.analysis.differentiation.activity import Activity, activity, carriers
from adjointgen.ir.nodes import Apply, walk
from adjointgen.ir.text import read
from adjointgen.rules.all import TABLE

assert TABLE.rows


def found(text: str, wrt: str = "x", outputs: tuple[int, ...] | None = None) -> Activity:
    function = read(text)
    names = wrt.split()
    return activity(function, [p for p in function.body.params if p.name in names], outputs)


def active(facts: Activity) -> str:
    return " ".join(sorted(facts.varied & facts.useful))


STRAIGHT = """\
function f(x: float64, a: float64, n: int64) -> (y, z)
  b: float64 = mul(a, a)
  c: float64 = mul(x, b)
  d: float64 = mul(x, x)
  k: int64 = floordiv(n, 2)
  e: float64 = stop_gradient(x)
  g: float64 = add(e, c)
  z: float64 = mul(b, 2.0)
  return g, z
"""


def test_straight_line() -> None:
    facts = found(STRAIGHT)
    assert sorted(facts.varied) == ["c", "d", "g", "x"]
    assert active(facts) == "c g x"
    assert {"a", "b"} <= facts.useful
    assert active(found(STRAIGHT, "a")) == "a b c g z"
    assert active(found(STRAIGHT, "a", (1,))) == "a b z"
    assert active(found(STRAIGHT, "n")) == ""


def test_a_constant_is_never_active() -> None:
    function = read("function f(x: float64) -> (y)\n  return 1.0\n")
    facts = activity(function, function.body.params)
    assert not facts.active(function.body.yields[0])
    assert not facts.active(function.body.params[0])


LOOP = """\
function f(x: float64[x.0], w: float64[x.0], n: int64) -> (s)
  s: float64, u: float64, r: float64 = loop i: int64 from (0, n, 1) \
carry (s_2: float64 = 0.0, u_2: float64 = 0.0, r_2: float64 = 0.0):
    t: float64 = load(x, i) [index="_"]
    v: float64 = load(w, i) [index="_"]
    s_3: float64 = add(s_2, u_2)
    u_3: float64 = add(t, v)
    r_3: float64 = add(r_2, t)
    yield s_3, u_3, r_3
  return s
"""


def test_what_a_loop_carries_is_a_fixpoint() -> None:
    facts = found(LOOP)
    assert active(facts) == "s s_2 s_3 t u_2 u_3 x"
    assert {"r", "r_2", "r_3", "u"} <= facts.varied
    assert not {"r", "r_2", "r_3", "u"} & facts.useful
    assert not {"i", "n", "v", "w"} & facts.varied


NESTED = """\
function f(x: float64, n: int64) -> (y)
  y: float64 = while carry (y_2: float64 = 1.0) trips k: int64 breaks:
    test (y_3: float64):
      c: bool = lt(y_3, x)
      yield c
    body:
      stop: bool = gt(x, 2.0)
      z: float64 = if stop:
        d: float64 = mul(x, y_2)
        yield d
      else:
        e: float64 = stop_gradient(x)
        yield e
      yield stop, z
  return y
"""


def test_while_and_branch() -> None:
    assert active(found(NESTED)) == "d x y y_2 z"
    assert "y_3" in found(NESTED).varied - found(NESTED).useful


TAPES = """\
function f(x: float64, a: float64) -> (y)
  record p <- x
  record q <- a
  record r <- x
  y: float64 = replay p
  z: float64 = replay q
  w: float64 = replay r
  v: float64 = add(y, z)
  return v
"""


def test_tapes_carry_activity() -> None:
    facts = found(TAPES)
    assert active(facts) == "v x y"
    assert facts.slots == {"p"}
    assert facts.slot_active("p") and not facts.slot_active("q") and not facts.slot_active("r")


@pytest.mark.parametrize(
    ("line", "varied"),
    [
        ('y: float64 = load(x, n) [index="_"]', True),
        ('y: float64[x.0] = store(x, n, n) [index="_"]', True),
        ('y: float64[w.0] = store(w, x, n) [index=":"]', True),
        ("y: float64[x.0] = copy(x)", True),
        ("y: float64[x.0] = select(x, w, w)", False),
        ("y: float64[x.0] = select(n, w, x)", True),
        ("y: int64 = dim(x) [axis=0]", False),
        ("y: float64[x.0] = zeros_like(x)", False),
        ("y: float64[x.0] = stop_gradient(x)", False),
        ('y: int64[x.0] = cast(x) [dtype="int64"]', False),
        ('y: float32[x.0] = cast(x) [dtype="float32"]', True),
        ("y: float64[x.0] = expand(n, x)", False),
        ("y: float64[x.0] = expand(x, w)", True),
        ("y: float64[x.0] = full_like(x, n)", False),
        ("y: float64[w.0] = full_like(w, x)", True),
        ('y: object = verbatim(x) [code="_0_"]', True),
        ('y: float64 = verbatim(n, x) [code="g(_0_, _1_)"]', True),
        ('y: int64 = verbatim(x) [code="g(_0_)"]', False),
        ("y: float64 = unheard_of(n, x)", True),
        ("y: float64 = call g(n, x)", True),
    ],
)
def test_which_arguments_carry_a_derivative(line: str, varied: bool) -> None:
    text = f"function f(x: float64[x.0], w: float64[w.0], n: int64) -> (y)\n  {line}\n  return y\n"
    assert ("y" in found(text).varied) is varied


@pytest.mark.parametrize("result", ["object", "object[...]", "object[?]", "float64[?]"])
def test_what_may_hold_a_number_is_useful(result: str) -> None:
    """An array that NumPy makes of an object, a number say, is no reason for a zero."""
    text = f"""\
function f(x: float64[x.0]) -> (y)
  o: object = verbatim(x) [code="g(_0_)"]
  y: {result} = mul(o, 2.0)
  return y
"""
    assert active(found(text)) == "o x y"


def test_variadic_arguments_belong_to_one_parameter() -> None:
    function = read("""\
function f(x: float64[x.0], w: float64[w.0]) -> (y)
  y: float64[?] = concatenate(w, w, x)
  return y
""")
    (stmt,) = walk(function.body)
    assert isinstance(stmt, Apply)
    assert carriers(stmt) == (0, 1, 2)


def test_why_a_value_is_varied() -> None:
    assert found(LOOP).path("s") == ("x", "t", "u_3", "u_2", "s_3", "s_2", "s")
    assert found(TAPES).path("v") == ("x", "y", "v")
    assert found(TAPES).path("x") == ("x",)


def test_time_is_linear_in_the_depth_of_loops() -> None:
    """A fixpoint restarted in every enclosing loop would take 2**40 sweeps."""
    depth = 40
    lines, names = [], ["x"]
    for k in range(depth):
        pad = "  " * (k + 1)
        carry = f"carry (p{k}: float64 = {names[-1]})"
        lines.append(f"{pad}r{k}: float64 = loop i{k}: int64 from (0, 2, 1) {carry}:")
        names.append(f"p{k}")
    lines.append("  " * (depth + 1) + f"q: float64 = mul({names[-1]}, x)")
    inner = "q"
    for k in reversed(range(depth)):
        lines.append("  " * (k + 2) + f"yield {inner}")
        inner = f"r{k}"
    text = "function f(x: float64) -> (y)\n" + "\n".join(lines) + "\n  return r0\n"
    facts = found(text)
    assert len(facts.varied & facts.useful) == 2 * depth + 2
