"""A function of NumPy as a function of JAX, whose reverse rule is a generated adjoint."""

import jax
import numpy as np

from adjointgen import vjp


def as_jax(f, like):
    """`f`, of arrays and numbers, under `jit`, `grad` and `vmap`.

    `like` is a `jax.ShapeDtypeStruct` of the result, which JAX has to know before `f` runs.
    """

    def value(*args):
        return np.asarray(f(*map(array_of, args)), like.dtype)

    def pulled(y_bar, *args):
        bars = vjp(f, *map(array_of, args))[1](array_of(y_bar))
        return tuple(np.asarray(bar, arg.dtype) for bar, arg in zip(bars, args))

    @jax.custom_vjp
    def call(*args):
        return jax.pure_callback(value, like, *args, vmap_method="sequential")

    def forward(*args):
        return call(*args), args

    def backward(args, y_bar):
        likes = tuple(jax.ShapeDtypeStruct(arg.shape, arg.dtype) for arg in args)
        return jax.pure_callback(
            pulled, likes, y_bar, *args, vmap_method="sequential"
        )

    call.defvjp(forward, backward)
    return call


def array_of(value):
    """An array of NumPy; a number for one without axes."""
    return np.asarray(value)[()]
