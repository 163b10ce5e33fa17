"""One target: its module is generated from text, compiled, and may be imported.

written    it compiles                          late        no end within the limit
refused    with the code of an AdjointgenError  broken      written, and does not compile or import
crashed    any other exception
"""

from __future__ import annotations

import tempfile
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

from adjointgen import AdjointgenError, generate
from tests.mass.functions import Target
from tests.mass.mutants import mutated
from tests.time_limits import Late, within

SECONDS = 30.0
HOME = Path(__file__).parents[2] / "adjointgen"


class Outcome(NamedTuple):
    """What came of a target: the status, its cause, and the text that was written."""

    status: str
    cause: str = ""
    text: str = ""
    seconds: float = 0.0


def judge(target: Target, imports: bool = False, compile_for: str = "python") -> Outcome:
    """The outcome for one function."""
    with tempfile.TemporaryDirectory() as folder:
        file = target.file
        if target.seed >= 0:
            text = mutated(Path(file).read_bytes().decode("utf-8-sig"), target.name, target.seed)
            if text is None:
                return Outcome("refused", "no mutant")
            file = str(Path(folder, Path(file).name))
            Path(file).write_text(text, "utf-8")
        try:
            with within(SECONDS):
                made = generate(f"{file}::{target.name}", compile=compile_for, guess=True).source
        except AdjointgenError as error:
            return Outcome("refused", error.code)
        except Late:
            return Outcome("late", f"no end within {SECONDS:.0f} s")
        except Exception as error:
            return Outcome("crashed", cause_of(error))
    return _runs(made, imports)


def _runs(text: str, imports: bool) -> Outcome:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(text, "<generated>", "exec")
            if imports:
                with within(SECONDS):
                    exec(code, {"__name__": "generated"})
    except (Exception, Late) as error:
        return Outcome("broken", f"{type(error).__name__}: {error}"[:200], text)
    return Outcome("written", "", text)


def cause_of(error: Exception) -> str:
    """The exception, and the innermost line of the project."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if HOME.as_posix() in f.filename]
    at = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{at}: {error}"[:200]
