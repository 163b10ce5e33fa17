"""Random programs in the IR: what is printed computes what the interpreter computes, exactly.

A planted fault in folding, live ranges, webs, names or copies changes a number in some of them.
"""

from typing import Any

import numpy as np
import pytest

from adjointgen.emit.write.module import emit, format
from adjointgen.ir.text import show
from adjointgen.ir.verify import verify
from adjointgen.opt.interpreter import run
from tests.emit.random_ir import random_function


def arguments() -> tuple[Any, ...]:
    return 0.3, -0.7, 1.2, 2, np.array([0.1, 0.2, -0.3, 0.4])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("block", range(10))
def test_text_computes_what_the_program_does(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        function = random_function(seed)
        verify(function)
        text = emit([function])
        environment: dict[str, Any] = {}
        exec(text, environment)
        wanted, found = run(function, *arguments()), environment["f"](*arguments())
        for a, b in zip(wanted, found, strict=True):
            assert np.array_equal(a, b, equal_nan=True), f"seed {seed}\n{show(function)}\n{text}"


def test_formatting_keeps_the_program() -> None:
    for seed in range(10):
        text = emit([random_function(seed)])
        environments: list[dict[str, Any]] = [{}, {}]
        for each, environment in zip((text, format(text)), environments, strict=True):
            exec(each, environment)
        one, other = (environment["f"](*arguments()) for environment in environments)
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
