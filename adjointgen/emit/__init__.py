"""IR to Python source: names, folding, statements and layout; it knows nothing of derivatives."""
