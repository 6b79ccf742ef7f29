"""The Flask app: every resource of the gateway, and what holds for all of them."""

import os
import re
import secrets
import time
from collections.abc import Mapping

from flask import Flask, Response, g, request
from flask_cors import CORS

from api import docs, games, health, limits, metrics, odds, problems, rules, rulings
from api.arbiters import addresses_in, seats
from api.contract import Contract
from api.logs import make_log
from api.settings import Settings
from api.shelf import Shelf
from arbiter import registry
from arbiter.arbiter import Arbiter

REQUEST_ID = "X-Request-Id"
METHODS = ["GET", "HEAD", "POST", "OPTIONS"]
EXPOSED = [REQUEST_ID, "Link", "Allow", "Accept", "Accept-Encoding"]
"""Headers that a page in a browser may read."""

_SANE_ID = re.compile(r"[A-Za-z0-9._:+/=-]{1,128}")


def make_app(settings: Settings | None = None, known: Mapping[str, Arbiter] | None = None) -> Flask:
    """Make the gateway over the given games; what is not given comes from the environment and the registry."""
    here = registry.games() if known is None else known
    environment = os.environ if settings is None else {}
    chosen = Settings.from_environment(environment) if settings is None else settings
    with_jobs = "REDIS_URL" in environment or chosen.redis_url != Settings().redis_url

    app = Flask(__name__, static_folder=None)
    # One byte more is let through, because a body without a length is cut there in silence; `posted` counts again.
    app.config["MAX_CONTENT_LENGTH"] = chosen.max_body_bytes + 1
    log, counts = make_log(chosen.log_level), metrics.Metrics()
    places = seats(here, chosen, addresses_in(environment, here))
    shelves = {name: Shelf(game) for name, game in here.items()}
    for resource in (
        games.resource(shelves),
        rules.resource(shelves),
        rulings.resource(here, places, chosen),
        odds.resource(here, places, chosen),
        limits.resource(here, chosen),
        problems.resource(),
        health.resource(here, chosen, with_jobs=with_jobs),
        metrics.resource(counts),
        docs.resource(Contract(here, chosen)),
    ):
        app.register_blueprint(resource)

    @app.before_request
    def begin() -> None:
        """Give every request a name, the client's own if it is sane."""
        said = request.headers.get(REQUEST_ID, "")
        g.request_id = said if _SANE_ID.fullmatch(said) else secrets.token_hex(16)
        g.began = time.perf_counter()

    @app.after_request
    def end(answer: Response) -> Response:
        """Name the request in the answer, count it, and log one line."""
        seconds = time.perf_counter() - g.began
        answer.headers[REQUEST_ID] = g.request_id
        rule, named = request.url_rule, request.view_args or {}
        route = rule.rule if rule else ""
        game = named.get("game", "") if named.get("game") in here else ""
        question = named.get("question", "") if game and named.get("question") in here[game].questions else ""
        counts.count(route, game, question, answer.status_code, seconds)
        log.info(
            "request", method=request.method[:20], route=route, status=answer.status_code,
            ms=round(seconds * 1000, 3), game=game, question=question, request_id=g.request_id,
        )  # fmt: skip
        return answer

    problems.handle(app, log, here, games.ROOMS)
    CORS(
        app, origins=list(chosen.cors_origins), send_wildcard=True, methods=METHODS, expose_headers=EXPOSED,
        max_age=86_400,
    )  # fmt: skip
    return app
