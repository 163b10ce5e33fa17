"""What is asked for: options as frozen data, from the command line and from pyproject.toml."""
