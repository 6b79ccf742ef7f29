"""Jobs: what they compute, how they are stored and cut into chunks."""
