"""Closed forms of this game's dice, each held to the walked law by a test."""
