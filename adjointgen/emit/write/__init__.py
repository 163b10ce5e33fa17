"""IR to syntax trees: functions, blocks, assignments, expressions, imports and modules."""
