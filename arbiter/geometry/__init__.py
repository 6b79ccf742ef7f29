"""Exact geometry of boards: hexes in integers."""
