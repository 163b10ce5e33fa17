"""From values to storage: where a program in place needs copies, and which pieces may be reused."""
