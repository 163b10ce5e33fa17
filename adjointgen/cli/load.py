"""Running the user's module, which only `verify` does: it tests against the function itself."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from adjointgen.api.modules.target_names import Target


def load_function(target: Target) -> Callable[..., Any]:
    """The function that a target names, its module imported.

    Raises UsageError where the module fails, or has no such function.
    """
    try:
        found: Any = _module(target)
        for part in target.name.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever the user's module raises
        raise click.UsageError(f"cannot import {target}: {_named(error)}") from error
    if not callable(found):
        raise click.UsageError(f"{target} is no function")
    # A decorated function is what it was made from.
    plain: Callable[..., Any] = getattr(found, "primal", found)
    return plain


def call(function: Callable[..., Any], args: dict[str, Any]) -> Any:
    """One plain call. Raises UsageError where the function refuses the point."""
    try:
        return function(**args)
    except ArithmeticError:
        return None
    except Exception as error:
        raise click.UsageError(
            f"{function.__name__} fails at this point: {_named(error)}; choose one with --at"
        ) from error


def _module(target: Target) -> ModuleType:
    if target.is_module:
        sys.path.insert(0, str(Path.cwd()))
        return import_module(target.place)
    file = Path(target.place).resolve()
    root, parts = file.parent, [file.stem]
    while (root / "__init__.py").is_file():
        root, parts = root.parent, [root.name, *parts]
    sys.path.insert(0, str(root))
    if len(parts) > 1:
        return import_module(".".join(parts))
    return _by_file(file)


def _by_file(file: Path) -> ModuleType:
    """A module by its file alone: its name may be that of another module."""
    name = file.stem if file.stem not in sys.modules else f"{file.stem}_of_{file.parent.name}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
