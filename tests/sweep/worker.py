"""A process that judges cases: a line of JSON in, a line of JSON out.

What a package does to its process, an end included, does not reach the sweep. The output that
packages print goes to standard error.
"""

from __future__ import annotations

import json
import sys
import warnings
from contextlib import redirect_stdout

from tests.sweep.case import Case, from_dict
from tests.sweep.judge import Outcome, judge
from tests.time_limits import Late, within

SECONDS = 120.0


def timed(case: Case) -> Outcome:
    try:
        with within(SECONDS):
            return judge(case)
    except Late:
        return Outcome("crashed", cause=f"no end within {SECONDS:.0f} s")
    except RecursionError:
        return Outcome("crashed", cause="RecursionError")


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):
            outcome = timed(from_dict(json.loads(line)))
        print(json.dumps(outcome.as_dict()), flush=True)


if __name__ == "__main__":
    main()
