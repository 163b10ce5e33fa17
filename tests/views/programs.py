"""Programs that the views are tested with: the examples, every kind of statement, hostile names."""

from pathlib import Path

from adjointgen.api.inspect.stages import Stages, inspect
from adjointgen.errors import Span
from adjointgen.frontend.lower import infer_arguments, lower
from adjointgen.frontend.source.source import source_from_file
from adjointgen.ir.nodes import Apply, Block, Const, Function, Leaf, Node, Parameter, Value
from adjointgen.ir.types import FLOAT

ROOT = Path(__file__).parents[2]

EXAMPLES = [
    "heat.py::heat",
    "kepler.py::true_anomaly",
    "logistic.py::loss",
    "lu.py::solve",
    "option.py::black_scholes",
    "orbit.py::distance",
]

TEXTS = {
    "branch": """
def branch(x: float, y: float) -> float:
    # Which one?
    if x > y:
        z = x * y
        w = 1.0
    elif x < 0.0:
        z = x
        w = 2.0
    else:
        z = y * y
        w = x
    return z * w
""",
    "early": """
import numpy as np

def early(x: np.ndarray) -> float:
    p = 1.0
    for i in range(len(x)):
        p = p * x[i]
        if p > 100.0:
            return p * x[0]
    return p
""",
    "newton": """
def newton(a: float, n: int):
    x = a
    steps = 0
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
        steps += 1
        if steps == n:
            break
    return x, steps
""",
    "stored": """
import numpy as np

def stored(u: np.ndarray, k: np.ndarray) -> float:
    for i in range(1, len(u)):
        u[i] = u[i - 1] * u[i] + np.sin(u[i])
        print(i, "a \\"quoted\\" \\n <b>", u[k[i]])
    u[k] += 1.0
    return np.sum(u)
""",
    "helper": """
import math

def outside(x: float) -> float:
    return math.exp(x)

class Model:
    @staticmethod
    def helper(x: float, n: int) -> float:
        total = 0.0
        for i in range(n):
            total += outside(x * i)
        return total

def unused(x):
    return x
""",
}


def stages(name: str) -> Stages:
    """The stages of an example, `heat.py::heat`, or of one of the texts, `branch`."""
    if "::" in name:
        return inspect(str(ROOT / "examples" / name))
    text = TEXTS[name]
    source = source_from_file(
        f"models/{name}.py", "Model.helper" if name == "helper" else name, text
    )
    function = lower(source, infer_arguments(source, {}))
    wrt = tuple(p.root for p in function.body.params if p.type.is_differentiable)
    return Stages(source, function, wrt)


NAMES = [*EXAMPLES, *TEXTS]

HOSTILE = (
    'a"]; n1 -> n2 [label="',
    "<b>&amp;</b>",
    "</style><script>alert(1)</script>",
    "back\\slash\\n\\N",
    "new\nline",
    "end",
    "`md`",
    "%%{init: {}}%%",
    "#quot;",
    "é✓",
    "\ud800\x00\x1b",
    "]]>",
    "' onclick='",
    "a|b",
)


def hostile() -> Function:
    """A program whose every name, file, string and operation is made of such text."""
    params = tuple(Value(name, FLOAT, name) for name in HOSTILE)
    stmts = tuple(
        Apply(
            (Value(f"r{p.name}", FLOAT, "r"),),
            p.name,
            (p, Const(p.name, FLOAT)),
            ((p.name, p.name),),
            Span(p.name, k, 0, k, 1),
        )
        for k, p in enumerate(params, 1)
    )
    body = Block(params, stmts, tuple(stmt.result for stmt in stmts))
    parameters = tuple(Parameter(name) for name in HOSTILE)
    results = Node("tuple", tuple(Leaf() for _ in stmts))
    return Function(HOSTILE[0], parameters, body, results, HOSTILE)
