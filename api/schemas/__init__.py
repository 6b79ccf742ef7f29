"""What travels: request bodies, headers, queries and responses."""
