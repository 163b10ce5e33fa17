"""What loops run over: index ranges, lazy iterators, generators, objects."""
