"""Jobs: their computation, their storage, and their split into chunks."""
