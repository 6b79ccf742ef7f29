"""What the arbiter can be asked: one Case and one Answer per question, by chapter."""
