"""The function that stands for a callable: what is read, and what a call is matched with.

    np.sin, math.hypot, abs, np.linalg.norm     def norm(x, ord=None): return norm(x, ord=ord)
    f with __signature__ (x, k=1.0)             def f(x, k=1.0): return f(x, k=k)
    partial(f, 3.0, k=2.0)                      def f(x): return f(x), with f the partial itself
    partial(obj.m, 3.0), an instance            a method that calls the method of its class

What has source itself stands for itself. The text of the others is one line, known to tracebacks;
what they call is a name in it, which the frontend knows, or reads.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import linecache
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any, Final, NoReturn, cast

import numpy as np

from adjointgen.errors import TypeMismatch
from adjointgen.watch import MISSING, Attributes, Look
from adjointgen.wrapping import plain

MARK: Final = "__adjointgen_callable__"
"""The attribute of a function in the place of a callable that has that callable."""
_LITERALS: Final = (type(None), bool, int, float, str)
_READ: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def called(function: Any) -> Callable[..., Any]:
    """The function, bound method or derivative that a call of this runs.

    Raises TypeMismatch (AG414) for what is no function.
    """
    if isinstance(function, MethodType) and hasattr(function.__func__, "of_instance"):
        function = function.__func__.of_instance(function.__self__)
    if isinstance(function, FunctionType) and _states_parameters(function):
        return _written(function, inspect.signature(function))
    if isinstance(function, FunctionType | MethodType) or hasattr(function, "primal"):
        found: Callable[..., Any] = function
        return found
    if isinstance(function, staticmethod | classmethod):
        return called(function.__func__)
    if isinstance(function, functools.partial):
        return _of_partial(function)
    if isinstance(function, np.vectorize):
        return _written(function, inspect.signature(function.pyfunc))
    if hasattr(function, "in_axes"):
        return _written(function, _signature(function))
    if isinstance(method := _own_call(function), FunctionType):
        return MethodType(method, function)
    if not callable(function) or _is_class(function):
        _refuse(function)
    if isinstance(plain(function), FunctionType):
        return cast(Callable[..., Any], function)
    return _written(function, _signature(function))


def _states_parameters(function: FunctionType) -> bool:
    """Whether a function that takes anything says in `__signature__` which parameters it has."""
    stated = vars(function).get("__signature__")
    takes_anything = function.__code__.co_flags & inspect.CO_VARARGS
    return bool(takes_anything) and isinstance(stated, inspect.Signature)


def stands_for(function: Callable[..., Any]) -> Callable[..., Any]:
    """The callable that a function was written for, or the function itself."""
    inner = getattr(function, "__func__", function)
    found: Callable[..., Any] = getattr(inner, MARK, function)
    return found


def name_of(function: Any) -> str:
    """What a callable is called."""
    if isinstance(function, functools.partial):
        return name_of(function.func)
    name = getattr(function, "__name__", None) or type(function).__name__
    return str(name).rpartition(".")[2]


def caller_of(function: Any) -> Any:
    """The object that is called by the `__call__` of its class; None for any other callable."""
    others = isinstance(function, FunctionType | MethodType) or hasattr(function, "primal")
    return None if others or not isinstance(_own_call(function), FunctionType) else function


def looks_of_call(caller: Any) -> tuple[Look, ...]:
    """The look-ups that find the `__call__` of an object, in its class and those before it."""
    bases = type(caller).__mro__
    home = next(k for k, base in enumerate(bases) if "__call__" in vars(base))
    tables = map(Attributes, bases[: home + 1])
    return tuple(Look(t, "__call__", t.get("__call__", MISSING)) for t in tables)


def _own_call(function: Any) -> Any:
    """The method `__call__` of an instance's class."""
    homes = (home for home in type(function).__mro__ if "__call__" in vars(home))
    return vars(next(homes, object)).get("__call__")


def _is_class(function: Any) -> bool:
    """Whether this is a class, which makes objects; `float` makes numbers."""
    return isinstance(function, type) and function not in (float, complex)


def _refuse(function: Any) -> NoReturn:
    kind = type(function).__name__
    what = f"the class {function.__name__}" if isinstance(function, type) else f"{kind} object"
    ways = "pass a function of the user's, or one of NumPy, SciPy, math or the builtins"
    if isinstance(function, property):
        ways = "pass its function, .fget, or the method without @property"
    elif isinstance(function, str):
        ways = "pass the function itself; generate(...) takes names of functions"
    elif isinstance(function, type):
        ways = "write a function that makes the instance and returns a number of it"
    elif not callable(function) and isinstance(function, int | float | complex | np.ndarray):
        ways = "pass the function without calling it: grad(f)(x), not grad(f(x))"
    raise TypeMismatch(f"{what} is no function to differentiate", code="AG414", help=ways)


def _of_partial(function: functools.partial[Any]) -> Callable[..., Any]:
    """A function of the arguments that a partial leaves open.

    The instance of a method stays its first argument, so that its attributes are read at each call.
    """
    inner, args = function.func, function.args
    if args and isinstance(inner, FunctionType) and _is_instance(args[0]):
        inner, args = MethodType(inner, args[0]), args[1:]
    inner = called(inner)
    if not inspect.ismethod(inner):
        signature = _left(_signature(inner), len(args), function.keywords)
        return _written(function, signature)
    signature = _left(_signature(inner), len(args), function.keywords)
    given = functools.partial(inner.__func__, inner.__self__, *args, **function.keywords)
    owner = Parameter("self", Parameter.POSITIONAL_ONLY)
    method = _written(function, signature, inner.__func__, given.args[1:], owner)
    return MethodType(method, inner.__self__)


def _is_instance(value: Any) -> bool:
    """Whether a value is an instance of a class of the user's, whose methods are read."""
    others = isinstance(value, type | FunctionType | ModuleType) or hasattr(value, "primal")
    return hasattr(value, "__dict__") and not others


def _left(signature: inspect.Signature, count: int, names: Mapping[str, Any]) -> inspect.Signature:
    """The parameters that are open after so many arguments by position, and some by name."""
    left: list[Parameter] = []
    named = False
    for name, parameter in signature.parameters.items():
        if parameter.kind in _READ and count > 0:
            count -= 1
        elif name in names and parameter.kind is not Parameter.POSITIONAL_ONLY:
            named |= parameter.kind in _READ
        elif named and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD:
            left.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
        elif not (named and parameter.kind is Parameter.VAR_POSITIONAL):
            left.append(parameter)
    return signature.replace(parameters=left)


def _signature(function: Any) -> inspect.Signature:
    """The parameters that a callable without source is called with.

    Those of a function of the builtins that have a default are left out, as are those of others
    whose default is no literal.
    """
    if isinstance(function, np.ufunc):
        names = ["x"] if function.nin == 1 else [f"x{k + 1}" for k in range(function.nin)]
        return inspect.Signature([Parameter(n, Parameter.POSITIONAL_ONLY) for n in names])
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return inspect.Signature([Parameter("args", Parameter.VAR_POSITIONAL)])
    if isinstance(function, FunctionType | MethodType) or hasattr(function, "primal"):
        return found
    optional = type(function).__name__ == "_ArrayFunctionDispatcher"
    own = [p for p in found.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    left = [p for p in own if _is_read(p, optional)]
    return found.replace(parameters=left or [p.replace(default=Parameter.empty) for p in own[:1]])


def _is_read(parameter: Parameter, optional: bool) -> bool:
    if parameter.default is Parameter.empty:
        return True
    return optional and type(parameter.default) in _LITERALS and parameter.name != "out"


def _written(
    function: Any,
    signature: inspect.Signature,
    inner: Any = None,
    first: tuple[Any, ...] = (),
    owner: Parameter | None = None,
) -> FunctionType:
    """The function `def name(...): return function(...)`, whose text is registered.

    A method has an `owner`, and hands it to `inner` before the arguments that are there `first`.
    """
    own = list(signature.parameters.values())
    namespace: dict[str, Any] = {"__name__": getattr(function, "__module__", None) or __name__}
    title = name_of(function) if name_of(function).isidentifier() else "function"
    name = title if title not in signature.parameters else "function"
    held = _holder(function)
    if held is None:
        namespace[name] = function if inner is None else inner
    else:
        namespace["owner"], name = held, f"owner.{title}"
    given = []
    if owner is not None:
        namespace |= {f"fixed_{k}": value for k, value in enumerate(first)}
        namespace |= {f"{n}_fixed": v for n, v in function.keywords.items()}
        given = [owner.name, *(f"fixed_{k}" for k in range(len(first)))]
        given += [f"{n}={n}_fixed" for n in function.keywords]
    text = _text((title, name), own if owner is None else [owner, *own], own, given)
    file = f"<adjointgen call of {title} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    # The function is not among the names that it reads: it may be called as what it calls.
    made: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), namespace, made)
    return _titled(made[title], function, own)


def _holder(function: Any) -> Any:
    """The object that a built-in method is of; None for functions."""
    held = getattr(function, "__self__", None)
    is_method = isinstance(function, BuiltinMethodType) and not isinstance(held, ModuleType)
    return held if is_method and not isinstance(held, type) else None


def _titled(made: FunctionType, function: Any, own: list[Parameter]) -> FunctionType:
    """The function with the names, the docstring and the defaults of what it calls."""
    made.__qualname__ = getattr(function, "__qualname__", made.__name__)
    if not isinstance(function, functools.partial):
        made.__doc__ = getattr(function, "__doc__", None)
    elif not made.__doc__:
        made.__doc__ = getattr(function.func, "__doc__", None)
    defaults = {p.name: p.default for p in own if p.default is not Parameter.empty}
    made.__defaults__ = tuple(
        defaults[p.name] for p in own if p.kind in _READ and p.name in defaults
    )
    made.__kwdefaults__ = {
        p.name: p.default for p in own if p.kind is Parameter.KEYWORD_ONLY and p.name in defaults
    }
    setattr(made, MARK, function)
    return made


def _text(
    names: tuple[str, str], head: list[Parameter], own: list[Parameter], given: list[str]
) -> str:
    """The definition, in one line below its head, of a function and what it calls."""
    parameters = ", ".join(_heads(head))
    named = [part for part in given if "=" in part]
    before = [part for part in given if "=" not in part]
    arguments = ", ".join([*before, *map(_argument, own), *named])
    return f"def {names[0]}({parameters}):\n    return {names[1]}({arguments})\n"


def _heads(parameters: list[Parameter]) -> Iterator[str]:
    """The parameters as they are written; defaults are given to the function afterwards."""
    only = [p for p in parameters if p.kind is Parameter.POSITIONAL_ONLY]
    starred = False
    for parameter in parameters:
        if parameter.kind is Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        starred |= parameter.kind is Parameter.VAR_POSITIONAL
        default = "" if parameter.default is Parameter.empty else "=None"
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        yield f"{stars}{parameter.name}{default}"
        if only and parameter is only[-1]:
            yield "/"


def _argument(parameter: Parameter) -> str:
    match parameter.kind:
        case Parameter.VAR_POSITIONAL:
            return f"*{parameter.name}"
        case Parameter.VAR_KEYWORD:
            return f"**{parameter.name}"
        case Parameter.KEYWORD_ONLY:
            return f"{parameter.name}={parameter.name}"
        case Parameter.POSITIONAL_OR_KEYWORD if parameter.default is not Parameter.empty:
            return f"{parameter.name}={parameter.name}"
    return parameter.name
