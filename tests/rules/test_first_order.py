"""Where there is no second derivative, the first reads an operation that the table refuses."""

from adjointgen.ir.nodes import Apply
from adjointgen.rules.all import TABLE
from tests.rules.first_order import ONCE
from tests.rules.test_table import EXAMPLES, Example, Program, of_each_operation


@of_each_operation(e for e in EXAMPLES if e.op in ONCE)
def test_the_derivative_reads_what_is_refused(example: Example) -> None:
    made = Program(example, "symbolic").builder.stmts
    assert any(isinstance(s, Apply) and TABLE[s.op].kind == "refuse" for s in made)
