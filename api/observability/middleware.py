"""The edge of the app: what happens to every request whatever it asks, before and after Flask has seen it.

Each request gets a name, is counted, is one line of the log, and may be read by pages of other origins. That is done
once here rather than by hooks inside the app, because it is paid for by every poll of a job.
"""

import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

from flask import Request

from api.auth.keys import holds_key
from api.observability import tracing
from api.observability.metrics import Metrics
from api.observability.request_log import NAME, RequestLog
from api.observability.telemetry import Spans
from api.web.cors import Headers
from arbiter.game import Arbiter

REQUEST_ID = "X-Request-Id"

_SANE_ID = re.compile(r"[A-Za-z0-9._:+/=-]{1,128}")

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Edge:
    """The app with its edge."""

    def __init__(
        self,
        inner: App,
        games: Mapping[str, Arbiter],
        counts: Metrics,
        lines: RequestLog,
        cors: Callable[[Mapping[str, Any]], Headers],
        rates: Callable[[Mapping[str, Any]], Headers],
        spans: Spans | None = None,
    ) -> None:
        self._spans = spans
        self._inner, self._counts, self._lines, self._cors, self._rates = inner, counts, lines, cors, rates
        self._process, self._prefix = 0, ""
        self._numbers = count()
        self._questions = {name: frozenset(game.questions) for name, game in games.items()}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        began = time.perf_counter()
        # A client may name its requests itself, if the name is sane.
        said = environ.get("HTTP_X_REQUEST_ID")
        sane = said is not None and _SANE_ID.fullmatch(said) and not holds_key(said)
        name = said if said is not None and sane else self._fresh_name()
        environ[NAME] = name
        here = tracing.begin(environ.get("HTTP_TRACEPARENT"))

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            headers.append((REQUEST_ID, name))
            headers.extend(self._cors(environ))
            headers.extend(self._rates(environ))
            route, game, question = self._asked(environ)
            code, seconds = int(status[:3]), time.perf_counter() - began
            self._counts.count(route, game, question, code, seconds)
            self._lines.write(environ["REQUEST_METHOD"], route, code, seconds, game, question, name, here)
            if self._spans is not None:
                self._spans(here, environ["REQUEST_METHOD"], route, game, question, code, seconds)
            return start_response(status, headers, exc_info)

        return self._inner(environ, start)

    def unheard(self, status: int, origin: str, seconds: float) -> list[tuple[str, str]]:
        """Count and log what was refused before it was a request; give the headers that its answer has like others."""
        name = self._fresh_name()
        self._counts.count("", "", "", status, seconds)
        self._lines.write("", "", status, seconds, "", "", name)
        return [(REQUEST_ID, name), *self._cors({"REQUEST_METHOD": "", "HTTP_ORIGIN": origin})]

    def _fresh_name(self) -> str:
        """Give a name that no other request has, in this process or another."""
        # Asking the system for randomness each time would let other threads in, and so make this one wait its turn.
        if self._process != os.getpid():
            self._process, self._prefix = os.getpid(), secrets.token_hex(10)
        return f"{self._prefix}{next(self._numbers):012x}"

    def _asked(self, environ: Mapping[str, Any]) -> tuple[str, str, str]:
        """Say which route was matched, which game and which question: names that we gave and no client."""
        asked: Request = environ["werkzeug.request"]
        rule, named = asked.url_rule, asked.view_args
        route = rule.rule if rule else ""
        if not named:
            return route, "", ""
        game = named.get("game", "")
        questions = self._questions.get(game)
        if questions is None:
            return route, "", ""
        question = named.get("question", "")
        return route, game, question if question in questions else ""
