"""Trains the network of network.py on three spirals with Adam.

    python train_network.py          the generated module network_ad.py, which needs NumPy alone
    python train_network.py numba    the same module generated for Numba, network_numba_ad.py

Every call of the adjoint gives new arrays, so there are no gradients to set to zero.
"""

import sys
import time
from importlib import import_module

import numpy as np
from network import loss, spirals, start


class Adam:
    """The steps of Kingma and Ba (2015) for a dict of arrays, which are changed in place."""

    def __init__(self, params, rate=0.01, decay=(0.9, 0.999)):
        self.rate, self.decay, self.steps = rate, decay, 0
        self.mean = {name: np.zeros_like(value) for name, value in params.items()}
        self.square = {name: np.zeros_like(value) for name, value in params.items()}

    def step(self, params, bars):
        self.steps += 1
        first, second = self.decay
        rate = self.rate * np.sqrt(1.0 - second**self.steps) / (1.0 - first**self.steps)
        for name, bar in bars.items():
            self.mean[name] += (1.0 - first) * (bar - self.mean[name])
            self.square[name] += (1.0 - second) * (bar * bar - self.square[name])
            params[name] -= rate * self.mean[name] / (np.sqrt(self.square[name]) + 1e-8)


def train(adjoint, params, points, labels, rounds=200):
    """The loss before each round; `adjoint` gives the loss and its gradient."""
    optimiser, losses = Adam(params), []
    for _ in range(rounds):
        value, params_bar = adjoint(params, points, labels)
        losses.append(value)
        optimiser.step(params, params_bar)
    return losses


def main(target="numpy"):
    module = import_module("network_numba_ad" if target == "numba" else "network_ad")
    rng = np.random.default_rng(1)
    points, labels = spirals(rng)
    params = start(rng)
    # The first call compiles, where there is something to compile.
    module.loss_adjoint(params, points, labels)
    before = time.perf_counter()
    losses = train(module.loss_adjoint, params, points, labels)
    seconds = time.perf_counter() - before
    for k in range(0, len(losses), 40):
        print(f"round {k:3d}: loss {losses[k]:.4f}")
    print(f"at last:   loss {loss(params, points, labels):.4f}")
    print(f"{len(losses)} rounds in {seconds:.2f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
