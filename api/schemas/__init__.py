"""Request and response formats: bodies, headers, queries and responses."""
