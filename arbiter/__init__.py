"""Rulings for tabletop skirmish games: the kernel every game shares; it knows no HTTP, queue, clock or network."""
