"""What a sweep found, as text: counts per package, and the causes of what is not right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from tests.sweep.case import Case
from tests.sweep.judge import Outcome

Found = Sequence[tuple[Case, Outcome]]

STATUSES = ("right", "refused", "wrong", "crashed", "undecided")


def table(found: Mapping[str, Found]) -> str:
    """One line per package; the share is of the cases that differences decide."""
    lines = [
        "| package | cases | right | refused | wrong | crashed | undecided | share |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [_line(name, outcomes) for name, outcomes in found.items()]
    if len(found) > 1:
        lines.append(_line("all", [one for outcomes in found.values() for one in outcomes]))
    return "\n".join(lines)


def _line(name: str, found: Found) -> str:
    count = Counter(outcome.status for _, outcome in found)
    judged = sum(count.values()) - count["undecided"]
    share = f"{100.0 * count['right'] / judged:.1f} %" if judged else ""
    cells = [name, str(judged), *(str(count[s]) for s in STATUSES), share]
    return f"| {' | '.join(cells)} |"


def causes(found: Found, shown: int = 3) -> str:
    """What is not right by cause, the most frequent first, with some of the cases."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for case, outcome in found:
        if outcome.status not in ("right", "undecided"):
            groups[f"{outcome.status} {outcome.code} {outcome.cause}"].append(case.id)
    lines = []
    for cause, ids in sorted(groups.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(ids):4d}  {cause}")
        lines += [f"        {one[:150]}" for one in ids[:shown]]
    return "\n".join(lines)
