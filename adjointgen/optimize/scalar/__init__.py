"""Classical optimisations: CSE, DCE, dead stores, loop-invariant code motion, inlining."""
