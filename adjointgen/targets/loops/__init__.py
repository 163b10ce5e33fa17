"""Array statements as fused loop nests over numbers, for programs that are compiled."""
