"""One run of a function at its arguments, of which is noted what was reached."""
