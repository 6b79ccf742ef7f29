"""The Flask app: every resource of the gateway, and what holds for all of them."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface

from api.arbiters.health import RemoteHealth
from api.arbiters.routing import ArbiterRouting, addresses_in, seats, with_whole_boards
from api.auth.callers import Callers, KeySource, refuse_in_url
from api.caching import board_store
from api.caching.board_library import BoardLibrary, how_to_put
from api.caching.conditional import ConditionalResponses
from api.caching.ruling_store import RulingBackend, RulingStore
from api.jobs.service import JobService, JobStore
from api.jobs.submission import JobSubmission
from api.observability import metrics, telemetry
from api.observability.log_lines import Lines
from api.observability.middleware import App, Edge
from api.observability.request_log import RequestLog, make_log
from api.openapi.build import Contract
from api.openapi.shared_file import FOLDER, KeptContract
from api.problems import handlers
from api.quotas.limiter import Rates, Units, charge
from api.resources import (
    batch,
    board_import,
    boards,
    docs,
    games,
    health,
    limits,
    odds,
    permalinks,
    rules,
    rulings,
    security_txt,
    simulations,
    well_known,
)
from api.resources import jobs as job_pages
from api.resources.questions import PAGES
from api.schemas.scenes import BoardCache, Bodies
from api.settings import Settings
from api.signing.commitments import Commitments
from api.signing.envelope import Signing
from api.signing.keys import Signer
from api.signing.nonces import Nonces
from api.web import cors
from api.web.services import Services
from arbiter import registry
from arbiter.game import Arbiter
from arbiter.sources.catalogue import shelf_for


class NoSessions(SessionInterface):
    """Nobody has a session: every question stands alone."""

    def open_session(self, app: Flask, request: Request) -> NullSession:
        return NullSession()

    def is_null_session(self, obj: object) -> bool:
        return True


class Gateway(Flask):
    """The app of Flask, without sessions."""

    session_interface = NoSessions()
    edge: App
    lines: Lines

    def plain(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request without what the edge adds."""
        return super().wsgi_app(environ, start_response)

    def wsgi_app(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        return self.edge(environ, start_response)


def make_app(
    settings: Settings | None = None,
    known: Mapping[str, Arbiter] | None = None,
    store: JobStore | None = None,
    keys: KeySource | None = None,
    seating: ArbiterRouting | None = None,
) -> Gateway:
    """Make the gateway over the given games; what is not given comes from the environment and the registry.

    Without a `store`, jobs are kept where the settings say, or nowhere when they name no Redis. Without `keys`, they
    are looked up where the settings say, or not at all when these have no peppers. `seating` says who decides each
    game; without it games are decided here, but for those whose address the environment names.
    """
    here = registry.games() if known is None else known
    environment = os.environ if settings is None else {}
    chosen = Settings.from_environment(environment) if settings is None else settings
    with_redis = "REDIS_URL" in environment or chosen.redis_url != Settings().redis_url

    app = Gateway(__name__, static_folder=None)
    # A path with two slashes leads nowhere, rather than to an address that a client has made up.
    app.url_map.merge_slashes = False
    # One byte more, because a body without a length is cut there in silence; `request_body` counts again.
    app.config["MAX_CONTENT_LENGTH"] = chosen.max_body_bytes + 1
    log, counts = make_log(chosen.log_level), metrics.Metrics()

    library = BoardLibrary(board_store.store_of(chosen, with_redis=with_redis), chosen)
    boards_cache = BoardCache()
    bodies = {name: Bodies(game, library, chosen, boards_cache) for name, game in here.items()}
    seated = seats(here, chosen, addresses_in(environment, here), bodies) if seating is None else seating(here, chosen)
    job_service = JobService(chosen, _store_of(chosen) if store is None and with_redis else store)
    callers = Callers(chosen, _keys_of(chosen) if keys is None and chosen.key_peppers else keys)
    rulings_store = RulingStore(chosen, _rulings_of(chosen) if with_redis else None, log, counts.count_kept)
    services = Services(
        settings=chosen,
        games=here,
        catalogues={name: shelf_for(game) for name, game in here.items()},
        arbiters=with_whole_boards(seated, bodies, here),
        bodies=bodies,
        submissions={name: JobSubmission(game, chosen, job_service, bodies[name]) for name, game in here.items()},
        callers=callers,
        jobs=job_service,
        boards=library,
        responses=ConditionalResponses(rulings_store),
        commitments=Commitments(chosen, Nonces(chosen) if with_redis else None),
        signing=Signing(Signer.of(chosen.signing_key, chosen.signing_keys_before)),
        remote=RemoteHealth(seated, chosen.canary_timeout_s),
        with_redis=with_redis,
    )
    services.remote.watch(counts.say_open)
    app.extensions["arbiter"] = services

    batches = batch.Batches(here, services.arbiters, bodies, chosen, charge)
    for resource in (
        games.resource(services.catalogues),
        rules.resource(services.catalogues),
        rulings.pages,
        odds.pages,
        simulations.pages,
        permalinks.pages,
        job_pages.resource(job_service, callers),
        board_import.resource(here, chosen),
        well_known.resource(services.signing.signer, services.commitments.epochs),
        boards.pages,
        batch.resource(batches, chosen),
        limits.resource(here, chosen),
        handlers.resource(),
        health.resource(here, chosen, with_jobs=with_redis, elsewhere=services.remote),
        metrics.resource(counts, job_service),
        docs.resource(_contract(here, chosen, environment if known is None else {})),
        security_txt.resource(chosen.security_contact),
    ):
        app.register_blueprint(resource)

    most_paths = chosen.job_path_budget if job_service.open else None
    handlers.handle(app, log, here, PAGES, most_paths, how_to_put)
    rates = Rates(chosen, log, _units_of(chosen) if with_redis else None, callers.identify, callers.by_address)
    app.before_request(refuse_in_url)
    if chosen.rate_limits:
        # Before a key that does not count is refused, so that whoever tries keys pays for each.
        app.before_request(rates.at_the_door)
    app.before_request(callers.guard)
    lines, origins = RequestLog(chosen.log_level), cors.letting_in(chosen.cors_origins)
    app.lines = lines.out
    app.edge = Edge(app.plain, here, counts, lines, origins, rates.said, telemetry.spans(chosen))
    return app


def _keys_of(settings: Settings) -> KeySource:
    # A gateway without keys starts faster without what reaches Redis.
    from api.auth.key_store import Keystore

    return Keystore(settings)


def _rulings_of(settings: Settings) -> RulingBackend:
    # Without Redis its client need not be there.
    from api.caching.redis_rulings import RedisRulings

    return RedisRulings(settings, settings.rulings_kept_s, settings.rulings_kept, settings.rulings_kept_mib)


def _contract(games: Mapping[str, Arbiter], settings: Settings, environment: Mapping[str, str]) -> docs.Written:
    """Give the contract: the one that processes share where they share a folder, else one of this process."""
    folder = environment.get(FOLDER)
    return KeptContract(Path(folder)) if folder else Contract(games, settings)


def _store_of(settings: Settings) -> JobStore:
    # A gateway without jobs starts faster without Celery.
    from workers.jobs.store import Jobs

    return Jobs(settings)


def _units_of(settings: Settings) -> Units:
    # Without Redis nothing of its library need be loaded.
    from api.quotas.redis_units import RedisUnits

    return RedisUnits(settings.redis_url)
