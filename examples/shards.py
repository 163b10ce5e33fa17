"""The gradient of a loss over shards of data, by processes: one of them dies, and nothing is lost.

The workers import logistic_ad.py, which is generated and needs nothing but NumPy. Partial sums are
added in a tree whose shape follows from the number of shards alone, so that the gradient is the
same to the last bit whoever computed which shard, and when.
"""

from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import numpy as np
from logistic_ad import loss_adjoint


def shards_of(features, labels, count):
    """Rows of the data, in as many parts."""
    return list(zip(np.array_split(features, count), np.array_split(labels, count), strict=True))


def part(weights, bias, shard, total):
    """What a shard adds to the mean loss and to its gradient."""
    features, labels = shard
    share = len(labels) / total
    value, weights_bar, bias_bar = loss_adjoint(
        weights, bias, features, labels, 0.0, result_bar=share
    )
    return value * share, weights_bar, bias_bar


def added(parts):
    """The sum of all parts, pair by pair."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        odd = parts[-1:] if len(parts) % 2 else []
        parts = [tuple(a + b for a, b in zip(*pair, strict=True)) for pair in pairs] + odd
    return parts[0]


def gradient(weights, bias, shards, workers=2, work=part, attempts=3):
    """The loss and its gradient; the shards of a worker that died are computed again.

    `work` is what a worker does with a shard. Raises BrokenProcessPool if a process died in the
    last of the attempts, too.
    """
    total = sum(len(labels) for _, labels in shards)
    done = {}
    for attempt in range(attempts):
        missing = [k for k in range(len(shards)) if k not in done]
        if not missing:
            break
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            waiting = {pool.submit(work, weights, bias, shards[k], total): k for k in missing}
            for future in as_completed(waiting):
                try:
                    done[waiting[future]] = future.result()
                except BrokenProcessPool:
                    if attempt == attempts - 1:
                        raise
    return added([done[k] for k in range(len(shards))])


def main():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(4000, 5))
    labels = (features @ np.arange(5.0) + rng.normal(size=4000) > 0.0).astype(float)
    weights, bias = np.zeros(5), 0.0
    shards = shards_of(features, labels, 8)
    for step in range(3):
        value, weights_bar, bias_bar = gradient(weights, bias, shards)
        print(f"step {step}: loss {value:.6f}")
        weights, bias = weights - weights_bar, bias - bias_bar


if __name__ == "__main__":
    main()
