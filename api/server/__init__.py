"""How gunicorn serves the gateway."""
