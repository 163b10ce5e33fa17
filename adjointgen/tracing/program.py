"""The straight-line Python of a run: one line for each record that has a name or writes.

The text runs by itself. Views are views in it and writes are writes, so arrays that share memory in
the run share it there. What the run has decided by values is decided, and what was computed from
integers alone stands as literals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from adjointgen.errors import Unsupported
from adjointgen.tracing.arguments import Named, parts
from adjointgen.tracing.tape import Record, Slot

MODULES: Final = ("cmath", "math", "scipy.special")


def program(
    name: str,
    parameters: list[str],
    records: Sequence[Record],
    result: Any,
    given: Mapping[str, Any],
) -> str:
    """The text of a module with the function, formatted, and its call if that can be written.

    Raises Unsupported (AG163) where an operand or the result cannot be written as Python.
    """
    import black

    names = Names(parameters, records)
    lines = [line for one in records if (line := _line(one, names))]
    lines.append(f"return {names.result(result)}")
    body = "\n".join(f"    {line}" for line in lines)
    title = name if name.isidentifier() else "traced"
    text = f"def {title}({', '.join(parameters)}):\n{body}\n"
    try:
        call = ", ".join(literal(one) for one in given.values())
        text += f'\n\nif __name__ == "__main__":\n    print({title}({call}))\n'
    except Unsupported:
        pass
    used = [module for module in MODULES if re.search(rf"\b{re.escape(module)}\.", text)]
    imports = "".join(f"import {module}\n" for module in used)
    if re.search(r"\bnp\.", text):
        imports += ("\n" if imports else "") + "import numpy as np\n"
    return black.format_str(f"{imports}\n\n{text}", mode=black.Mode())


class Names:
    """The names of records: those of parameters, and numbers."""

    def __init__(self, parameters: list[str], records: Sequence[Record]) -> None:
        self.letter = "v"
        while any(re.fullmatch(rf"{self.letter}\d+", one) for one in parameters):
            self.letter += "_"
        self.own = {
            one.index: one.operation
            for one in records
            if one.spelling is not None
            and one.spelling.form == "leaf"
            and one.operation in parameters
        }

    def of(self, index: int) -> str:
        return self.own.get(index, f"{self.letter}{index}")

    def text(self, tree: Any) -> str:
        """An argument of a call."""
        kind = type(tree)
        if kind is Slot:
            return self.of(tree.name)
        if kind is list:
            return f"[{', '.join(map(self.text, tree))}]"
        if kind is tuple:
            inner = "".join(f"{self.text(one)}, " for one in tree)
            return f"({inner})"
        if kind is dict:
            return "{" + ", ".join(f"{k!r}: {self.text(v)}" for k, v in tree.items()) + "}"
        return literal(tree)

    def result(self, tree: Any) -> str:
        """What is returned."""
        if isinstance(tree, Named):
            return self.of(tree.name)
        if isinstance(tree, dict):
            return "{" + ", ".join(f"{k!r}: {self.result(v)}" for k, v in tree.items()) + "}"
        if isinstance(tree, list):
            return f"[{', '.join(map(self.result, tree))}]"
        if isinstance(tree, tuple):
            return "(" + "".join(f"{self.result(one)}, " for one in tree) + ")"
        if any(True for _ in parts(tree)):
            raise unwritten(tree)
        return literal(tree)


def _line(record: Record, names: Names) -> str:
    """The statement of a record; empty for a parameter, and where an array is read again."""
    spelling = record.spelling
    if spelling is None or record.index in names.own:
        return ""
    target, args = names.of(record.index), spelling.args
    if spelling.form == "leaf":
        return f"{target} = {record.operation}"
    if spelling.form == "write":
        where, key, value = args
        return f"{names.text(where)}[{_index(key)}] = {names.text(value)}"
    if spelling.form == "index":
        return f"{target} = {names.text(args[0])}[{_index(args[1])}]"
    if spelling.form == "item":
        return f"{target} = {names.text(args[0])}[{args[1]}]"
    return f"{target} = {_call(spelling.form, args, spelling.kwargs, names)}"


def _call(form: str, args: tuple[Any, ...], kwargs: dict[str, Any], names: Names) -> str:
    if "{}" in form:
        return form.format(*map(_bracketed, map(names.text, args)))
    texts = [names.text(one) for one in args]
    texts += [f"{k}={names.text(v)}" for k, v in kwargs.items() if v is not _NO_VALUE]
    if form.startswith("."):
        return f"{texts[0]}{form}({', '.join(texts[1:])})"
    return f"{form}({', '.join(texts)})"


_NO_VALUE: Final = getattr(np, "_NoValue", None)


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") or text.endswith("j") else text


def _index(key: Any) -> str:
    """What stands between brackets."""
    if isinstance(key, tuple):
        return ", ".join(map(_index, key)) + ("," if len(key) == 1 else "") if key else "()"
    if isinstance(key, slice):
        ends = ["" if one is None else literal(one) for one in (key.start, key.stop, key.step)]
        return f"{ends[0]}:{ends[1]}" + (f":{ends[2]}" if ends[2] else "")
    return literal(key)


def literal(value: Any) -> str:
    """A value as Python. Raises Unsupported (AG163) for an object that has no such text."""
    kind = type(value)
    if value is None or value is ... or kind in (bool, int, str, bytes):
        return "..." if value is ... else repr(value)
    if kind is float or kind is complex:
        return _number(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({literal(value.item())})"
    if kind is list:
        return f"[{', '.join(map(literal, value))}]"
    if kind is tuple:
        return "(" + "".join(f"{literal(one)}, " for one in value) + ")"
    if kind is dict:
        return "{" + ", ".join(f"{k!r}: {literal(v)}" for k, v in value.items()) + "}"
    if kind is slice:
        return f"slice({literal(value.start)}, {literal(value.stop)}, {literal(value.step)})"
    if isinstance(value, np.dtype):
        return f"np.dtype({value.str!r})"
    if isinstance(value, type) and value in (float, int, complex, bool):
        return value.__name__
    if isinstance(value, type) and issubclass(value, np.generic):
        return f"np.{value.__name__}"
    raise unwritten(value)


def _number(value: Any) -> str:
    if isinstance(value, complex):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    if np.isfinite(value):
        return repr(float(value))
    return "np.nan" if np.isnan(value) else "np.inf" if value > 0 else "-np.inf"


def _array(value: Any) -> str:
    if value.size == 0:
        return f"np.zeros({value.shape}, {_dtype(value)})"
    return f"np.array({literal(value.tolist())}, {_dtype(value)})"


def _dtype(value: Any) -> str:
    if value.dtype.kind not in "biufc":
        raise unwritten(value)
    return "bool" if value.dtype.kind == "b" else f"np.{value.dtype.name}"


def unwritten(value: Any) -> Unsupported:
    """A value that a program cannot have as a literal."""
    return Unsupported(
        f"a {type(value).__name__} cannot be written as Python",
        code="AG163",
        help="return numbers, arrays, and tuples, lists and dicts of them",
    )
