"""The gradient of a loss over shards of data, by a cluster of Dask's: see shards.py."""

from shards import added, part


def gradient(client, weights, bias, shards, work=part):
    """The loss and its gradient; what a worker has lost, the scheduler has computed again."""
    total = sum(len(labels) for _, labels in shards)
    tree = [client.submit(work, weights, bias, shard, total) for shard in shards]
    while len(tree) > 1:
        pairs = zip(tree[::2], tree[1::2], strict=False)
        odd = tree[-1:] if len(tree) % 2 else []
        tree = [client.submit(added, [a, b]) for a, b in pairs] + odd
    return tree[0].result()
