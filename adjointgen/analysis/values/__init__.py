"""Facts about values: liveness, storage classes, symbolic lengths, affine forms."""
