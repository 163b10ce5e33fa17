"""Arguments of calls: binding to parameters, structures and their layout."""
