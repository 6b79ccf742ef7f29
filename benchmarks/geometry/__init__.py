"""Geometry compared with scipy and others."""
