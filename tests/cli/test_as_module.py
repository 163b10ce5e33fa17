"""`python -m adjointgen` is the command."""

import subprocess
import sys

from adjointgen import __version__


def test_the_package_is_run_as_the_command() -> None:
    made = [sys.executable, "-m", "adjointgen", "--version"]
    done = subprocess.run(made, capture_output=True, text=True, check=True)
    assert done.stdout == f"adjointgen, version {__version__}\n"
