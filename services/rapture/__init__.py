"""Rapture: a tiny invented game, whole in one folder; a new game begins as a copy of it."""
