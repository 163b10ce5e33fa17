"""The few functions that generated code may need; a generated module has its own copy of them."""
