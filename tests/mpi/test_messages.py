"""Programs of several ranks have the derivatives of one process; a deadlock is a failure."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from adjointgen import generate, grad, value_and_grad
from adjointgen.errors import AdjointgenError
from tests.mpi import kinds, programs

ROOT = Path(__file__).parents[2]
MPIEXEC = Path(sys.executable).with_name("mpiexec")
KINDS = [name.removeprefix("whole_") for name in vars(kinds) if name.startswith("whole_")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("ranks", [2, 4, 1])
def test_ranks_together_have_the_derivative(ranks: int) -> None:
    """All programs in one run of so many ranks: to start one takes longer than a program does."""
    names = ["heat", "particles", "modes", *KINDS]
    errors = of_ranks(ranks, "programs", *names)
    assert {key.partition(" of ")[2] for key in errors} == {*names}
    assert max(errors.values()) < 1e-12, errors


@pytest.mark.sampled(3)
@pytest.mark.parametrize("first", [0, 4, 8])
def test_random_programs_have_the_derivative(first: int, tmp_path: Path) -> None:
    errors = of_ranks(3, "random_programs", str(tmp_path), str(first), str(first + 4))
    assert max(errors.values()) < 1e-12, errors


def of_ranks(ranks: int, module: str, *words: str) -> dict[str, float]:
    """What a program of so many ranks prints."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "ADJOINTGEN_CACHE": "off"}
    done = subprocess.run(
        [MPIEXEC, "-n", str(ranks), sys.executable, "-m", f"tests.mpi.{module}", *words],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, float] = json.loads(done.stdout)
    return found


def test_a_message_stands_where_it_stood() -> None:
    example = np.ones(6), 0.2, 2, MPI.COMM_SELF
    made = generate(programs.heat, wrt="u", modes="adjoint", example=example)
    names = [f"_mpi_{name}(comm, " for name in ("send", "receive", "send", "receive")]
    places = [made.source.index(name) for name in names[:2]]
    places += [made.source.index(name, places[1] + 1) for name in names[2:]]
    assert places == sorted(places)
    assert "MPI.PROC_NULL" in made.source


def largest(x, comm):
    return comm.allreduce(np.sum(x), op=MPI.MAX)


def narrow(x, comm):
    held = np.zeros(3, np.float32)
    comm.Sendrecv(x, 0, 0, held, 0, 0)
    return np.sum(held)


def whole(x, comm):
    held = np.zeros(3, np.complex128)
    comm.Recv(held, source=0)
    return np.sum(np.abs(held) * x)


def scanned(x, comm):
    held = np.zeros(3)
    comm.Scan(np.ones(3), held)
    return np.sum(held * x)


def listed(x, comm):
    return np.sum(np.array(comm.allgather(x)))


def in_place(x, comm):
    held = np.ones(3)
    comm.Allreduce(MPI.IN_PLACE, held)
    return np.sum(held * x)


def persistent(x, comm):
    held = np.zeros(3)
    request = comm.Recv_init(held, source=0)
    request.Start()
    request.Wait()
    return np.sum(held * x)


def forgotten(x, comm):
    held = np.zeros(3)
    comm.Irecv(held, source=0, tag=0)
    return np.sum(held * x)


def overwritten(x, comm):
    held = np.zeros(3)
    request = comm.Irecv(held, source=0, tag=0)
    held[0] = 1.0
    request.Wait()
    return np.sum(held * x)


def read_too_early(x, comm):
    held = np.zeros(3)
    requests = [comm.Irecv(held[:1], source=0, tag=0)]
    total = np.sum(held * x)
    MPI.Request.Waitall(requests)
    return total + held[0]


def on_one_path(x, comm):
    held = np.zeros(3)
    request = comm.Irecv(held, source=0, tag=0)
    if comm.rank > 0:
        request.Wait()
    return np.sum(held * x)


def twice(x, comm):
    held = np.zeros(3)
    request = comm.Irecv(held, source=0, tag=0)
    request.Wait()
    request.Wait()
    return np.sum(held * x)


def out_of_order(x, comm):
    here, there = np.zeros(3), np.zeros(3)
    first = comm.Irecv(here, source=0, tag=comm.size)
    second = comm.Irecv(there, source=comm.rank, tag=0)
    second.Wait()
    first.Wait()
    return np.sum(here * there * x)


def in_between(x, comm):
    here, there = np.zeros(3), np.zeros(3)
    request = comm.Irecv(here, source=0, tag=3)
    for _ in range(2):
        comm.Recv(there, source=0, tag=3)
    request.Wait()
    return np.sum(here * there * x)


def count_in_between(x, comm):
    here, count = np.zeros(3), np.zeros(1, np.int64)
    request = comm.Irecv(here, source=0, tag=3)
    comm.Recv(count, source=0, tag=4)
    request.Wait()
    return np.sum(here * x) * count[0]


def polled(x, comm):
    held = np.zeros(3)
    request = comm.Irecv(held, source=0, tag=0)
    while not request.Test():
        pass
    return np.sum(held * x)


def some(x, comm):
    held = np.zeros(3)
    requests = [comm.Irecv(held, source=0, tag=0)]
    MPI.Request.Waitany(requests)
    return np.sum(held * x)


def handed_out(x, comm):
    held = np.zeros(3)
    return np.sum(held * x), comm.Irecv(held, source=0, tag=0)


def many(x, comm):
    held, requests = np.zeros((comm.size, 3)), []
    for k in range(comm.size):
        requests.append(comm.Irecv(held[k], source=k, tag=0))
    MPI.Request.Waitall(requests)
    return np.sum(held @ x)


OTHERS = [largest, narrow, whole, scanned, listed, in_place, persistent]
WAITS = [
    forgotten,
    overwritten,
    read_too_early,
    on_one_path,
    twice,
    out_of_order,
    in_between,
    count_in_between,
]


@pytest.mark.parametrize("f", OTHERS + WAITS)
def test_other_messages_are_refused(f: object) -> None:
    """Also where they fill a buffer with what another process may differentiate."""
    with pytest.raises(AdjointgenError) as caught:
        grad(f)(np.ones(3), MPI.COMM_SELF)
    assert caught.value.code == "AG201"


@pytest.mark.parametrize("f", [polled, some, handed_out, many])
def test_requests_that_are_used_otherwise_are_refused(f: object) -> None:
    with pytest.raises(AdjointgenError) as caught:
        grad(f)(np.ones(3), MPI.COMM_SELF)
    assert caught.value.code in ("AG102", "AG106", "AG201")


def again(x, comm, n):
    comm.Send(x, dest=0)
    return x[0] if n == 0 else x[0] + again(x * 2.0, comm, n - 1)


def test_a_recursive_function_that_sends_is_refused() -> None:
    with pytest.raises(AdjointgenError, match="calls itself"):
        grad(again)(np.ones(3), MPI.COMM_SELF, 3)


def repeated(x, comm):
    for _ in range(4):  # adjointgen: checkpoint(log)
        x = np.sin(x)
        comm.Sendrecv(x[:1], 0, 0, x[1:2], 0, 0)
    return np.sum(x)


def test_steps_that_are_run_again_send_no_messages() -> None:
    with pytest.raises(AdjointgenError) as caught:
        grad(repeated, checkpoint="log")(np.ones(3), MPI.COMM_SELF)
    assert caught.value.code == "AG122"


def from_anyone(x, comm):
    held = np.zeros(3)
    comm.Recv(held, MPI.ANY_SOURCE, 0)
    return np.sum(held * x)


def test_a_message_from_anyone_is_refused_when_it_is_received() -> None:
    with pytest.raises(ValueError, match="one source and one tag"):
        value_and_grad(from_anyone)(np.ones(3), MPI.COMM_SELF)


TEXT = """
import numpy as np
from mpi4py import MPI


def f(x: float, comm{annotation}):
    held = np.zeros(3)
    comm.Recv(held, source=0, tag=0)
    return np.sum(held) * x
"""


@pytest.mark.parametrize("annotation", [": MPI.Comm", ": MPI.Intracomm", ": 'MPI.Cartcomm'"])
def test_an_annotation_says_that_this_is_a_communicator(tmp_path: Path, annotation: str) -> None:
    file = tmp_path / "model.py"
    file.write_text(TEXT.format(annotation=annotation), "utf-8")
    made = generate(f"{file}::f", wrt="x", modes="adjoint")
    assert "_mpi_receive(comm, held, 0, 0)" in made.source
    assert "_mpi_send(comm, held_bar, 0, 0)" in made.source


def test_without_one_the_type_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(TEXT.format(annotation=""), "utf-8")
    with pytest.raises(AdjointgenError, match=r"or as MPI\.Comm") as caught:
        generate(f"{file}::f", wrt="x")
    assert caught.value.code == "AG412"
    with pytest.raises(AdjointgenError, match="annotate the communicator") as caught:
        generate(f"{file}::f", wrt="x", types={"comm": "object"})
    assert caught.value.code == "AG201"


def own_rank(x):
    total = 0.0
    if RANK == 0:
        total = np.sum(x**2)
    return programs.comm.allreduce(total)


RANK = 1


def counted(x, comm):
    mean = comm.allreduce(np.sum(x)) / comm.allreduce(len(x))
    return np.sum((x - mean) ** 2)


def test_a_sum_of_integers_has_no_adjoint() -> None:
    made = generate(counted, wrt="x", modes="adjoint", example=(np.ones(3), MPI.COMM_SELF))
    assert made.source.count("_mpi_sum(comm, ") == 3


def test_a_message_of_a_constant_is_answered() -> None:
    """Where a rank is a constant, another rank may send what is differentiated."""
    made = generate(own_rank, wrt="x", modes="adjoint", example=(np.ones(3),))
    assert made.source.count("_mpi_sum(comm, result_bar)") == 1


@pytest.mark.parametrize("f", [programs.heat, kinds.halo])
def test_the_page_shows_the_program(f: object) -> None:
    page = (ROOT / "docs" / "parallel.md").read_text("utf-8")
    shown = page[page.index(f"def {f.__name__}(") :]
    own = inspect.getsource(f).splitlines()
    doc = '"""' in shown[: shown.index("```")]
    lines = [line for line in own if doc or '"""' not in line]
    assert shown[: shown.index("```")].splitlines() == lines


def test_a_message_is_of_arrays_in_the_order_of_c() -> None:
    """Nothing is sent: a message is memory, which lies otherwise in another order."""

    def f(x: Any, comm: Any) -> Any:
        y = np.zeros((2, 3))
        comm.Allreduce(x, y)
        return np.sum(y * y)

    with pytest.raises(ValueError, match="in the order of C"):
        grad(f, "x")(np.ones((2, 3), order="F"), MPI.COMM_WORLD)
