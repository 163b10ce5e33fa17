"""Programs of several ranks have the derivatives of one process; a deadlock is a failure."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

from adjointgen import generate, grad, value_and_grad
from adjointgen.errors import AdjointgenError
from tests.mpi import programs

ROOT = Path(__file__).parents[2]
MPIEXEC = Path(sys.executable).with_name("mpiexec")


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("name", ["heat", "particles", "modes"])
def test_ranks_together_have_the_derivative(name: str, ranks: int) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "ADJOINTGEN_CACHE": "off"}
    done = subprocess.run(
        [MPIEXEC, "-n", str(ranks), sys.executable, "-m", "tests.mpi.programs", name],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    errors = json.loads(done.stdout)
    assert max(errors.values()) < 1e-12, errors


def test_a_message_stands_where_it_stood() -> None:
    example = np.ones(6), 0.2, 2, MPI.COMM_SELF
    made = generate(programs.heat, wrt="u", modes="adjoint", example=example)
    assert "_mpi_exchange(comm, " in made.source
    assert "MPI.PROC_NULL" in made.source


def send(x, comm):
    comm.send(x[0], dest=0)
    return x[0]


def largest(x, comm):
    return comm.allreduce(np.sum(x), op=MPI.MAX)


def narrow(x, comm):
    held = np.zeros(3, np.float32)
    comm.Sendrecv(x, 0, 0, held, 0, 0)
    return np.sum(held)


def received(x, comm):
    held = np.zeros(3)
    comm.Recv(held, source=0)
    return np.sum(held * x)


def gathered(x, comm):
    held = np.zeros(3)
    comm.Allgather(np.ones(3), held)
    return np.sum(held * x)


@pytest.mark.parametrize("f", [send, largest, narrow, received, gathered])
def test_other_messages_are_refused(f: object) -> None:
    """Also where they fill a buffer with what another process may differentiate."""
    with pytest.raises(AdjointgenError) as caught:
        grad(f)(np.ones(3), MPI.COMM_SELF)
    assert caught.value.code == "AG201"


def from_anyone(x, comm):
    held = np.zeros(3)
    comm.Sendrecv(x, 0, 0, held, MPI.ANY_SOURCE, 0)
    return np.sum(held)


def test_a_message_from_anyone_is_refused_when_it_is_sent() -> None:
    with pytest.raises(ValueError, match="one source and one tag"):
        value_and_grad(from_anyone)(np.ones(3), MPI.COMM_SELF)


def own_rank(x):
    total = 0.0
    if RANK == 0:
        total = np.sum(x**2)
    return programs.comm.allreduce(total)


RANK = 1


def test_a_rank_that_is_a_constant_is_no_reason_to_stay_silent() -> None:
    with pytest.raises(AdjointgenError, match="may be on another rank"):
        grad(own_rank)(np.ones(3))


def test_the_page_shows_the_program() -> None:
    page = (ROOT / "docs" / "parallel.md").read_text("utf-8")
    shown = page[page.index("def heat(") : page.index("```", page.index("def heat("))]
    own = inspect.getsource(programs.heat).splitlines()
    assert shown.splitlines() == [line for line in own if '"""' not in line]
