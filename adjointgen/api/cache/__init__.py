"""Programs and compiled code on disk: fingerprints, trust in files, stale entries."""
