"""The generator: the same for every hash seed, diverse, of readable size, and mostly runnable."""

import ast
import hashlib
import inspect
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from adjointgen.opt.program import FUNCTION, Program, flatten, load, refill
from tests.fuzz import grammar
from tests.fuzz.generator import LINES, draft, generate, judge
from tests.fuzz.oracle import Primal, Rejected, derivative, directions

ROOT = Path(__file__).parents[2]
COUNT = 500
TABLES = (grammar.SCALARS, grammar.ARRAYS, grammar.TESTS, grammar.STATEMENTS)
FINER = """
    annotations arange array_result augmented_*= augmented_+= augmented_-= augmented_/=
    break_in_nested_loop broadcast_length_1 broadcast_row broadcast_scalar column column_part
    comment constant_result default_argument docstring dot_function dot_method early_return
    element element_2d element_chained elif ellipsis else fancy fancy_columns fancy_diagonal
    fancy_distinct fancy_name fancy_repeats fancy_rows flat fn_add fn_arccos fn_arcsin
    fn_arcsinh fn_arctan fn_arctan2 fn_arctanh fn_cbrt fn_cos fn_cosh fn_divide fn_exp fn_expm1
    fn_floor fn_hypot fn_log fn_log10 fn_log1p fn_log2 fn_logaddexp fn_maximum fn_minimum
    fn_multiply fn_negative fn_reciprocal fn_sign fn_sin fn_sinh fn_sqrt fn_square fn_subtract
    fn_tan fn_tanh for_array for_enumerate for_list for_reversed for_rows for_tuple for_zip
    from_math full full_like helper_called_in_loop helper_default helper_early_return
    helper_loop helper_mutate helper_reduce helper_returns_argument helper_scalar helper_vector
    helper_view index_affine index_after_loop index_constant index_floor index_loop
    index_modulo index_negated index_negative index_reversed index_scaled length_1_axis
    linspace list_argument loop_else loop_with_return mask_inverted mask_joined mask_name
    math_function matmul method_reduce module_array module_constant module_tuple
    mutated_argument name_clash nested_loop nested_view newaxis np_function np_reduce ones
    ones_like outer overwritten_argument range_down range_from range_inner range_plain
    range_short range_step range_step_down range_triangular range_zero_trips ravel ravel_copy
    reduce_max reduce_mean reduce_min reduce_prod reduce_sum reshape return_in_loop
    return_in_nested_loop row row_full row_part scalar_first scalar_result several_results
    size_attribute size_int size_len slice slice_2d slice_full slice_negative_step slice_plain
    slice_reversed slice_rows slice_step slice_window some_arguments_fixed stencil_linear
    stencil_nonlinear store_*= store_+= store_-= store_/= store_= store_broadcast
    store_mask_gather sum_of_product transpose unused_argument while_data write_through_view
    zeros zeros_like
"""


@pytest.fixture(scope="module")
def programs() -> list[Program]:
    return [generate(seed) for seed in range(COUNT)]


def digest(count: int) -> str:
    """A hash of everything that a seed decides."""
    drawn = [generate(seed) for seed in range(count)]
    text = repr([(p.source, p.parameters, p.args, p.wrt, p.features) for p in drawn])
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_programs_do_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    command = "from tests.fuzz.test_generator import digest; print(digest(60))"
    there = subprocess.run(
        [sys.executable, "-c", command],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == digest(60)


def test_every_construct_is_drawn(programs: list[Program]) -> None:
    counts = Counter(tag for program in programs for tag in program.features)
    known = {row.tag for table in TABLES for row in table} | set(FINER.split())
    assert sorted(known - set(counts)) == []
    assert sorted(set(counts) - known) == []


def test_nearly_all_first_drafts_run() -> None:
    verdicts = [judge(draft(seed, 0)) for seed in range(COUNT)]
    failed = [v for v in verdicts if isinstance(v, str) and v != "flat"]
    assert len(failed) <= 0.02 * COUNT, Counter(failed)


def test_programs_differ_and_keep_their_size(programs: list[Program]) -> None:
    assert len({program.source for program in programs}) == COUNT
    lengths = []
    for program in programs:
        function = ast.unparse(_function(program))
        lengths.append(len(function.splitlines()) - 1)
    assert min(lengths) >= 1 and max(lengths) <= LINES
    assert 7 <= np.median(lengths) <= 16


def test_what_is_differentiated_is_float_valued(programs: list[Program]) -> None:
    for program in programs:
        names = [a.arg for a in _function(program).args.args]
        assert names == list(program.parameters)
        assert program.wrt and list(program.wrt) == [n for n in names if n in program.wrt]
        for position in program.active:
            assert not isinstance(program.args[position], int)


def test_results_depend_on_the_arguments(programs: list[Program]) -> None:
    flat = [p.seed for p in programs if "flat" in p.features]
    assert len(flat) <= 0.05 * COUNT


def test_the_oracle_skips_few_programs(programs: list[Program]) -> None:
    skipped = []
    for program in programs[:200]:
        try:
            derivative(Primal(program), directions(program, program.seed))
        except Rejected as error:
            skipped.append((program.seed, str(error)))
    assert len(skipped) <= 0.05 * 200, skipped


def test_a_program_is_loaded_with_its_source(programs: list[Program]) -> None:
    program = programs[3]
    function = load(program)
    assert inspect.getsource(function).startswith(f"def {FUNCTION}(")
    assert np.array_equal(flatten(function(*program.fresh_args())), Primal(program).base)


def test_numbers_go_back_to_their_structure() -> None:
    tree = [np.array([[1.0, 2.0], [3.0, 4.0]]), 5.0, [6.0, 7.0]]
    again = refill(tree, 2.0 * flatten(tree))
    assert np.array_equal(flatten(again), 2.0 * np.arange(1.0, 8.0))
    assert again[0].shape == (2, 2) and again[2] == [12.0, 14.0]


def _function(program: Program) -> ast.FunctionDef:
    tree = ast.parse(program.source)
    return next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == FUNCTION)
