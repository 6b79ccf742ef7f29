"""Entity tags, conditional requests and stored rulings."""
