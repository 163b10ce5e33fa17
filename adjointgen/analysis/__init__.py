"""Facts about programs: frozen results passed to the transforms, never written on nodes."""
