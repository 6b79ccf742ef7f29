"""Callbacks: which addresses may be called, and how messages are sent."""
