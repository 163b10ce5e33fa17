"""What does not compute: comments, docstrings, dead code, asserts; and tags read off a text."""

import ast

from tests.fuzz.assignments import rule
from tests.fuzz.grammar import Generation, always, indent

REMARKS = (
    "the old value is still needed",
    "see eq. 4",
    "update in place",
    "nothing happens here",
    "units: m/s",
)


@rule("dead_code", 0.4, when=always)
def _dead(g: Generation) -> list[str]:
    """A name that nothing reads: not put in scope."""
    e = g.scalar(2)
    return [f"unused_{g.rng.randint(1, 9)} = {e.text}"]


@rule("dead_branch", 0.4)
def _dead_branch(g: Generation) -> list[str]:
    name = g.fresh("float")
    return ["if False:", f"    {name} = {g.scalar(1).text}"]


@rule("assert", 0.4, when=lambda g: bool(g.find("array")))
def _assert(g: Generation) -> list[str]:
    var = g.recent(g.find("array"))
    return [f"assert {g.pick((f'len({var.name}) > 0', f'{var.name}.ndim == {len(var.shape)}'))}"]


@rule("raise_guard", 0.5, when=lambda g: bool(g.find("array")))
def _raise(g: Generation) -> list[str]:
    var = g.recent(g.find("array"))
    return [f"if len({var.name}) == 0:", '    raise ValueError("empty input")']


@rule("passive_text", 0.4, when=lambda g: any(not v.fixed for v in g.find("float")))
def _passive(g: Generation) -> list[str]:
    """String handling decides; no derivative passes through it."""
    var = g.recent([v for v in g.find("float") if not v.fixed])
    mode = g.pick(("linear", "cubic"))
    name = g.fresh("list")
    g.touch(var)
    return [
        f"{name} = '{mode}'",
        f"if {name} == 'cubic':",
        f"    {var.name} = {var.name} * {g.number(0.5, 1.2)}",
    ]


@rule("pass", 0.3)
def _pass(_: Generation) -> list[str]:
    return ["pass"]


def decorate(g: Generation, source: str, name: str) -> str:
    """Add a docstring, a comment of its own line, a comment behind a statement."""
    lines = source.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"def {name}("))
    if g.chance(0.3) and start + 1 < len(lines):
        g.tag("comment")
        at = g.rng.randint(start + 1, len(lines) - 1)
        if g.chance(0.5):
            lines[at] += f"  # {g.pick(REMARKS)}"
        else:
            pad = len(lines[at]) - len(lines[at].lstrip())
            lines.insert(at, " " * pad + f"# {g.pick(REMARKS)}")
    if g.chance(0.1):
        g.tag("docstring")
        lines.insert(start + 1, indent(['"""One time step."""'])[0])
    return "\n".join(lines) + "\n"


def observed(source: str, name: str) -> set[str]:
    """Tags that the finished text shows."""
    module = ast.parse(source)
    function = next(n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == name)
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    parameters = {a.arg for a in function.args.args}
    stored = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    loaded = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    tags = set()
    if parameters & stored:
        tags.add("overwritten_argument")
    if parameters - loaded - stored:
        tags.add("unused_argument")
    for loop in ast.walk(function):
        if isinstance(loop, (ast.For, ast.While)) and any(_returns(s) for s in loop.body):
            tags.add("loop_with_return")
    return tags


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(n, ast.Return) for n in ast.walk(statement))
