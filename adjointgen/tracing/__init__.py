"""The executed graph of one call: its records, their derivatives, drawings and program.

`trace` runs a function on stand-ins for its numbers and arrays. Each operation adds a record. The
reverse sweep reads the records alone, with derivatives of operations that are stated here again: no
part of the transforms is used, so that the two can be held against each other.
"""
