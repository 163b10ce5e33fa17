"""Python to IR: names resolved, containers and views lowered, early exits normalised."""
