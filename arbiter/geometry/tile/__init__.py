"""Boards of tiles, hexes or squares."""
