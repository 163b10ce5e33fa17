"""Written modules refuse another value of an argument that they were generated for."""

import pytest

from adjointgen import generate

SOURCE = """
def f(x: float, method: str = "cubic", flag: bool = False) -> float:
    if method == "cubic":
        return x**3
    return x * x if flag else x
"""


def test_another_value_of_a_fixed_argument_is_refused(tmp_path):
    (tmp_path / "model.py").write_text(SOURCE)
    made = generate(f"{tmp_path / 'model.py'}::f", wrt="x", constants={"method": "square"})
    namespace = {}
    exec(made.source, namespace)
    f_adjoint = namespace["f_adjoint"]
    assert f_adjoint(3.0) == (3.0, 1.0)
    with pytest.raises(ValueError, match="method='square'"):
        f_adjoint(3.0, "cubic")
