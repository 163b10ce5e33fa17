"""Whether a candidate can be made and called once at all, in a process of its own.

    python -m tests.benchmarks.versus.probe TABLE CASE SIZE CANDIDATE

prints JSON when it can. What compiled code does not end, or ends the process with, is then known to
the caller and costs no other candidate.
"""

from __future__ import annotations

import json
import os
import sys

from tests.benchmarks.timing import pin
from tests.benchmarks.versus.measuring import FLAGS, reason
from tests.benchmarks.versus.registry import case


def tried(table: str, name: str, size: str, candidate: str) -> str | None:
    """Why a candidate fails, or nothing."""
    found = case(table, name)
    try:
        found.candidates[candidate].build()(found.inputs(size))()
    except Exception as error:
        return reason(error)
    return None


if __name__ == "__main__":
    pin()
    os.environ.setdefault(*FLAGS)
    print(json.dumps(tried(*sys.argv[1:])))
