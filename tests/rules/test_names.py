"""What an operation is to a pass is a field of its row; names of operations outside the rules.

A place that names operations is a collection of two of them or more, a comparison of an operation
with names, or a case of a `match` that does so. `operation_names.txt` has how many each has: no
file may have more, unless they have moved within a folder of the package. `without_loops.txt` has
the elementwise operations that compiled loops do not take. `python -m tests.rules.test_names`
writes both, after fewer. The executed graph has a table of its own, and knows no rows; patterns of
what depends on what are told by the names in this.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from adjointgen.rules.all import TABLE

PACKAGE = Path(__file__).parents[2] / "adjointgen"
BOUNDS = Path(__file__).with_name("operation_names.txt")
TABLES = ("rules", "sparse", "tracing")
WITHOUT_LOOPS = Path(__file__).with_name("without_loops.txt")


def places(tree: ast.AST) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The places of a file that name operations: their lines, and the names."""
    for node in ast.iter_child_nodes(tree):
        names = _named(node)
        if names:
            yield getattr(node, "lineno", 0), names
        else:
            yield from places(node)


def _named(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Compare(left=left, comparators=others) if any(map(_is_op, (left, *others))):
            return tuple(n for o in (left, *others) for n in _strings(o) if n in TABLE)
        case ast.Set() | ast.List() | ast.Tuple() | ast.Dict():
            names = _strings(node)
            return names if len(names) > 1 and all(n in TABLE for n in names) else ()
        case ast.Match(subject=subject, cases=cases) if _is_op(subject):
            return tuple(n for case in cases for n in _values(case.pattern) if n in TABLE)
        case ast.MatchClass(kwd_attrs=fields, kwd_patterns=patterns):
            by_field = zip(fields, patterns, strict=True)
            return tuple(n for f, p in by_field if f == "op" for n in _values(p) if n in TABLE)
    return ()


def _is_op(node: ast.AST) -> bool:
    """Whether an expression is the name of an operation: `stmt.op`, `op`."""
    return (isinstance(node, ast.Attribute) and node.attr == "op") or (
        isinstance(node, ast.Name) and node.id == "op"
    )


def _strings(node: ast.AST | None) -> tuple[str, ...]:
    """The strings that a literal is made of: itself, its elements, or its keys."""
    match node:
        case ast.Constant(value=str(text)):
            return (text,)
        case ast.Set(elts=items) | ast.List(elts=items) | ast.Tuple(elts=items):
            return tuple(n for item in items for n in _strings(item))
        case ast.Dict(keys=keys):
            return tuple(n for key in keys for n in _strings(key))
        case ast.Starred(value=value):
            return _strings(value)
    return ()


def _values(pattern: ast.pattern) -> tuple[str, ...]:
    inside = (n.value for n in ast.walk(pattern) if isinstance(n, ast.MatchValue))
    return tuple(n for value in inside for n in _strings(value))


def counts() -> dict[str, tuple[int, int]]:
    """By file outside of the tables of rules: its places that name operations, and the names."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        named = list(places(ast.parse(path.read_text("utf-8"))))
        if named and relative.parts[0] not in TABLES:
            found[relative.as_posix()] = len(named), sum(len(names) for _, names in named)
    return found


def bounds() -> dict[str, tuple[int, int]]:
    """How many places and names each file may have."""
    lines = (line.split() for line in BOUNDS.read_text("utf-8").splitlines())
    return {path: (int(some), int(names)) for path, some, names in lines}


def test_no_file_outside_the_rules_names_more_operations_than_it_did() -> None:
    allowed, found = bounds(), counts()
    over = [path for path, of in found.items() if _exceeds(of, allowed.get(path, (0, 0)))]
    folders = {path: path.partition("/")[0] for path in over}
    more = [p for p, f in folders.items() if _exceeds(_total(found, f), _total(allowed, f))]
    assert not more, "a property of operations is a field of `Row`, declared where the row is"


def _total(counted: dict[str, tuple[int, int]], folder: str) -> tuple[int, int]:
    inside = [of for path, of in counted.items() if path.partition("/")[0] == folder]
    return sum(places for places, _ in inside), sum(names for _, names in inside)


def _exceeds(found: tuple[int, int], bound: tuple[int, int]) -> bool:
    return found[0] > bound[0] or found[1] > bound[1]


def without_loops() -> list[str]:
    """The operations on entries that stay statements where arrays become loops."""
    return [r.name for r in TABLE.rows.values() if r.kind == "elementwise" and not r.loop]


def test_a_new_elementwise_row_says_what_it_is_to_a_loop() -> None:
    new = set(without_loops()) - set(WITHOUT_LOOPS.read_text("utf-8").split())
    assert (
        not new - TABLE.declared
    ), "a row of `elementwise` needs `loop`, or no compiled loop has it"


def test_what_rows_say_of_shapes_agrees_with_itself() -> None:
    for row in TABLE.rows.values():
        assert not row.shape_only or row.shape_of is not None, row.name
        assert not row.reduces or {"axis", "keepdims"} <= {p.name for p in row.parameters}, row.name
        operands = [p for p in row.parameters if p.operand]
        assert row.shape_of is None or row.shape_of < len(operands), row.name
        assert not row.measures or row.kind == "constant", row.name
        assert not row.runtime or (PACKAGE / "runtime" / row.runtime).is_file(), row.name


def test_a_set_a_comparison_and_a_case_are_places() -> None:
    text = 'A = {"add", "sub"}\nstmt.op == "mul"\nop in ("load", x)\nkind == "add"\nB = ("add",)\n'
    text += 'match stmt:\n    case Apply(op="sin" | "cos"):\n        pass\n'
    assert [names for _, names in places(ast.parse(text))] == [
        ("add", "sub"),
        ("mul",),
        ("load",),
        ("sin", "cos"),
    ]


def main() -> None:
    """Write the bounds, which go down only, and the rows without loops."""
    found = counts()
    BOUNDS.write_text("".join(f"{path} {p} {n}\n" for path, (p, n) in found.items()), "utf-8")
    WITHOUT_LOOPS.write_text("".join(f"{name}\n" for name in without_loops()), "utf-8")
    print(*(sum(each) for each in zip(*found.values(), strict=True)))


if __name__ == "__main__":
    main()
