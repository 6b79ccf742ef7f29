"""The questions of the arbiter: one Case and one Answer for each, a file per chapter."""
