"""Where each game is decided: in this process or by a separate service."""
