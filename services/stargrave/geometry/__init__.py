"""What the table shows: ways and what they lead over, room for bases, views and cover. No rules stand here."""
