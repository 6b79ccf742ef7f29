"""One game as a service of its own: the same paths as the gateway's, for this game alone."""

import os
from collections.abc import Mapping

import msgspec
from flask import Flask, Response

from api.app import make_app
from api.arbiters.identity import Identity
from api.arbiters.local import ArbiterClient, TrustedLocalArbiter
from api.arbiters.routing import ArbiterRouter
from api.arbiters.walks import add_timing
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter import registry
from arbiter.game import Arbiter


class TrustedRouter(ArbiterRouter):
    """Has every game decided in this process, for a gateway, whatever addresses the environment names."""

    def __init__(self) -> None:
        super().__init__({})

    def arbiters(
        self, games: Mapping[str, Arbiter], settings: Settings, bodies: Mapping[str, Bodies]
    ) -> Mapping[str, ArbiterClient]:
        """Give an arbiter of every game that heeds the gateway's seeds."""
        return {name: TrustedLocalArbiter(game, settings, bodies[name]) for name, game in games.items()}


def make_game_app(game: str | Arbiter, settings: Settings | None = None) -> Flask:
    """Make the service of one game. It stands behind a gateway, does no jobs, and names itself on every answer."""
    one = registry.alone(game) if isinstance(game, str) else game
    chosen = Settings.from_environment(os.environ) if settings is None else settings
    app = make_app(service_settings(chosen), {one.name: one}, router=TrustedRouter())
    identity = Identity.of(one).headers()

    @app.after_request
    def identify(response: Response) -> Response:
        response.headers.extend(identity)
        return add_timing(response)

    return app


def service_settings(settings: Settings) -> Settings:
    """Give the settings of a service that only our own gateway reaches: what the gateway does is not done twice."""
    return msgspec.structs.replace(
        settings, redis_url=Settings().redis_url, anonymous=True, key_peppers=(), rate_limits=False
    )
