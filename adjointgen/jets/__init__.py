"""Taylor mode: the coefficients of a program's results as polynomials of one parameter."""
