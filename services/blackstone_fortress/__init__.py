"""Blackstone Fortress: combat on hexes, explorers against the hostiles that the dice steer."""
