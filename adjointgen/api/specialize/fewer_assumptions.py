"""A program that takes no more to hold than it has to.

What no statement of the program asks for is left out first. Of many paths, those are found again
that lie near the refusals which come without them. Then what is left is taken back, all of one sort
at once where the program does without, else in halves.

Source: minimal sets of guards; delta debugging, Zeller and Hildebrandt 2002.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from adjointgen.api.specialize.run_facts import (
    RunFacts,
    Said,
    is_fixed,
    is_kind,
    is_number,
    is_outcome,
    is_path,
)
from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.untaken import Key
from adjointgen.ir.nodes import Apply, walk

FEW: Final = 8
"""So many paths are taken back without a look at where they are."""
MOST_TRIES: Final = 8
"""How often a program is built again to find the paths that it needs."""
MOST_TAKEN_BACK: Final = 16
"""How often it is built again with less."""

Build = Callable[[Said], Any]
"""Makes the program with what is taken to hold; raises the refusal."""


def fewest(facts: RunFacts, build: Build, said: Said, made: Any) -> tuple[Said, Any]:
    """What has to be taken to hold of `said`, with which a program was `made`, and that program."""
    used = {key: text for key, text in said.items() if not text or _says(made, text)}
    if len(used) < len(said) and (again := _built(build, used)) is not None:
        said, made = used, again
    if sum(map(is_path, said)) > FEW:
        said, made = _near_refusals(facts, build, said) or (said, made)
    waiting = list(_sorts(said))
    for _ in range(MOST_TAKEN_BACK):
        if not waiting:
            break
        keys = waiting.pop(0)
        less = {key: text for key, text in said.items() if key not in keys}
        if (again := _built(build, less)) is not None:
            said, made = less, again
        elif len(keys) > 1:
            waiting[:0] = [keys[: len(keys) // 2], keys[len(keys) // 2 :]]
    return said, made


def _sorts(said: Said) -> Iterator[list[Key]]:
    """What is taken to hold by sort, that first which holds of the fewest arguments."""
    sorts: list[list[Key]] = [[], [], [], [], [], []]
    for key in said:
        tests = (is_outcome(key), is_number(key), is_fixed(key), is_path(key), is_kind(key))
        sorts[tests.index(True) if any(tests) else len(tests)].append(key)
    return filter(None, sorts)


def _near_refusals(facts: RunFacts, build: Build, said: Said) -> tuple[Said, Any] | None:
    """The same with the paths near the refusals that come without them."""
    found = {key: text for key, text in said.items() if not is_path(key)}
    for _ in range(MOST_TRIES):
        try:
            return found, build(found)
        except AdjointgenError as error:
            sets = (more for more in facts.near(error, said) if more.keys() - found.keys())
            found |= next(sets, said)
    return None


def _built(build: Build, said: Said) -> Any:
    """The program; None where it is refused."""
    try:
        return build(said)
    except AdjointgenError:
        return None


def _says(made: Any, said: str) -> bool:
    """Whether programs end somewhere with these words."""
    primal = made.built.primal
    statements = (stmt for f in (primal, *primal.callees) for stmt in walk(f.body))
    return any(said in str(stmt.option("code")) for stmt in statements if isinstance(stmt, Apply))
