"""One game as a separate service: the same paths as the gateway's, for this game alone."""

import os

import msgspec
from flask import Flask, Response

from api.app import make_app
from api.arbiters.identity import Identity
from api.arbiters.local import TrustedLocalArbiter
from api.arbiters.walks import add_timing
from api.settings import Settings
from arbiter import registry
from arbiter.game import Arbiter


def make_game_app(game: str | Arbiter, settings: Settings | None = None) -> Flask:
    """Make the service of one game. It runs behind a gateway, has no jobs, and names itself on every answer."""
    one = registry.alone(game) if isinstance(game, str) else game
    chosen = Settings.from_environment(os.environ) if settings is None else settings
    # Only our own gateway reaches it, and does these checks itself.
    once = {"redis_url": Settings().redis_url, "anonymous": True, "key_peppers": (), "rate_limits": False}
    app = make_app(msgspec.structs.replace(chosen, **once), {one.name: one}, router=TrustedLocalArbiter)
    identity = Identity.of(one).headers()

    @app.after_request
    def identify(response: Response) -> Response:
        response.headers.extend(identity)
        return add_timing(response)

    return app
