"""From a program to its derivative: forward and reverse mode, and the tape between the sweeps."""
