"""What users call; `import adjointgen` loads it lazily, one name at a time."""
