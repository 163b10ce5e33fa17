"""Facts about derivatives: activity, dependence, zeros by choice, discrete influence."""
