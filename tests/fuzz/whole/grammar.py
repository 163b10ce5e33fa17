"""Programs drawn from templates with typed holes: one row of a table per production.

    $N      an expression of kind N; in $N{#v:N} the name that `#v` stands for is a number, too
    $n      the name of a variable of kind N, which may be assigned to; $n#v calls it `#v` from then
    #v      a new name, the same wherever it stands in one row
    $S      statements, one level further in; `loop` and `def` say what they stand in

Kinds: Number, Integer, Boolean, Array of three numbers, Matrix, List, Dict, Tuple, text (Z),
Function of one number, Object, Parameters (a dict of two arrays), a Queue (a list of arrays). Which
operand of what is any of these is left to chance, so nobody has thought of the combination. Each
expression may be wrapped in `log(k, ...)`, which says when it is evaluated.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

KINDS: Final = "NIBAMLDTZFOPQ"
DEPTH: Final = 4
_HOLE: Final = re.compile(r"\$([A-Za-z])(#[a-z])?(?:\{([^}]*)\})?|#([a-z])")


@dataclass(frozen=True, slots=True)
class Row:
    """A production: what it makes, its text, the names it leaves defined, and how often."""

    kind: str
    text: str
    leaves: str = ""
    weight: float = 1.0
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that are known at a place, by kind; `own` are those that may be assigned to."""

    names: tuple[tuple[str, str], ...] = ()
    own: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()

    def of(self, kind: str) -> list[str]:
        return [name for name, k in self.names if k == kind]

    def with_names(self, new: Sequence[tuple[str, str]], *inside: str) -> "Scope":
        added = {name for name, _ in new}
        kept = tuple((n, k) for n, k in self.names if n not in added)
        flags = (self.inside - {"loop"} if "def" in inside else self.inside) | {*inside}
        own = frozenset() if "def" in inside else self.own
        return Scope((*kept, *new), own | added, flags)


class Stuck(Exception):
    """No production fits: the row is given up, and another one is tried."""


@dataclass
class Draw:
    """One program in the making."""

    rng: random.Random
    rows: dict[str, list[Row]]
    logged: float
    used: dict[str, int] = field(default_factory=dict)
    count: int = 0
    keys: int = 0
    budget: int = 60

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def expression(self, kind: str, scope: Scope, depth: int) -> str:
        """An expression of a kind, most often one that is small."""
        known = scope.of(kind)
        small = depth >= DEPTH or self.budget < 0 or self.rng.random() < 0.15 + 0.15 * depth
        if known and small:
            return self.maybe_logged(self.rng.choice(known))
        table = self.rows["leaf " + kind if small else kind]
        self.budget -= 1
        for _ in range(8):
            row = self.choose(table, scope)
            with self.undone_if_stuck() as tried:
                text, _ = self.fill(row, scope, depth + 1)
                tried.append(text)
            if tried:
                return self.maybe_logged(f"({text})" if kind not in "Z" else text)
        return self.rng.choice(known) if known else self.rng.choice(self.rows["leaf " + kind]).text

    @contextmanager
    def undone_if_stuck(self) -> Iterator[list[str]]:
        before = self.count, self.keys
        try:
            yield []
        except Stuck:
            self.count, self.keys = before

    def maybe_logged(self, text: str) -> str:
        if self.rng.random() >= self.logged:
            return text
        self.keys += 1
        return f"log({self.keys}, {text})"

    def choose(self, table: list[Row], scope: Scope) -> Row:
        fit = [row for row in table if not row.needs or row.needs in scope.inside]
        return self.rng.choices(fit, [row.weight for row in fit])[0]

    def statements(self, scope: Scope, depth: int, count: int, indent: str) -> tuple[str, Scope]:
        lines = []
        for _ in range(count):
            table = self.rows["S"] if depth < 3 and self.budget > 0 else self.rows["leaf S"]
            row = self.choose(table, scope)
            try:
                text, scope = self.fill(row, scope, 1, depth + 1)
            except Stuck:
                continue
            lines.append(text)
        made = "\n".join(lines) or "pass"
        return made.replace("\n", f"\n{indent}"), scope

    def fill(self, row: Row, scope: Scope, depth: int, level: int = 0) -> tuple[str, Scope]:
        """The text of a row, and the scope behind it."""
        names: dict[str, str] = {}

        def name_of(letter: str) -> str:
            if letter not in names:
                names[letter] = self.fresh(letter)
            return names[letter]

        def one(match: re.Match[str]) -> str:
            kind, alias, inner, letter = match.groups()
            if letter:
                return name_of(letter)
            new, flags = _bindings(inner or "", name_of)
            if kind == "S":
                line = row.text.rfind("\n", 0, match.start()) + 1
                indent = row.text[line : match.start()]
                here = scope.with_names(new, *flags)
                return self.statements(here, level, self.rng.randint(1, 3), indent)[0]
            if kind.islower():
                known = [n for n in scope.of(kind.upper()) if n in scope.own]
                if not known:
                    raise Stuck
                chosen = self.rng.choice(known)
                if alias:
                    names[alias[1]] = chosen
                return chosen
            return self.expression(kind, scope.with_names(new), depth)

        text = _HOLE.sub(one, row.text)
        self.used[row.text] = self.used.get(row.text, 0) + 1
        left, _ = _bindings(row.leaves, name_of)
        return text, scope.with_names(left) if left else scope


def _bindings(text: str, name_of: Callable[[str], str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The names that a hole binds, with their kinds, and what its statements stand in."""
    new, flags = [], []
    for part in filter(None, (p.strip() for p in text.split(","))):
        head, _, kind = part.partition(":")
        if kind:
            new.append((name_of(head[1]), kind))
        else:
            flags.append(head)
    return new, flags


def statements(text: str) -> list[Row]:
    """Statements as they stand in their file: `=== weight [needs] -> leaves`, and the text."""
    rows = []
    for block in text.split("\n=== ")[1:]:
        head, _, body = block.partition("\n")
        parts, _, leaves = head.partition("->")
        weight, *needs = parts.split()
        rows.append(Row("S", body.rstrip(), leaves.strip(), float(weight), *needs))
    return rows


def expressions(text: str) -> list[Row]:
    """Expressions as they stand in their file, one in a line: `=== kind` first."""
    blocks = (block.splitlines() for block in text.split("\n=== ")[1:])
    return [Row(kind, line) for kind, *lines in blocks for line in lines if line]


def by_kind(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each kind; those without holes of their own kinds are its leaves."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.kind, []).append(row)
        if not re.search(r"\$[A-Z]", row.text) and row.kind != "S":
            found.setdefault("leaf " + row.kind, []).append(row)
        if row.kind == "S" and "$S" not in row.text:
            found.setdefault("leaf S", []).append(row)
    return found
