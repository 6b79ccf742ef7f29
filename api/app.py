"""The Flask app: every resource of the gateway, and what holds for all of them."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface

from api import (
    batch,
    board_store,
    boards,
    boards_by_digest,
    cors,
    docs,
    games,
    health,
    jobs,
    limits,
    metrics,
    odds,
    problems,
    rules,
    rulings,
    simulations,
)
from api.arbiters import addresses_in, seats
from api.boards_by_digest import BoardShelf
from api.contract import Contract
from api.desk import Desk, JobStore
from api.edge import Edge
from api.handing import HandingIn
from api.logs import RequestLog, make_log
from api.scenes import SCENES_BYTES, Bodies, Scenes
from api.settings import Settings
from api.shelf import Shelf
from arbiter import registry
from arbiter.arbiter import Arbiter


class NoSessions(SessionInterface):
    """Nobody has a session: every question stands alone, and looking for a cookie takes time on every poll."""

    _nobody = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        return self._nobody

    def is_null_session(self, obj: object) -> bool:
        return True


class Gateway(Flask):
    """The app of Flask without what no request here needs."""

    session_interface = NoSessions()
    edge: Edge

    def plain(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request without what the edge adds."""
        return super().wsgi_app(environ, start_response)

    def wsgi_app(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        return self.edge(environ, start_response)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        # Flask would look at each function of each request whether it is asynchronous; none is.
        return func


def make_app(
    settings: Settings | None = None, known: Mapping[str, Arbiter] | None = None, store: JobStore | None = None
) -> Flask:
    """Make the gateway over the given games; what is not given comes from the environment and the registry.

    Without a `store`, jobs are kept where the settings say, or nowhere when they name no Redis.
    """
    here = registry.games() if known is None else known
    environment = os.environ if settings is None else {}
    chosen = Settings.from_environment(environment) if settings is None else settings
    with_jobs = "REDIS_URL" in environment or chosen.redis_url != Settings().redis_url

    desk = Desk(chosen, _store_of(chosen) if store is None and with_jobs else store)
    shelf = BoardShelf(board_store.store_of(chosen, with_redis=with_jobs), chosen)
    scenes = Scenes(SCENES_BYTES)
    bodies = {name: Bodies(game, shelf, chosen, scenes) for name, game in here.items()}
    hands = {name: HandingIn(game, chosen, desk, bodies[name]) for name, game in here.items()}

    app = Gateway(__name__, static_folder=None)
    # One byte more is let through, because a body without a length is cut there in silence; `posted` counts again.
    app.config["MAX_CONTENT_LENGTH"] = chosen.max_body_bytes + 1
    log, counts = make_log(chosen.log_level), metrics.Metrics()
    places = seats(here, chosen, addresses_in(environment, here), bodies)
    shelves = {name: Shelf(game) for name, game in here.items()}
    for resource in (
        games.resource(shelves),
        rules.resource(shelves),
        rulings.resource(here, places, hands, chosen),
        odds.resource(here, places, hands, chosen),
        simulations.resource(here, hands, chosen),
        jobs.resource(desk),
        boards.resource(here, chosen),
        boards_by_digest.resource(here, shelf, chosen),
        batch.resource(here, places, bodies, chosen),
        limits.resource(here, chosen),
        problems.resource(),
        health.resource(here, chosen, with_jobs=with_jobs),
        metrics.resource(counts, desk),
        docs.resource(Contract(here, chosen)),
    ):
        app.register_blueprint(resource)

    problems.handle(app, log, here, games.ROOMS, chosen.job_path_budget if desk.open else None)
    app.edge = Edge(app.plain, here, counts, RequestLog(chosen.log_level), cors.letting_in(chosen.cors_origins))
    return app


def _store_of(settings: Settings) -> JobStore:
    # A gateway without jobs starts faster without Celery.
    from workers.store import Jobs

    return Jobs(settings)
