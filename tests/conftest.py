"""What all tests share: no cache from outside, repeatable random draws, samples, three options.

`--update-golden` rewrites expected files instead of comparing with them (`make golden`), and
`--fuzz-count` says how many random programs each fuzz test draws (`make fuzz N=...`). A test marked
`sampled(n)` has every nth of its parameters, and with `--thorough` all of them (`make thorough`).
"""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import mpi4py
import pytest
from hypothesis import settings

from tests.kept import own_programs, own_rules

# A failure must be seen again by whoever looks for it, and a slow machine is no failure.
settings.register_profile("adjointgen", deadline=None, derandomize=True)
settings.load_profile("adjointgen")


# Thousands of tests and all modules are alive; to go through them at each 700th new object takes a
# tenth of the time.
gc.set_threshold(100_000, 50, 100)

# MPI shares memory with other processes, beside which no run is observed. `mpiexec` starts it in
# the programs of tests/mpi; other imports of `mpi4py.MPI` must not.
mpi4py.rc.initialize = mpi4py.rc.finalize = False


@pytest.fixture(scope="session", autouse=True)
def patient() -> Iterator[None]:
    """Runs that are observed may take longer, since a slow machine is no failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adjointgen.observe.isolated.LONGEST", 30.0)
        yield


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of every later collection, which takes a second."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")
    parser.addoption("--fuzz-count", type=int, default=50, help="random programs per fuzz test")
    parser.addoption("--thorough", action="store_true", help="all parameters, not a sample")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what a sample leaves out, but where a single test is asked for by its name."""
    named = any("::" in word for word in config.args)
    if named or config.getoption("--thorough") or config.getoption("--fuzz-count") > 50:
        return
    seen: dict[str, int] = {}
    left = []
    for item in items:
        if (mark := item.get_closest_marker("sampled")) is not None:
            test = item.nodeid.partition("[")[0]
            place = seen[test] = seen.get(test, -1) + 1
            if place % mark.args[0]:
                left.append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        known = {*left}
        items[:] = [item for item in items if item not in known]


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether expected files are to be rewritten rather than compared with."""
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.fixture(scope="session")
def fuzz_count(pytestconfig: pytest.Config) -> int:
    """How many random programs a fuzz test draws."""
    return int(pytestconfig.getoption("--fuzz-count"))


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of NumPy takes it ten seconds; the processes of a run share it."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "mypy_cache"


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps tests from reading or writing the cache of the person who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ADJOINTGEN_CACHE", "off")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        # Programs that tests start would compile hundreds of modules again; a module that a test
        # writes twice within a second would be the first one twice.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setattr(sys, "dont_write_bytecode", True)
        yield


@pytest.fixture(autouse=True)
def _apart(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keeps a test from finding the programs of another, and what a test declares from others.

    What is refused is refused without a look at the run, but where the run is the subject. This is
    one fixture, because each costs a tenth of a millisecond for each of many thousand tests.
    """
    before = os.environ.get("ADJOINTGEN_OBSERVE")
    places = {*request.path.parts, request.path.name}
    # Numba reads it anew for each function that it compiles.
    os.environ["NUMBA_OPT"] = "3" if places & _OPTIMISED else "0"
    if not places & _SEES_RUNS:
        os.environ["ADJOINTGEN_OBSERVE"] = "off"
    with own_programs(), own_rules():
        yield
    os.environ.pop("ADJOINTGEN_OBSERVE", None)
    if before is not None:
        os.environ["ADJOINTGEN_OBSERVE"] = before


# Elsewhere it is of no account how well LLVM compiles; that is two fifths of the time.
_OPTIMISED = {"lowering", "parallel", "benchmarks", "damage"} | {
    "test_damage.py",
    "test_compiling.py",
}
_SEES_RUNS = {"observe", "docs", "test_error_pages.py", "test_kept.py", "test_kinds.py"}
