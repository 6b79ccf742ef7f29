"""The express line: what is answered without Flask, which would take most of the time that such an answer takes.

Four kinds of requests take it: `GET` and `HEAD` of a permalink as JSON; a `QUERY` with `If-None-Match` whose very
body this process has answered before; plain questions that this process decides (`api.server.straight`); and batches,
which take no more of Flask than the request that is being answered. Everything else goes the long way, and so does
each of these when there is anything about it that the line does not know: a preference, a parameter, another form of
answer. The long way gives the same answer, so that nobody can tell the line from it but by the clock.

The line lies inside the edge, so that it is logged, counted and named like every request. It does not go round what
decides who may ask how much: `admit` sees each request before its body is read, and whoever it does not let through
goes the long way, where the refusal is.
"""

import io
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from api.caching.conditional import ASKED_BY, QUERY, ConditionalResponses, validators
from api.caching.etags import matches
from api.resources import batch
from api.resources.batch import Batches
from api.resources.permalinks import PERMALINKS, ROUTE, lasting_headers
from api.schemas.responses import JSON
from api.server.straight import ALWAYS, Answer, Straight

Environ = dict[str, Any]
App = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Admit = Callable[[Environ, str], bool]
"""Says whether a request to a route may be answered here."""

ASKED = "arbiter.asked"
"""Under this name the WSGI environment holds route, game and question of a request that Flask never saw."""

_PERMALINK = re.compile(re.escape(PERMALINKS) + r"/([0-9a-f]{32})")
_JSON_WILL_DO = frozenset({None, "", "*/*", JSON})
_LONG_WAY = (
    "HTTP_X_API_KEY", "HTTP_IF_MATCH", "HTTP_PREFER", "HTTP_IDEMPOTENCY_KEY",
    "HTTP_CONTENT_ENCODING", "HTTP_TRANSFER_ENCODING", "HTTP_RANGE", "HTTP_EXPECT",
)  # fmt: skip


def everybody(environ: Environ, rule: str) -> bool:
    """Let every request through."""
    return True


class Express:
    """The express line before an app.

    `within` makes a request of Flask's of an environment; `asked` gives, by path, the game and the question of the
    paths of questions.
    """

    def __init__(
        self,
        inner: App,
        lasting: ConditionalResponses,
        straight: Straight,
        batches: Batches,
        within: Callable[[Environ], AbstractContextManager[Any]],
        asked: Mapping[str, tuple[str, str]],
        most_bytes: int,
        admit: Admit = everybody,
    ) -> None:
        self._inner, self._lasting, self._straight = inner, lasting, straight
        self._batches, self._within = batches, within
        self._asked, self._most_bytes = asked, most_bytes
        self.admit = admit

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, here or the long way."""
        method = environ["REQUEST_METHOD"]
        if method in ASKED_BY:
            found = self._question(environ, method)
        elif method in {"GET", "HEAD"}:
            found = self._kept(environ)
        else:
            found = None
        if found is None:
            environ.pop(ASKED, None)
            return self._inner(environ, start_response)
        status, headers, body = found
        start_response(status, headers)
        return () if method == "HEAD" else (body,)

    def _kept(self, environ: Environ) -> Answer | None:
        """Give a ruling by its permalink, or say that the client has it."""
        if (matched := _PERMALINK.fullmatch(environ.get("PATH_INFO", ""))) is None or not _plain(environ):
            return None
        keeper = self._lasting.keeper
        if (kept := keeper.here(matched[1])) is None or not self.admit(environ, ROUTE):
            return None
        environ[ASKED] = (ROUTE, "", "")
        headers = lasting_headers(f'"{matched[1]}"', keeper.left_s(kept))
        said = environ.get("HTTP_IF_NONE_MATCH")
        if said is not None and matches(said, f'"{matched[1]}"'):
            return "304 NOT MODIFIED", headers, b""
        headers += [("Content-Type", JSON), ("Content-Length", str(len(kept.answer)))]
        return "200 OK", headers, kept.answer

    def _question(self, environ: Environ, method: str) -> Answer | None:
        """Answer a question, or say that the client has the answer."""
        path = environ.get("PATH_INFO", "")
        if path == batch.PATH and method == "POST":
            return self._batch(environ)
        if (asked := self._asked.get(path)) is None or environ.get("CONTENT_TYPE") != JSON or not _bare(environ):
            return None
        has = environ.get("HTTP_IF_NONE_MATCH")
        # What a client of that method has already is refused.
        if has is not None and method != QUERY:
            return None
        decided = self._straight.takes(environ, path, *asked)
        compared = has is not None and environ.get("HTTP_ACCEPT") in _JSON_WILL_DO
        if not (decided or compared) or (body := self._body(environ, path)) is None:
            return None
        environ[ASKED] = (path, *asked)
        if compared and has is not None:
            known = self._lasting.known(self._lasting.mark(path, body))
            if known is not None and matches(has, known.tag):
                return "304 NOT MODIFIED", [*validators(known.tag, known.link), *ALWAYS], b""
            return None
        return self._straight.answered(environ, path, *asked, body)

    def _batch(self, environ: Environ) -> Answer | None:
        """Answer a batch."""
        if environ.get("CONTENT_TYPE") != JSON or environ.get("HTTP_ACCEPT") not in _JSON_WILL_DO:
            return None
        if not _bare(environ) or "HTTP_IF_NONE_MATCH" in environ or (body := self._body(environ, batch.PATH)) is None:
            return None
        environ[ASKED] = (batch.PATH, "", "")
        try:
            with self._within(environ):
                content = self._batches.answered(body)
        except Exception:
            # What refuses a whole batch comes before any query is decided or paid for; the long way makes a problem of
            # it, and of every fault of our own.
            return None
        return "200 OK", [("Content-Type", JSON), ("Content-Length", str(len(content)))], content

    def _body(self, environ: Environ, path: str) -> bytes | None:
        """Read the body of a request to a route, if it may be answered here."""
        length = environ.get("CONTENT_LENGTH", "")
        if not (length.isascii() and length.isdecimal()) or int(length) > self._most_bytes:
            return None
        if not self.admit(environ, path):
            return None
        body: bytes = environ["wsgi.input"].read(int(length))
        # Whoever answers instead reads it again.
        environ["wsgi.input"] = io.BytesIO(body)
        return body if len(body) == int(length) else None


def _plain(environ: Environ) -> bool:
    """Say whether nothing about a request asks for more than a kept answer as JSON, which needs no key."""
    return environ.get("HTTP_ACCEPT") in _JSON_WILL_DO and "HTTP_AUTHORIZATION" not in environ and _bare(environ)


def _bare(environ: Environ) -> bool:
    """Say whether a request has no parameter and no field that the line does not know."""
    return not environ.get("QUERY_STRING") and not any(name in environ for name in _LONG_WAY)
