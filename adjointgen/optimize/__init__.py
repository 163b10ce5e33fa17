"""Rewrites that leave every number as it is: algebra, common subexpressions, dead code, loops."""
