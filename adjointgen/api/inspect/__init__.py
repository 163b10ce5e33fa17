"""Stages between a function and its derivative, for people."""
