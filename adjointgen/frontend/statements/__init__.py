"""Statements: loops, `try`, `with`, `match`, comprehensions, definitions, imports."""
