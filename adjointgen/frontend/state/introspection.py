"""What a program asks about its own run: frames, tracebacks, references, finalizers.

    sys.exc_info()    e.__traceback__    gc.collect()    weakref.ref(a)    def __del__(self): ...

A program that stands for the function has frames, lines and lifetimes of its own, so the answers
would be others.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Module, Named
from adjointgen.frontend.source.desugar import Fits, Part
from adjointgen.frontend.state.context import Context

MODULES = ("gc", "weakref", "traceback", "tracemalloc", "_testcapi")
NAMES = frozenset(
    {"exc_info", "_getframe", "getrefcount", "settrace", "setprofile", "currentframe", "getframe"}
    | {"__traceback__", "__context__", "__cause__", "__suppress_context__", "tb_frame", "f_back"}
    | {"f_locals", "f_globals", "f_code", "co_name", "tb_next", "tb_lineno", "with_traceback"}
    | {"__del__", "catch_unraisable_exception", "excepthook", "__excepthook__", "co_filename"}
)

FILTERS = ("seterr", "simplefilter", "filterwarnings")


FRAMES = ("locals", "vars", "dir", "_getframe", "currentframe")
"""What looks at the names of the running function."""


def check(ctx: Context, node: ast.AST) -> None:
    """Refuse copied code that asks such things, or has a `super()` without a method around it.

    A pattern of `match` is no code of its own.
    """
    if any(isinstance(part, Fits | Part) for part in ast.walk(node)):
        what = "a pattern of `match` that may fail inside `try` or `with`"
        ctx.refuse("AG101", what, "test the value with `if`", node=node)
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    for call in calls:
        _check_filter(ctx, call)
    unbound = (call.func for call in calls if not call.args)
    if any(isinstance(function, ast.Name) and function.id == "super" for function in unbound):
        help = "call the method that it finds, or name the class"
        ctx.refuse("AG101", "super() in code that is copied as it stands", help, node=node)
    for call in calls:
        named = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if named in FRAMES and not call.args:
            what = "this runs or reads what is not in the text"
            ctx.refuse("AG101", what, "write it out", node=call)
    if not ctx.outlines.primal:
        return
    for part in ast.walk(node):
        asked = getattr(part, "attr", "") if isinstance(part, ast.Attribute) else ""
        if isinstance(part, ast.FunctionDef):
            asked = part.name
        if asked in NAMES:
            _refuse(ctx, asked)


def _check_filter(ctx: Context, call: ast.Call) -> None:
    """Refuse to make errors of warnings that a `try` of the function may catch.

    Which statement then fails is found out by running it; `np.errstate` says where it holds.
    """
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    raising = any(isinstance(a, ast.Constant) and a.value in ("raise", "error") for a in given)
    if not raising or getattr(call.func, "attr", "") not in FILTERS:
        return
    nodes = ast.walk(ctx.frame.source.node)
    if any(isinstance(n, ast.Try) and n.handlers for n in nodes):
        what = "this makes errors of warnings, which a `try` of the function may catch"
        help = 'write `with np.errstate(all="raise")` around what may fail, or test the numbers'
        ctx.refuse("AG101", what, help, node=call)


def check_value(ctx: Context, value: Abstract) -> None:
    """The same, of what is called or handed to copied code; an argument has no name of its own."""
    if isinstance(value, Named) and value.text[:1] in ("", "."):
        what = f"{value.spelling}, which an argument is or has, is used as a value"
        ctx.refuse("AG102", what, "call it, or name it in the function")
    if not ctx.outlines.primal:
        return
    match value:
        case Method(name=name) if name in NAMES:
            _refuse(ctx, name)
        case Module(name=name) if name in MODULES:
            _refuse(ctx, name)
        case Named(spelling=spelling):
            home, _, name = spelling.rpartition(".")
            if home in MODULES or name in NAMES:
                _refuse(ctx, spelling)


def _refuse(ctx: Context, what: str) -> None:
    ctx.refuse("AG102", f"{what} asks how the program itself runs", "leave it to a test")
