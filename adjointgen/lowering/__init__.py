"""Array statements as fused loop nests over numbers, for programs that are compiled.

An array that is computed entry by entry need not exist: what reads an entry computes it there
(delayed arrays; Keller, Chakravarty, Leshchinskiy, Peyton Jones and Lippmeier 2010, "Regular,
shape-polymorphic, parallel arrays in Haskell"). All of this has value semantics still, so that
`transform/own.py` decides as ever what is overwritten.
"""
