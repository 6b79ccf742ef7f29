"""Looking rules up in players' words: the questions, the ranking, and the card that answers."""
