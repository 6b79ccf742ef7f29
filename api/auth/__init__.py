"""Authentication: API keys and callers."""
