"""The tables of local rewrites that `optimize/simplify.py` applies to a fixpoint."""
