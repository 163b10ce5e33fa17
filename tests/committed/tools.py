"""What black, ruff and mypy say of written modules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TOOLS = (
    ("black", "--check", "--quiet"),
    ("ruff", "format", "--isolated", "--no-cache", "--check", "--quiet"),
    ("ruff", "check", "--isolated", "--no-cache", "--quiet"),
    ("mypy", "--strict", "--ignore-missing-imports", "--no-error-summary"),
)


def complaints(folder: Path) -> Iterator[str]:
    """A text for each tool that has something to say."""
    files = sorted(str(file) for file in folder.glob("*_ad.py"))
    for words in TOOLS:
        own = ["--cache-dir", str(folder / "cache")] if words[0] == "mypy" else []
        command = [sys.executable, "-m", *words, *own, *files]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        if done.returncode:
            yield f"{' '.join(words[:2])}: {done.stdout}{done.stderr}"
