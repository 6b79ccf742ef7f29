"""The cost of a request, and the quota of a caller."""
