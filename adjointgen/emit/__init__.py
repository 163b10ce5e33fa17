"""IR to Python source: names, folding, statements and layout; it knows nothing of derivatives."""

PRANGE = "prange"
"""What a loop in threads goes over."""
