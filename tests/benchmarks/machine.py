"""What a reader of times must know of the machine, and nothing that names it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "libcst", "black")


def facts() -> dict[str, str]:
    """The versions and the processor."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return {"processor": processor(), "system": platform.system(), "Python": python, **versions()}


def versions() -> dict[str, str]:
    """The versions of the packages whose speed is measured too."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def processor() -> str:
    """The model of the processor, as far as the system says it, and how many there are."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} CPUs"
