"""Rulings for tabletop skirmish games: the kernel that all games share; it knows no HTTP, queue, clock or network."""
