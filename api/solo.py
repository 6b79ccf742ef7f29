"""One game as a service of its own: `gunicorn 'api.solo:create_solo_app("blackstone-fortress")'`."""

import os

from flask import Flask

from api.app import make_app
from api.settings import Settings
from arbiter import registry


def create_solo_app(game: str, settings: Settings | None = None) -> Flask:
    """Make the gateway over one game, which decides it itself, whatever addresses the environment names."""
    return make_app(settings or Settings.from_environment(os.environ), {game: registry.game(game)})
