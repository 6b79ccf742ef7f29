"""Signed rulings, and dice that are committed to."""
