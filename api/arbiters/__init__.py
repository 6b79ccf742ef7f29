"""Where each game is decided: in this process or by a service of its own."""
