"""Paths of a round base over the open table."""
