"""The cost model of the passes: every threshold, with its unit.

*flops* count scalar additions in compiled code, the unit of `Row.cost`; other thresholds count
statements, iterations or entries. A threshold decides what a program looks like, never its numbers.
"""

from __future__ import annotations

from typing import Final

# Recording and computing again.
LENGTH_STEPS: Final = 6
"""Statements between an array that is there and one whose length is asked for."""
CHEAPEST: Final = 0.25
"""Flops that even the cheapest operation counts, so that chains of them end."""
RECOMPUTED_NUMBER: Final = 4.0
"""Flops up to which a number is computed again, not recorded; so is an array that follows from one
that is restored, and in memory anyway."""
RECOMPUTED_ARRAY: Final = 1.0
"""Flops per entry up to which an array is computed again."""
RECORDED_FROM: Final = 100.0
"""Flops from which a value is recorded, though it could be had again."""
RECORDED_NUMBER: Final = 6.0
"""Flops that the record of a number is worth, with the statements that make, fill and read it."""
RECORDED_ARRAY: Final = 6.0
"""Flops per entry that the record of an array is worth."""
AGAIN_AT_LEAST: Final = 1.0
"""Flops that computing a value again counts in each iteration, cheap as it may be."""
AGAIN_PRODUCT: Final = 3.0
"""Flops per entry that a product of two matrices counts: less than the record of an array, so that
one is computed again from two that are there, and a chain of them is not."""
NEVER: Final = 1e6
"""Flops that stand for what is out of the question."""
CUT_VALUES: Final = 400
"""Values up to which the least is looked for of what they cost together."""
CUT_MARGIN: Final = 4.0
"""Flops by which that has to be less than what is decided value by value."""
NAME_COST: Final = 3.0
"""Flops that a name is worth: what costs less is computed twice."""

# Loops and products of matrices.
QUESTION_FROM: Final = 10.0
"""Flops from which the program asks whether a loop runs, to move something before it."""
SLICE_FROM: Final = 8
"""Iterations, where their number is known, from which a slice is worth it."""
MATMUL_FROM: Final = 64
"""Entries of a matrix up to which products with one line at a time are as fast."""
MATMUL_MEMORY: Final = 8
"""How many times as long as its lines a product may be."""
OUTER_SUM_FROM: Final = 64
"""Entries of a sum of outer products up to which it is added to in the loop."""
INLINED: Final = 60
"""Statements that calls may add to a program that is compiled."""

# Loop nests for compilers.
DELAYED_ALWAYS: Final = 2.0
"""Flops per entry up to which an array is computed by each nest that reads it."""
DELAYED_ONCE: Final = 12.0
"""Flops per entry up to which an array is computed wherever one nest reads it."""
SPREAD_READS: Final = 8
"""Reads that an entry counts for what has more axes than its array."""
COPIED_FACTOR: Final = 24
"""Rows and columns up to which a matrix is copied to be multiplied by."""
CONTRACTED_IN_LOOPS: Final = 128
"""Products of numbers up to which a contraction is loops."""
MASKED_ANYWAY: Final = 4.0
"""Flops up to which a value is computed for all entries of a mask."""
SUMS_AT_ONCE: Final = 4
"""Numbers that are added to side by side."""
BLOCKED_FROM: Final = 16
"""Products in a sum from which rows and columns are taken at once."""
ENTRIES_LOOKED_AT: Final = 64
"""Entries per direction that are looked at for zeros."""
INSIDE_DIRECTIONS: Final = 16
"""Iterations up to which a loop is put into the loop over the directions."""
PAIRS_COMPARED: Final = 16
"""Pairs of arrays that a compiler compares before it takes iterations together."""
IN_VAIN: Final = 4
"""Operations that may be computed in vain to make a choice of a branch."""
UNROLLED: Final = 4
"""Iterations up to which a loop is written out."""
UNROLLED_IN_ALL: Final = 16
"""Iterations, of loops in each other, up to which they are written out."""
THREADS_FROM: Final = 8
"""Iterations up to which threads are not worth it."""

# How far passes look, so that time stays linear.
FORWARDED_READS: Final = 16
"""Reads of one version of an array that are followed."""
LENGTH_DEPTH: Final = 40
"""Steps that a length is followed; beyond, an axis is its own."""
PRODUCT_WINDOW: Final = 32
"""Statements before a product that are looked at for one that serves again."""
ACCUMULATION_WINDOW: Final = 8
"""Writes before an accumulation, and products in a sum, that are looked at."""
SUM_WINDOW: Final = 8
"""Terms back in a sum that are looked at."""
SINKING_WINDOW: Final = 40
"""Statements after a branch that are looked at."""
STORE_READERS: Final = 24
"""Readers of one array that are looked at."""
HOISTING_WRITES: Final = 4
"""Writes to an array before a loop that are looked through."""
PLACES_APART: Final = 64
"""Places that are told apart by numbers."""
FUSION_WINDOW: Final = 40
"""Statements before a loop that are looked through for one to join."""
EXPRESSION_LENGTH: Final = 48
"""Operations in one printed expression."""
SUM_LENGTH: Final = 16
"""Operations in a sum of derivatives that is printed as one expression."""
CONDITIONAL_LENGTH: Final = 16
"""Operations in a printed expression with a choice."""
