"""Code sinking: sums to which one arm of a branch contributes nothing move into the other arm.

    if test:                                    if test:
        v_bar = a_bar[i]                            v_bar = a_bar[i]
        a_bar[i] = 0.0                              a_bar[i] = 0.0
    else:                                ->         x_bar[k] += 2.0 * v_bar
        v_bar = 0.0
    x_bar[k] += 2.0 * v_bar

A statement after a branch moves into it where one arm knows its result without computing it: a
literal zero times something, or something to which zero is added. The other arm computes it.
(Partially redundant code that moves down to where it is needed: Knoop, Ruething and Steffen 1994,
"Partial dead code elimination".)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjointgen.costs import SINKING_WINDOW
from adjointgen.ir.edit import rebuild, substitute
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Const,
    Function,
    Operand,
    Stmt,
    Value,
    reads_of,
    results_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names
from adjointgen.rules.framework.contributions import is_zero


def sink(function: Function, primal: frozenset[str]) -> Function:
    """The function with such sums inside branches; the user's own statements stay."""
    if not any(isinstance(s, Branch) and _has_zeros(s) for s in walk(function.body)):
        return function
    work = _Sinking(Names.of(function), primal)
    return replace(function, body=work.block(function.body))


class _Sinking:
    def __init__(self, names: Names, primal: frozenset[str]) -> None:
        self.names = names
        self.primal = primal

    def block(self, block: Block) -> Block:
        stmts = [rebuild(s, lambda o: o, self.block) for s in block.stmts]
        for at, stmt in enumerate(stmts):
            if isinstance(stmt, Branch) and _has_zeros(stmt) and not self.is_primal(stmt):
                stmts[at:] = self.sunk(stmt, Block((), tuple(stmts[at + 1 :]), block.yields))
        return replace(block, stmts=tuple(stmts))

    def is_primal(self, branch: Branch) -> bool:
        """Whether a branch is the user's own, which may be in another sweep than what follows."""
        return all(result.name in self.primal for result in branch.results)

    def sunk(self, branch: Branch, after: Block) -> list[Stmt]:
        """A branch and the statements after it, of which some have moved into it.

        What is no sum that an arm knows, such as a product, moves only with all that reads it.
        """
        stay: set[str] = set()
        while True:
            moved, left, whole = self.attempt(branch, after.stmts, stay)
            if not any(moved.values()):
                return [branch, *after.stmts]
            read = {v.name for v in reads_of(replace(after, stmts=tuple(left)))}
            alone = {name for name, is_sum in moved.items() if not is_sum} & read
            if not alone:
                return [whole, *left]
            stay |= alone

    def attempt(
        self, branch: Branch, after: Sequence[Stmt], stay: set[str]
    ) -> tuple[dict[str, bool], list[Stmt], Branch]:
        """What moves and whether it is a sum that an arm knows, what is left, and the branch."""
        arms = [_Arm(self.names, branch, k) for k in range(2)]
        ready = {r.name for r in branch.results}
        made = {r.name for s in after for r in results_of(s)} - ready
        moved: dict[str, bool] = {}
        results: list[Value] = []
        left: list[Stmt] = []
        for place, stmt in enumerate(after):
            if place >= SINKING_WINDOW or not isinstance(stmt, Apply) or len(stmt.results) != 1:
                left.append(stmt)
            elif stmt.result.name not in stay and self.may_move(stmt, made - ready, left, arms):
                moved[stmt.result.name] = stmt.op in _SUMS and _is_known(stmt, arms)
                for arm in arms:
                    arm.take(stmt)
                ready.add(stmt.result.name)
                results.append(stmt.result)
            else:
                left.append(stmt)
        then, orelse = (arm.made(results) for arm in arms)
        whole = replace(branch, results=(*branch.results, *results), then=then, orelse=orelse)
        return moved, left, whole

    def may_move(
        self, stmt: Apply, later: set[str], left: Sequence[Stmt], arms: Sequence[_Arm]
    ) -> bool:
        """Whether a statement can come before what is left between it and the branch."""
        if stmt.op not in (_NUMBERS | _SUMS) or stmt.result.name in self.primal:
            return False
        read = stmt.op == "load" and stmt.result.type.is_scalar
        if not read and not _is_known(stmt, arms):
            return False
        names = {a.name for a in stmt.args if isinstance(a, Value)}
        if names & later:
            return False
        # What is added to must not be read as it was before by what then comes after.
        array = stmt.args[0]
        if stmt.op != "accumulate" or not isinstance(array, Value):
            return True
        return array not in set(reads_of(Block((), tuple(left), ())))


class _Arm:
    """One arm in the making: `by` are its operands for the results of the branch."""

    def __init__(self, names: Names, branch: Branch, which: int) -> None:
        self.names = names
        self.block = (branch.then, branch.orelse)[which]
        self.by: dict[str, Operand] = dict(
            zip((r.name for r in branch.results), self.block.yields, strict=True)
        )
        self.stmts = list(self.block.stmts)

    def knows(self, stmt: Apply) -> bool:
        return _known(stmt, self.by) is not None

    def take(self, stmt: Apply) -> None:
        """The result of a statement: known, or computed here."""
        known = _known(stmt, self.by)
        if known is None:
            known = replace(stmt.result, name=self.names.fresh(stmt.result.name))
            args = tuple(substitute(a, self.by) for a in stmt.args)
            self.stmts.append(replace(stmt, results=(known,), args=args))
        self.by[stmt.result.name] = known

    def made(self, moved: Sequence[Value]) -> Block:
        yields = (*self.block.yields, *(self.by[v.name] for v in moved))
        return replace(self.block, stmts=tuple(self.stmts), yields=yields)


def _has_zeros(branch: Branch) -> bool:
    """Whether one arm alone gives a literal zero for a number."""
    pairs = zip(branch.results, branch.then.yields, branch.orelse.yields, strict=True)
    return any(r.type.is_scalar and is_zero(a) != is_zero(b) for r, a, b in pairs)


def _is_known(stmt: Apply, arms: Sequence[_Arm]) -> bool:
    """Whether an arm knows the result of a statement."""
    return any(arm.knows(stmt) for arm in arms)


_SUMS = frozenset({"accumulate", "add", "sub"})
_NUMBERS = frozenset({"mul", "div", "neg", "add", "sub", "load"})
"""Operations on numbers that may be done for the sake of a sum."""


def _known(stmt: Apply, by: Mapping[str, Operand]) -> Operand | None:
    """The result of a statement where zeros tell it: one of its operands, or zero."""
    args = [substitute(a, by) for a in stmt.args]
    zeros = [is_zero(a) and a.type.is_scalar for a in args]
    type = stmt.result.type
    match stmt.op:
        case "mul" | "div" | "neg" if type.is_scalar and (
            zeros[0] or (stmt.op == "mul" and zeros[1])
        ):
            return Const(0.0, type) if type.dtype == "float64" else None
        case "accumulate" if zeros[1]:
            return args[0]
        case "add" | "sub" if zeros[1]:
            return _as(args[0], stmt)
        case "add" if zeros[0]:
            return _as(args[1], stmt)
    return None


def _as(operand: Operand, stmt: Apply) -> Operand | None:
    """An operand in the place of a result of the same type."""
    same = operand.type.dtype == stmt.result.type.dtype and operand.type.is_scalar
    return operand if same and stmt.result.type.is_scalar else None
