"""The Flask app: every resource of the gateway, and what holds for all of them."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from flask import Blueprint, Flask

from api.arbiters.routing import ArbiterFactory
from api.auth.callers import refuse_in_url
from api.observability import request_log, tracing
from api.openapi.build import Contract
from api.problems import handlers
from api.quotas.limiter import Limiter, redis_storage
from api.resources import QUESTIONS, blueprints
from api.settings import Settings
from api.web import cors
from api.web.compression import compress
from api.web.services import PAGES, Services
from arbiter import registry
from arbiter.game import Arbiter

if TYPE_CHECKING:
    from api.auth.key_store import Keystore
    from workers.jobs.store import Jobs


def make_app(
    settings: Settings | None = None,
    arbiters: Mapping[str, Arbiter] | None = None,
    store: "Jobs | None" = None,
    keys: "Keystore | None" = None,
    router: ArbiterFactory | None = None,
) -> Flask:
    """Make the gateway over the given games; missing arguments come from the environment and the registry.

    Without a `store`, jobs are stored where the settings say, or nowhere when they name no Redis. Without `keys`, they
    are looked up where the settings say, or not at all when these have no peppers. `router` makes the arbiter of each
    game; without it games are decided here, except those whose address is in the environment.
    """
    here = registry.games() if arbiters is None else arbiters
    environment = os.environ if settings is None else {}
    chosen = Settings.from_environment(environment) if settings is None else settings

    app = Flask(__name__, static_folder=None)
    # A path with two slashes is not found, instead of redirecting to a host that the client has made up.
    app.url_map.merge_slashes = False
    # One byte more, because a body without a length is silently truncated there; `request_body` counts again.
    app.config["MAX_CONTENT_LENGTH"] = chosen.max_body_bytes + 1

    log = request_log.make_log(chosen.log_level)
    services = Services(chosen, here, environment, log, Contract(here, chosen), store, keys, router)
    app.extensions["arbiter"] = services
    tracing.init_app(app, chosen, here)
    request_log.init_app(app, log, here)
    services.counts.init_app(app, here)
    cors.init_app(app, chosen.cors_origins)
    texts = Blueprint("texts", __name__)
    texts.after_request(compress)
    for pages in blueprints():
        (app if pages.name in QUESTIONS else texts).register_blueprint(pages)
    app.register_blueprint(texts)

    job_odds = (chosen.job_path_budget, float(chosen.job_odds_limit_s)) if services.jobs.open else None
    handlers.handle(app, log, here, (*PAGES, "boards"), job_odds)
    callers = services.callers
    shared = redis_storage(chosen.redis_url) if services.with_redis else None
    limiter = Limiter(chosen, log, callers.identify, callers.by_address, shared)
    app.before_request(refuse_in_url)
    if chosen.rate_limits:
        # This runs before an invalid key is refused, so that guesses of keys are charged.
        limiter.init_app(app)
    app.before_request(callers.guard)
    return app
