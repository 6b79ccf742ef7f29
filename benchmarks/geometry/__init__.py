"""Geometry beside scipy and others."""
