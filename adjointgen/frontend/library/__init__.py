"""What the front end knows of Python, NumPy and SciPy beyond the rows of the table."""
