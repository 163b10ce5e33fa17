"""Seeds of tangents and adjoints: their structure, and the checks of those of a call."""
