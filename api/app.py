"""The Flask app: every resource of the gateway, and what holds for all of them."""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NoReturn
from urllib.parse import urlsplit, urlunsplit

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import RequestRedirect, Rule

from api.arbiters.health import RemoteHealth
from api.arbiters.routing import ArbiterRouting, addresses_in, seats, with_whole_boards
from api.auth.callers import Callers, KeySource, refuse_in_url
from api.caching import board_store
from api.caching.conditional import ConditionalResponses, asked_paths
from api.caching.ruling_store import RulingBackend, RulingStore
from api.jobs.service import JobService, JobStore
from api.jobs.submission import JobSubmission
from api.observability import metrics, telemetry
from api.observability.log_lines import Lines
from api.observability.middleware import App, Edge
from api.observability.request_log import RequestLog, make_log
from api.openapi.build import Contract
from api.problems import handlers
from api.problems.handlers import ProblemError
from api.quotas.limiter import Rates, Units, charge
from api.resources import (
    batch,
    board_import,
    docs,
    games,
    health,
    jobs,
    limits,
    odds,
    permalinks,
    rules,
    rulings,
    security_txt,
    simulations,
    well_known,
)
from api.resources import boards as resources_boards
from api.resources.boards import BoardLibrary
from api.schemas.scenes import BOARDS_BYTES, SCENES_BYTES, Bodies, Scenes
from api.server.boards_by_text import BoardTexts
from api.server.express import Express
from api.server.straight import Straight
from api.settings import Settings
from api.signing.commitments import Commitments
from api.signing.envelope import Signing
from api.signing.keys import Signer
from api.signing.nonces import Nonces
from api.web import cors
from arbiter import registry
from arbiter.game import Arbiter
from arbiter.sources.catalogue import shelf_for


class NoSessions(SessionInterface):
    """Nobody has a session: every question stands alone, and looking for a cookie takes time on every poll."""

    _nobody = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        return self._nobody

    def is_null_session(self, obj: object) -> bool:
        return True


class Route(Rule):
    """A path of which no address is made: links here are written out.

    Werkzeug compiles two functions for each path that would make one, which takes most of the time in which a gateway
    begins; here they are compiled when they are first called.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = super()._compile_builder

        def build(route: Rule, **values: Any) -> tuple[str, str]:
            made: tuple[str, str] = compiled(append_unknown)(route, **values)
            return made

        return build


class Gateway(Flask):
    """The app of Flask without what no request here needs."""

    session_interface = NoSessions()
    url_rule_class = Route
    edge: App
    express: Express
    keeper: RulingStore
    lines: Lines

    def plain(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request without what the edge adds."""
        return super().wsgi_app(environ, start_response)

    def wsgi_app(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        return self.edge(environ, start_response)

    def raise_routing_exception(self, request: Request) -> NoReturn:
        """Say where a path leads to instead: on this host, whatever the client calls it."""
        elsewhere = request.routing_exception
        if isinstance(elsewhere, RequestRedirect):
            # A cache would keep an address with a host that its first client has made up. One slash at the beginning,
            # for two would begin a host.
            parts = urlsplit(elsewhere.new_url)
            path = "/" + parts.path.lstrip("/\\")
            elsewhere.new_url = urlunsplit(("", "", path, parts.query, ""))
        super().raise_routing_exception(request)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        # Flask would look at each function of each request whether it is asynchronous; none is.
        return func


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
    with_jobs = "REDIS_URL" in environment or chosen.redis_url != Settings().redis_url

    desk = JobService(chosen, _store_of(chosen) if store is None and with_jobs else store)
    callers = Callers(chosen, _keys_of(chosen) if keys is None and chosen.key_peppers else keys)
    shelf = BoardLibrary(board_store.store_of(chosen, with_redis=with_jobs), chosen)
    scenes, texts = Scenes(SCENES_BYTES), BoardTexts(BOARDS_BYTES)
    bodies = {name: Bodies(game, shelf, chosen, scenes, texts) for name, game in here.items()}
    hands = {name: JobSubmission(game, chosen, desk, bodies[name]) for name, game in here.items()}

    app = Gateway(__name__, static_folder=None)
    # One byte more is let through, because a body without a length is cut there in silence; `posted` counts again.
    app.config["MAX_CONTENT_LENGTH"] = chosen.max_body_bytes + 1
    log, counts = make_log(chosen.log_level), metrics.Metrics()
    seated = seats(here, chosen, addresses_in(environment, here), bodies) if seating is None else seating(here, chosen)
    places, elsewhere = with_whole_boards(seated, bodies, here), RemoteHealth(seated, chosen.canary_timeout_s)
    elsewhere.watch(counts.say_open)
    keeper = RulingStore(chosen, _rulings_of(chosen) if with_jobs else None, log, counts.count_kept)
    lasting = ConditionalResponses(keeper, texts)
    shelves = {name: shelf_for(game) for name, game in here.items()}
    commitments = Commitments(chosen, Nonces(chosen) if with_jobs else None)
    batches = batch.Batches(here, places, bodies, chosen, charge)
    signing = Signing(Signer.of(chosen.signing_key, chosen.signing_keys_before))
    for resource in (
        games.resource(shelves),
        rules.resource(shelves),
        rulings.resource(here, places, hands, chosen, commitments, signing, lasting),
        odds.resource(here, places, hands, chosen, lasting),
        simulations.resource(here, hands, chosen),
        permalinks.resource(keeper, here),
        jobs.resource(desk, callers),
        board_import.resource(here, chosen),
        well_known.resource(signing.signer, commitments.epochs),
        resources_boards.resource(here, shelf, chosen),
        batch.resource(batches, chosen),
        limits.resource(here, chosen),
        handlers.resource(),
        health.resource(here, chosen, with_jobs=with_jobs, elsewhere=elsewhere),
        metrics.resource(counts, desk),
        docs.resource(Contract(here, chosen)),
        security_txt.resource(chosen.security_contact),
    ):
        app.register_blueprint(resource)

    most_paths = chosen.job_path_budget if desk.open else None
    handlers.handle(app, log, here, games.ROOMS, most_paths, resources_boards.how_to_put)
    rates = Rates(chosen, log, _units_of(chosen) if with_jobs else None, callers.identify, callers.by_address)
    app.before_request(refuse_in_url)
    if chosen.rate_limits:
        # Before a key that does not count is refused, so that whoever tries keys pays for each.
        app.before_request(rates.at_the_door)
    app.before_request(callers.guard)
    lines, origins = RequestLog(chosen.log_level), cors.letting_in(chosen.cors_origins)
    admit = partial(_admitted, rates, callers, chosen)
    app.keeper, app.lines = keeper, lines.out
    straight = Straight(here, places, lasting, signing)
    app.express = Express(
        app.plain, lasting, straight, batches, app.request_context, asked_paths(here), chosen.max_body_bytes, admit
    )  # fmt: skip
    app.edge = Edge(app.express, here, counts, lines, origins, rates.said, telemetry.spans(chosen))
    return app


def _admitted(rates: Rates, callers: Callers, settings: Settings, environ: dict[str, Any], rule: str) -> bool:
    """Say whether a request may be answered on the short way; whoever may not is told so on the long one."""
    if settings.rate_limits and not rates.admits(environ, rule):
        return False
    try:
        callers.let_in(environ, rule)
    except ProblemError:
        return False
    return True


def _keys_of(settings: Settings) -> KeySource:
    # A gateway without keys starts faster without what reaches Redis.
    from api.auth.key_store import Keystore

    return Keystore(settings)


def _rulings_of(settings: Settings) -> RulingBackend:
    # Without Redis its client need not be there.
    from api.caching.redis_rulings import Rulings

    return Rulings(settings, settings.rulings_kept_s, settings.rulings_kept, settings.rulings_kept_mib)


def _store_of(settings: Settings) -> JobStore:
    # A gateway without jobs starts faster without Celery.
    from workers.jobs.store import Jobs

    return Jobs(settings)


def _units_of(settings: Settings) -> Units:
    # Without Redis nothing of its library need be loaded.
    from api.quotas.redis_units import RedisUnits

    return RedisUnits(settings.redis_url)
