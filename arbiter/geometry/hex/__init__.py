"""Boards of hexes."""
