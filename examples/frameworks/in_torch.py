"""A function of NumPy as a function of PyTorch, whose backward pass is a generated adjoint."""

import torch
from torch.autograd.function import once_differentiable

from adjointgen import vjp


def as_torch(f):
    """`f`, of arrays and numbers, for tensors. Second derivatives are refused."""

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            y, ctx.pullback = vjp(f, *map(array_of, tensors))
            return torch.as_tensor(y)

        @staticmethod
        @once_differentiable
        def backward(ctx, y_bar):
            return tuple(map(torch.as_tensor, ctx.pullback(array_of(y_bar))))

    return Function.apply


def array_of(tensor):
    """The array of a tensor; a number for one without axes."""
    return tensor.detach().cpu().numpy()[()]
