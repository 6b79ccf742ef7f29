"""Upkeep: what keeps the project fit to be used by others, and is no part of the service."""
