"""Who calls: API keys and callers."""
