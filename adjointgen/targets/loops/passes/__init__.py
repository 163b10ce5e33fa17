"""Passes on loop nests: fusion, reversal, scalar replacement, if-conversion, parallel loops."""
