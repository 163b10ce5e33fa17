"""Long loops in little memory: time and memory of schedules, beside JAX and PyTorch.

    python -m tests.benchmarks.checkpoints [STEPS [LENGTH]]

A loop of STEPS nonlinear steps of a state of LENGTH doubles, each way in a process of its own: the
time of a gradient over that of the loop alone by the same means, and what the gradient adds to the
most memory that the process had. Ways that are not installed are left out.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

OURS = ("all states", "log", "binomial, snapshots=12", "periodic, period=100", 'memory="1 MB"')
Pair = tuple[Callable[[], Any], Callable[[], Any]]


def heat(u0: Any, k: float, steps: int) -> Any:
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += k * np.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u @ u


def numpy_pair(schedule: str, u0: Any, steps: int) -> Pair:
    from adjointgen import grad

    kept = "" if schedule == "all states" else schedule
    gradient = grad(heat, checkpoint=kept)
    # What generates is loaded before memory is measured.
    gradient(u0, 0.1, 2)
    return lambda: heat(u0, 0.1, steps), lambda: gradient(u0, 0.1, steps)


def jax_pair(segments: int, u0: Any, steps: int) -> Pair:
    """`jax.checkpoint` of as many scans, one after another; of single steps where it is one."""
    import jax

    jax.config.update("jax_enable_x64", True)

    def step(u: Any, _: Any) -> Any:
        return u.at[1:-1].add(0.1 * jax.numpy.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])), None

    def segment(u: Any, _: Any) -> Any:
        return jax.lax.scan(step, u, None, length=steps // segments)[0], None

    def run(u: Any) -> Any:
        body = jax.checkpoint(segment if segments > 1 else step)
        end = jax.lax.scan(body, u, None, length=segments if segments > 1 else steps)[0]
        return end @ end

    value, gradient, u = jax.jit(run), jax.jit(jax.grad(run)), jax.numpy.asarray(u0)
    return lambda: value(u).block_until_ready(), lambda: gradient(u).block_until_ready()


def torch_pair(segments: int, u0: Any, steps: int) -> Pair:
    """`torch.utils.checkpoint` of as many segments."""
    import torch
    from torch.utils.checkpoint import checkpoint

    def run(u: Any, count: int) -> Any:
        for _ in range(count):
            inside = u[1:-1] + 0.1 * torch.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])
            u = torch.cat([u[:1], inside, u[-1:]])
        return u

    def value() -> Any:
        with torch.no_grad():
            end = run(torch.from_numpy(u0), steps)
            return end @ end

    def gradient() -> Any:
        start = torch.from_numpy(u0).clone().requires_grad_()
        u = start
        for _ in range(segments):
            part = u, steps // segments
            u = checkpoint(run, *part, use_reentrant=False) if segments > 1 else run(*part)
        (u @ u).backward()
        return start.grad

    return value, gradient


def ways(steps: int) -> Iterator[tuple[str, Callable[[Any], Pair]]]:
    root = max(d for d in range(1, math.isqrt(steps) + 1) if steps % d == 0)
    for schedule in OURS:
        yield f"adjointgen, {schedule}", lambda u, s=schedule: numpy_pair(s, u, steps)
    for segments in (1, root):
        said = f"{segments} segments" if segments > 1 else "all states"
        yield f"JAX, {said}", lambda u, n=segments: jax_pair(n, u, steps)
        yield f"PyTorch, {said}", lambda u, n=segments: torch_pair(n, u, steps)


def measured(name: str, steps: int, length: int) -> dict[str, Any]:
    """Seconds of the loop and of its gradient, megabytes, and a number that tells the gradient."""
    u0 = np.sin(np.linspace(0.0, 3.0, length))
    value, gradient = dict(ways(steps))[name](u0)
    value()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bar = np.asarray(gradient())
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "loop": least(value),
        "gradient": least(gradient),
        "megabytes": more / 1024,
        "sum": float(np.sum(bar * u0)),
    }


def least(run: Callable[[], Any], times: int = 3) -> float:
    found = []
    for _ in range(times):
        before = time.perf_counter()
        run()
        found.append(time.perf_counter() - before)
    return min(found)


def main(steps: int = 10_000, length: int = 1_000) -> None:
    print(f"{steps} steps of {length} doubles: {8e-6 * steps * length:.0f} MB of states")
    print(f"{'':40}{'gradient / loop':>16}{'loop, s':>10}{'more memory, MB':>17}{'sum':>22}")
    for name, _ in ways(steps):
        command = [sys.executable, "-m", __spec__.name, name, str(steps), str(length)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{name:40}{done.stderr.strip().splitlines()[-1]}")
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        ratio = row["gradient"] / row["loop"]
        print(
            f"{name:40}{ratio:16.1f}{row['loop']:10.3f}{row['megabytes']:17.1f}{row['sum']:22.12f}"
        )


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].isdigit():
        print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
    else:
        main(*map(int, sys.argv[1:]))
