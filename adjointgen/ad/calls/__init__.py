"""Derivatives of calls: functions of the program, solvers, equations and integrals."""
