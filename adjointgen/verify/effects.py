"""What programs do to their arguments, held against what the function does.

    arguments       left as they were, or as the function leaves them
    storage         shared by results only where those of the function share it

A derivative program may leave alone what the function writes to; what it writes has to be that.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from adjointgen.verify.attempt import Outcome
from adjointgen.verify.structures import changes, children, flatten, misfit

Named: TypeAlias = tuple[str, Outcome]
"""A program's name and what came of a call `program(args, seeds)`."""


def changed(
    before: Any, function: Outcome, calls: Sequence[Named], wrt: Sequence[int]
) -> Iterator[str]:
    """What was written to that the function itself leaves alone, each with who wrote it."""
    own = function.changed
    for name, outcome in calls:
        allowed = tuple(f"[0]{path}" for path in own)
        if name == "tangent":
            # Where the function writes to an argument, its tangent writes to the argument's.
            places = {f"[{i}]": f"[1][{k}]" for k, i in enumerate(wrt)}
            allowed += tuple(
                new + path.removeprefix(old)
                for path in own
                for old, new in places.items()
                if path.startswith(old)
            )
        for path in outcome.changed:
            if not path.startswith(allowed):
                yield f"{spoken(f'given{path}', name)} by the {name} program"
        if outcome.error is None:
            for path in differing(before, function.after, outcome.after[0]):
                yield f"args{path} by the {name} program, to another value"


def shared(function: Outcome, calls: Sequence[Named]) -> Iterator[str]:
    """What shares storage after a program, but not after the function."""
    # A program is given the arguments first, and returns the value first.
    own = {tuple(re.sub(r"^(given|result)", r"\1[0]", end) for end in tie) for tie in function.ties}
    seen = set()
    for name, outcome in calls:
        for one, other in sorted(outcome.ties - own):
            found = f"{spoken(one, name)} and {spoken(other, name)}"
            if other.startswith("result") and found not in seen:
                seen.add(found)
                yield found


def spoken(path: str, program: str) -> str:
    """A path of a program's arguments and results, in the words of the report."""
    forward = program == "tangent"
    words = {
        "given[0]": "args",
        "given[1]": "x_dots" if forward else "y_bar",
        "result[0]": "result",
        "result[1]": "result_dot" if forward else "x_bars",
    }
    for start, word in words.items():
        if path.startswith(start):
            return word + path.removeprefix(start)
    return path


def differing(before: Any, wanted: Any, found: Any, path: str = "") -> Iterator[str]:
    """The paths at which `found` is neither as `before` nor, but for rounding, as `wanted`."""
    if _equal(before, found) or close(wanted, found):
        return
    rows = [children(tree) or () for tree in (before, wanted, found)]
    labels = {tuple(label for label, _ in row) for row in rows}
    if len(labels) != 1 or labels == {()}:
        yield path
        return
    for (label, first), (_, want), (_, part) in zip(*rows, strict=True):
        yield from differing(first, want, part, path + label)


def close(wanted: Any, found: Any, relative: float = 1e-9) -> bool:
    """Whether two trees are equal but for the rounding of floats."""
    if misfit(wanted, found) or not _equal(wanted, found, floats=False):
        return False
    one, other = flatten(wanted), flatten(found, like=wanted)
    scale = float(np.max(np.abs(one[np.isfinite(one)]), initial=0.0))
    return bool(np.allclose(one, other, rtol=relative, atol=relative * scale, equal_nan=True))


def _equal(one: Any, other: Any, floats: bool = True) -> bool:
    return not any(True for _ in changes(one, other, floats=floats))
