"""Rules looked up as players ask: what players say, the ranking, and the card that answers."""
