"""The Flask app: every resource of the gateway, and what holds for all of them."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface

from api import (
    boards,
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
    security_txt,
    simulations,
    telemetry,
)
from api.arbiters import addresses_in, seats
from api.contract import Contract
from api.contract_kept import FOLDER, KeptContract
from api.desk import Desk, JobStore
from api.edge import Edge
from api.handing import HandingIn
from api.logs import RequestLog, make_log
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
    hands = {name: HandingIn(game, chosen, desk) for name, game in here.items()}

    app = Gateway(__name__, static_folder=None)
    # One byte more is let through, because a body without a length is cut there in silence; `posted` counts again.
    app.config["MAX_CONTENT_LENGTH"] = chosen.max_body_bytes + 1
    log, counts = make_log(chosen.log_level), metrics.Metrics()
    places = seats(here, chosen, addresses_in(environment, here))
    shelves = {name: Shelf(game) for name, game in here.items()}
    for resource in (
        games.resource(shelves),
        rules.resource(shelves),
        rulings.resource(here, places, hands, chosen),
        odds.resource(here, places, hands, chosen),
        simulations.resource(here, hands, chosen),
        jobs.resource(desk),
        boards.resource(here, chosen),
        limits.resource(here, chosen),
        problems.resource(),
        health.resource(here, chosen, with_jobs=with_jobs),
        metrics.resource(counts, desk),
        docs.resource(_contract(here, chosen, environment if known is None else {})),
        security_txt.resource(chosen.security_contact),
    ):
        app.register_blueprint(resource)

    problems.handle(app, log, here, games.ROOMS, chosen.job_path_budget if desk.open else None)
    lets_in, spans = cors.letting_in(chosen.cors_origins), telemetry.spans(chosen)
    app.edge = Edge(app.plain, here, counts, RequestLog(chosen.log_level), lets_in, spans)
    return app


def _contract(games: Mapping[str, Arbiter], settings: Settings, environment: Mapping[str, str]) -> docs.Written:
    """Give the contract: the one that processes share where they share a folder, else one of this process."""
    folder = environment.get(FOLDER)
    return KeptContract(Path(folder)) if folder else Contract(games, settings)


def _store_of(settings: Settings) -> JobStore:
    # A gateway without jobs starts faster without Celery.
    from workers.store import Jobs

    return Jobs(settings)
