"""The productions of Python's grammar, from the docstrings of `ast`'s own classes.

    BinOp(expr left, operator op, expr right)          a class
    Return(expr? value)                                with and without what is optional
    Call(expr func, expr* args, keyword* keywords)     none, one, and more of what is repeated

and each operator, each context, each kind of constant. A production is text: `Return.value 0`.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

FIELD: Final = re.compile(r"(\w+)([?*]?) (\w+)")

REFUSED: Final = {
    "AsyncFunctionDef": "there is no event loop",
    "AsyncFor": "as above",
    "AsyncWith": "as above",
    "Await": "as above",
}
"""Classes that the programs leave out, with the reason."""

NEVER: Final = (
    "type_comment",  # comments are not kept by the compiler
    "type_ignores",
    "comprehension.is_async",
    "MatchSingleton.value",  # a constant
    "Constant.kind",  # the `u` of `u'text'`
    "ImportFrom.module 0",  # `from . import`: programs are no packages
    "ImportFrom.level 0",
    "Global.names 2",
    "Nonlocal.names 2",
    "Import.names 0",
    "ImportFrom.names 0",
    "Delete.targets 0",
    "Assign.targets 0",
    "With.items 0",
    "comprehension.target 0",
    "BoolOp.values 0",
    "BoolOp.values 1",
    "Compare.ops 0",
    "Compare.comparators 0",
    "ListComp.generators 0",
    "SetComp.generators 0",
    "SetComp.generators 2",
    "DictComp.generators 0",
    "DictComp.generators 2",
    "GeneratorExp.generators 0",
    "Set.elts 0",
    "Global.names 0",
    "Nonlocal.names 0",
    "MatchOr.patterns 0",
    "MatchOr.patterns 1",
    "Match.cases 0",
    "Match.cases 1",
    "TryStar.handlers 0",
    "TryStar.handlers 2",
    "TryStar.orelse",
    "TryStar.finalbody",
    "JoinedStr.values 0",
    "MatchSequence.patterns 0",
    "MatchMapping.keys 0",
    "MatchMapping.keys 2",
    "MatchMapping.patterns 0",
    "MatchMapping.patterns 2",
    "MatchClass.kwd_attrs 2",
    "MatchClass.kwd_patterns 2",
    "MatchClass.patterns 1",
    "arguments.kw_defaults 2",
    "arguments.posonlyargs 2",
    "Module",
    "Lambda.args",
    "body 0",
    "ClassDef.bases 2",
    "ClassDef.bases 0",
    "ClassDef.keywords 2",
    "ClassDef.decorator_list 2",
    "MatchMapping.rest 0",
    "FormattedValue.format_spec.values",
)
"""What stands for itself, cannot be, or is the same thing once more."""


def classes() -> Iterator[type[ast.AST]]:
    """Every concrete class of statements, expressions, patterns, operators and their parts."""
    for name in dir(ast):
        found = getattr(ast, name)
        if not (isinstance(found, type) and issubclass(found, ast.AST)) or _is_old(found):
            continue
        if found.__subclasses__() and name[0].islower() and not found._fields:
            continue
        if found is not ast.AST and not issubclass(found, ast.mod | ast.type_ignore):
            yield found


def _is_old(found: type[ast.AST]) -> bool:
    """Names that Python keeps for programs of before: `ast.Num`, `ast.Index`, `ast.AugLoad`."""
    return (found.__doc__ or "").lower().startswith("deprecated") or found.__name__ in (
        "slice",
        "Param",
        "AugLoad",
        "AugStore",
        "Suite",
        "ExtSlice",
        "Index",
        "Num",
        "Str",
        "Bytes",
        "NameConstant",
        "Ellipsis",
    )


def fields(found: type[ast.AST]) -> list[tuple[str, str]]:
    """The fields of a class, with `?` or `*` where they are optional or repeated."""
    doc = found.__doc__ or ""
    inside = doc.partition("(")[2].rpartition(")")[0] if doc.startswith(found.__name__) else ""
    return [(name, mark) for _, mark, name in FIELD.findall(inside)]


def required() -> set[str]:
    """Every production that programs are to have."""
    wanted = set()
    for found in classes():
        name = found.__name__
        if name in REFUSED:
            continue
        wanted.add(name)
        for field, mark in fields(found):
            counts = {"?": (0, 1), "*": (0, 1, 2)}.get(mark, ())
            wanted |= {f"{name}.{field} {count}" for count in counts}
    wanted |= {f"AugAssign {op.__name__}" for op in ast.operator.__subclasses__()}
    wanted |= {f"Constant {kind}" for kind in CONSTANTS}
    wanted |= {f"{name} Store" for name in TARGETS} | {
        f"{name} Del" for name in ("Name", "Subscript")
    }
    return {one for one in wanted if not any(_named(one, never) for never in NEVER)}


CONSTANTS: Final = ("int", "float", "complex", "str", "bytes", "bool", "NoneType", "ellipsis")
TARGETS: Final = ("Name", "Attribute", "Subscript", "Starred", "Tuple", "List")


def _named(production: str, never: str) -> bool:
    return (
        production == never
        or production.startswith(f"{never} ")
        or ("." not in never and production.partition(".")[2] == never)
        or ("." not in never and production.partition(".")[2].startswith(f"{never} "))
    )


def productions(tree: ast.AST) -> set[str]:
    """The productions that a program has."""
    found = set()
    for node in ast.walk(tree):
        name = type(node).__name__
        found.add(name)
        for field, mark in fields(type(node)):
            value = getattr(node, field, None)
            if mark == "*":
                found.add(f"{name}.{field} {min(len(value or []), 2)}")
            elif mark == "?":
                found.add(f"{name}.{field} {int(value is not None)}")
        match node:
            case ast.AugAssign(op=op):
                found.add(f"AugAssign {type(op).__name__}")
            case ast.Constant(value=value):
                found.add(f"Constant {type(value).__name__}")
            case _ if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
                found.add(f"{name} {type(getattr(node, 'ctx', None)).__name__}")
    return found
