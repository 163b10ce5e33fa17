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
from adjointgen.frontend.state.storage_cells import content

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
    for part in ast.walk(node):
        read = isinstance(part, ast.Attribute) and not _is_told(ctx, part.value)
        asked = getattr(part, "attr", "") if read else ""
        if isinstance(part, ast.FunctionDef) and ctx.outlines.primal:
            asked = part.name
        if asked in _names(ctx):
            _refuse(ctx, asked)


def tell(ctx: Context, name: str) -> None:
    """The name of an exception that leaves a `with`: its manager gets the traceback."""
    ctx.memo[_TOLD, ctx.key(name)] = True


def _is_told(ctx: Context, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and (_TOLD, ctx.key(node.id)) in ctx.memo


def _told_values(ctx: Context) -> list[Abstract]:
    """The exceptions that managers are told of."""
    names = ctx.state.names.items()
    return [content(ctx, held) for key, held in names if (_TOLD, key) in ctx.memo]


_TOLD = "told"


def _names(ctx: Context) -> frozenset[str]:
    """What is refused: a cause is set where a value is differentiated, too."""
    return NAMES if ctx.outlines.primal else NAMES - {"__cause__", "__del__"}


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
    names, modules = _names(ctx), MODULES if ctx.outlines.primal else ("traceback",)
    match value:
        case Method(owner=owner, name=name) if name in names and owner not in _told_values(ctx):
            _refuse(ctx, name)
        case Module(name=name) if name in modules:
            _refuse(ctx, name)
        case Named(spelling=spelling):
            home, _, name = spelling.rpartition(".")
            if home in modules or name in names:
                _refuse(ctx, spelling)


def _refuse(ctx: Context, what: str) -> None:
    ctx.refuse("AG102", f"{what} asks how the program itself runs", "leave it to a test")
