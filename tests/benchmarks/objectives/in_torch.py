"""The objectives in PyTorch, vectorised, on double-precision tensors made beforehand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.benchmarks.kernels.kernel import Arguments
from tests.benchmarks.objectives.gmm import constant
from tests.benchmarks.objectives.hand import BONES, FINGERS, JOINTS
from tests.benchmarks.objectives.objective import Objective
from tests.benchmarks.timing import Run


def gmm(alphas, means, factors, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    rows, columns = torch.tril_indices(d, d, -1)
    lower = torch.zeros((k, d, d), dtype=x.dtype)
    lower[:, rows, columns] = factors[:, d:]
    diagonal, sums = torch.exp(factors[:, :d]), torch.sum(factors[:, :d], dim=1)
    centred = x[None] - means[:, None]
    y = centred * diagonal[:, None] + torch.bmm(centred, lower.transpose(1, 2))
    terms = (alphas + sums)[:, None] - 0.5 * torch.sum(y * y, dim=2)
    squares = torch.sum(diagonal * diagonal) + torch.sum(factors[:, d:] ** 2)
    prior = 0.5 * gamma * gamma * squares - m * torch.sum(sums)
    total = torch.sum(torch.logsumexp(terms, 0)) - n * torch.logsumexp(alphas, 0)
    return total + prior + constant(n, d, k, gamma, m)


def residuals(cameras, points, weights, seen):
    turn, offset = cameras[:, :3], points - cameras[:, 3:6]
    angle = torch.sqrt(torch.sum(turn * turn, 1, keepdim=True))
    axis = turn / angle
    c, s = torch.cos(angle), torch.sin(angle)
    along = torch.sum(axis * offset, 1, keepdim=True) * (1.0 - c)
    view = offset * c + torch.linalg.cross(axis, offset) * s + axis * along
    flat = view[:, :2] / view[:, 2:]
    r2 = torch.sum(flat * flat, 1, keepdim=True)
    bent = flat * (1.0 + cameras[:, 9:10] * r2 + cameras[:, 10:11] * r2 * r2)
    return weights[:, None] * (bent * cameras[:, 6:7] + cameras[:, 7:9] - seen)


def lstm(weights, biases, extra, state, sequence):
    count, width = sequence.shape
    layers = list(zip(weights, biases, strict=True))
    held = list(state.reshape(-1, 2, width))
    total = torch.zeros((), dtype=state.dtype)
    for t in range(count - 1):
        x = sequence[t] * extra[0]
        for i, (w, b) in enumerate(layers):
            hidden, cell = held[i]
            forget = torch.sigmoid(x * w[0] + b[0])
            enter = torch.sigmoid(hidden * w[1] + b[1])
            leave = torch.sigmoid(x * w[2] + b[2])
            cell = cell * forget + enter * torch.tanh(hidden * w[3] + b[3])
            x = leave * torch.tanh(cell)
            held[i] = (x, cell)
        guess = x * extra[1] + extra[2]
        guess = guess - torch.log(torch.sum(torch.exp(guess)) + 2.0)
        total = total + torch.sum(sequence[t + 1] * guess)
    return -total / (width * (count - 1))


def _rotation(turn):
    angle = torch.sqrt(torch.sum(turn * turn))
    x, y, z = turn / angle
    o = torch.zeros_like(x)
    cross = torch.stack((o, -z, y, z, o, -x, -y, x, o)).reshape(3, 3)
    eye = torch.eye(3, dtype=turn.dtype)
    return eye + torch.sin(angle) * cross + (1.0 - torch.cos(angle)) * cross @ cross


def hand(pose, rest, parents, inverses, skin, vertices, nearest, measured):
    o, i = torch.zeros_like(pose[0]), torch.ones_like(pose[0])
    x, z = [o] * BONES, [o] * BONES
    for f in range(FINGERS):
        bone, first = 2 + JOINTS * f, 6 + 4 * f
        z[bone], x[bone] = pose[first], pose[first + 1]
        x[bone + 1], x[bone + 2] = pose[first + 2], pose[first + 3]
    xs, zs = torch.stack(x), torch.stack(z)
    o, i = o.expand(BONES), i.expand(BONES)
    cx, sx, cz, sz = torch.cos(xs), torch.sin(xs), torch.cos(zs), torch.sin(zs)
    turn = (cz, -sz * cx, sz * sx, o, sz, cz * cx, -cz * sx, o, o, sx, cx, o, o, o, o, i)
    local = rest @ torch.stack(turn, 1).reshape(BONES, 4, 4)
    frames: list[Any] = []
    for b in range(BONES):
        frames.append(local[b] if parents[b] < 0 else frames[parents[b]] @ local[b])
    moved = torch.stack(frames) @ inverses
    places = torch.sum(skin[:, None] * (moved[:, :3] @ vertices), 0)
    world = _rotation(pose[:3]) @ places[:, nearest] + pose[3:6, None]
    return measured - world.T


def prepared(objective: Objective) -> Callable[[Arguments], Run]:
    """Calls of the derivative, on tensors made beforehand."""
    torch.set_num_threads(1)

    def prepare(arguments: Arguments) -> Run:
        tensors = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
        for tensor in tensors[: objective.count]:
            tensor.requires_grad_()
        match objective.name:
            case "bundle adjustment":
                return lambda: _blocks(tensors)
            case "hand tracking":
                tensors[2] = arguments[2].tolist()
                jacobian = torch.func.jacfwd(hand)
                return lambda: jacobian(*tensors).detach()
            case name:
                function = {"Gaussian mixture": gmm, "LSTM": lstm}[name]
                return lambda: _gradients(function, tensors, objective.count)

    return prepare


def _gradients(function: Callable[..., Any], tensors: list[Any], count: int) -> Any:
    value = function(*tensors)
    return value.detach(), torch.autograd.grad(value, tensors[:count])


def _blocks(tensors: list[Any]) -> Any:
    """Rows depend on their own rows only: one reverse sweep gives one row of all blocks."""
    found = residuals(*tensors)
    return [
        torch.autograd.grad(found[:, k].sum(), tensors[:3], retain_graph=k == 0) for k in range(2)
    ]
