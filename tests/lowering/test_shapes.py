"""The lengths of a value that no statement has stated."""

from adjointgen.ir.nodes import Value
from adjointgen.ir.types import Dim, array
from adjointgen.targets.loops.build.axis_lengths import Shapes


def test_a_length_that_is_not_known_keeps_its_axis() -> None:
    # A parameter of a helper: the last length must not be asked of the second axis.
    value = Value("x", array("float64", 8, None, None, "n"))
    assert Shapes().of(value) == (Dim("", 8), Dim("x:1"), Dim("x:2"), Dim("n"))
