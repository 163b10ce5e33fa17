"""Sparse Jacobians and Hessians: which entries may differ from zero, and few sweeps for them all.

The pattern is read off the executed graph of one call: every entry has the set of inputs that it
depends on. Columns that share no row are computed by one tangent run, rows that share no column by
one reverse sweep, and one more sweep along a random direction says whether an entry is missing from
the pattern. (Griewank and Walther 2008, chapters 7 and 8.)
"""
