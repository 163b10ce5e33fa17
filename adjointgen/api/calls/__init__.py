"""The calls that users make: gradients, products, Jacobians, and checks."""
