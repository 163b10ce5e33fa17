"""Numbers against numbers: derivatives tested by differences, transposition and Taylor slopes."""
