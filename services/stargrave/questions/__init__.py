"""What can be asked of the arbiter: one Case and one Answer for each question, a file per chapter."""
