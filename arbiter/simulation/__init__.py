"""Many games of one question: playing them in bulk, counting, and statistics."""
