"""What a call costs, and how much a caller may spend."""
