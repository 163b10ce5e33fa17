"""Running the user's module, which only `verify` does: it tests against the function itself."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from adjointgen.api.calls.check_arguments import by_name
from adjointgen.api.modules.live_module import import_folder, live_object, module_by_file
from adjointgen.api.modules.target_names import Target


def load_function(target: Target, name: str = "") -> Callable[..., Any]:
    """The function that a target names, its module imported; messages call it `name`.

    Raises UsageError where the module fails, or has no such function.
    """
    try:
        # A function may import its neighbours when it is called.
        sys.path.insert(0, str(import_folder(target, Path.cwd()).resolve()))
        found = live_object(target, Path.cwd())
    except Exception as error:  # whatever the user's module raises
        raise click.UsageError(f"cannot import {name or target}: {_named(error)}") from error
    if not callable(found):
        raise click.UsageError(f"{name or target} is no function")
    # A decorated function is what it was made from.
    plain: Callable[..., Any] = getattr(found, "primal", found)
    return plain


def call(function: Callable[..., Any], args: dict[str, Any]) -> Any:
    """One plain call. Raises UsageError where the function refuses the point."""
    first, named = by_name(inspect.signature(function), args)
    try:
        return function(*first, **named)
    except ArithmeticError:
        return None
    except Exception as error:
        raise click.UsageError(
            f"{function.__name__} fails at this point: {_named(error)}; choose one with --at"
        ) from error


def load_written(file: Path) -> ModuleType:
    """A written module, imported. Raises UsageError where it fails."""
    sys.path.insert(0, str(file.resolve().parent))
    try:
        return module_by_file(file.resolve())
    except Exception as error:  # whatever is in the file, Numba's refusals too
        raise click.UsageError(f"cannot import {file}: {_named(error)}") from error


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
