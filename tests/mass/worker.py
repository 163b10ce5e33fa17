"""A process that judges targets: a line of JSON in, a line of JSON out."""

from __future__ import annotations

import json
import sys
import time
import warnings
from contextlib import redirect_stdout

from tests.mass.functions import Target
from tests.mass.judge import judge


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        asked = json.loads(line)
        start = time.process_time()
        with redirect_stdout(sys.stderr):
            outcome = judge(Target(*asked["target"]), asked["imports"], asked["compile"])
        taken = time.process_time() - start
        print(json.dumps(outcome._replace(seconds=round(taken, 2))), flush=True)


if __name__ == "__main__":
    main()
