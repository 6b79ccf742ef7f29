"""The gateway: the questions of every game over HTTP, and the same on the command line."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from infra.startup import staying

if TYPE_CHECKING:
    from flask import Flask

    from api.auth.key_store import Keystore
    from api.settings import Settings
    from arbiter.game import Arbiter
    from workers.jobs.store import Jobs


def create_app(
    settings: "Settings | None" = None,
    games: "Mapping[str, Arbiter] | None" = None,
    store: "Jobs | None" = None,
    keys: "Keystore | None" = None,
) -> "Flask":
    """Make the gateway over the given games, jobs and keys; without arguments, as the environment configures it."""
    # The command line reads modules of this package, and starts twice as fast without everything that serves HTTP.
    if settings is not None or games is not None:
        from api.app import make_app

        return make_app(settings, games, store, keys)
    # A program makes this app once; a caller with arguments may make several apps and discard them.
    with staying():
        from api.app import make_app
        from api.web.warm_up import make_pages, warm_up

        app = make_app(store=store, keys=keys)
        warm_up(app)
        make_pages(app)
        return app


def create_game_app(game: str) -> "Flask":
    """Make the service of one game, as the environment says: `gunicorn "api:create_game_app('stargrave')"`."""
    with staying():
        from api.arbiters.single_game import make_game_app
        from api.web.warm_up import warm_up

        app = make_game_app(game)
        warm_up(app)
        return app
