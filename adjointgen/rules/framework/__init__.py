"""How rows are declared and applied: the table, type rules, builders, composed rules."""
