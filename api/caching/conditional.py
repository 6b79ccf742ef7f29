"""Answers that last: what a client may keep of a question's answer, what it need not be sent again, and its permalink.

Every ruling and all odds that are answered at once are kept, and `Content-Location` names their permalink. The answer
to a settled question (`api.caching.etags`) has an entity tag besides and may be taken from a cache for a while; any
other was made by dice that were rolled for it, and no cache may store it.

A question whose answer the client has (`If-None-Match`) is neither read nor decided again when this process has
answered the very body before. Any other body is decided, and the answer then left out: so 304 is only ever said in
place of a 200, even to a client that made the tag up, and a body that is refused is refused whatever comes with it.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flask import Response, request

from api.caching.etags import DIGITS, mark_of, matches, matches_strongly, settled, tag_of
from api.caching.ruling_store import AWAY_S, Memory, RulingStore
from api.problems.handlers import ProblemError
from api.resources.permalinks import PERMALINKS
from api.schemas.canonical_json import digest
from api.server.boards_by_text import BoardTexts
from arbiter.game import ENGINE, Arbiter
from rendering.stored_ruling import StoredRuling
from workers.jobs.work import Kind

QUERY = "QUERY"
"""The method that asks without changing anything (RFC 10008): safe, idempotent, with a body."""

ASKED_BY = ("POST", QUERY)
"""The methods by which questions and odds are asked."""

ACCEPT_QUERY = "application/json"
"""The forms of body that `QUERY` takes, as the field `Accept-Query` says it."""

VARY = "Prefer, Accept"
"""What else an answer to a question hangs on."""

FRESH_S = 3_600
"""Seconds for which a settled answer may be taken from a cache: the next edition or engine may answer otherwise."""

_MOST_KNOWN = 20_000
_KNOWN_SHARE = 10


class Known(NamedTuple):
    """What is known of a body that was answered: its tag, the id and the place of its answer, and until when it holds.

    The tag is empty where the body alone does not determine the answer, the link where nobody else would find it.
    """

    tag: str
    id: str
    link: str
    until: float
    losses: int


class ConditionalResponses:
    """Adds to answers what lasts of them, and knows bodies again."""

    def __init__(self, keeper: RulingStore, texts: BoardTexts) -> None:
        self.keeper, self._texts = keeper, texts
        self._known: Memory[bytes, Known] = Memory(_MOST_KNOWN)

    def mark(self, path: str, body: bytes, representation: str = "json") -> bytes:
        """Give a short name for a body as it was posted to a path, by which it is known again."""
        return mark_of(path, self._texts.short(body), representation)

    def known(self, mark: bytes) -> Known | None:
        """Give what is known of a body, by its mark, if its answer is still kept for nearly all of the time."""
        found = self._known.get(mark)
        if found is None or found.losses != self.keeper.losses or time.monotonic() >= found.until:
            return None
        return found

    def answer(self, known: Known) -> bytes | None:
        """Give the answer to a settled question of which that is known, if this process holds it."""
        kept = self.keeper.here(known.id) if known.tag else None
        return None if kept is None else kept.answer

    def answered(
        self, kind: Kind, game: Arbiter, question: str, body: bytes, decide: Callable[[], Response],
        representation: str = "json",
    ) -> Response:  # fmt: skip
        """Answer a question, or its odds, as it is decided, or say that the client has the answer already.

        `representation` tells apart answers of different form to the same body.
        """
        environ = request.environ
        mark = self.mark(environ["PATH_INFO"], body, representation)
        known = self.known(mark)
        if known is not None:
            _refuse_another(environ, known.tag)
            if _has(environ, known.tag):
                return _unchanged(known.tag, known.link)
        answer = decide()
        if answer.status_code != 200 or "Content-Location" in answer.headers:
            return answer  # a problem, a job, or the result of one, which has a place of its own
        if known is None:
            known = self.learned(environ, mark, kind, game, question, body, answer.get_data(), representation)
        _refuse_another(environ, known.tag)
        if known.tag and _has(environ, known.tag):
            return _unchanged(known.tag, known.link)
        answer.headers.extend(validators(known.tag, known.link))
        return answer

    def learned(
        self, environ: Mapping[str, Any], mark: bytes, kind: Kind, game: Arbiter, question: str, body: bytes,
        content: bytes, representation: str = "json",
    ) -> Known:  # fmt: skip
        """Keep the answer to a body of which nothing is known, and say what there is to know of it from now on."""
        tag = ""
        if settled(game, question, kind, body):
            tag = tag_of(game, question, kind, body, representation, self._texts)
        # What is settled has one permalink however often it is asked; what was rolled for has one for each answer.
        told = (tag.encode(),) if tag else (kind.encode(), game.name.encode(), question.encode(), body, content)
        id_ = digest(b"permalink", *told)[:DIGITS]
        kept = StoredRuling(kind, game.name, question, game.edition, ENGINE, time.time(), body, content)
        losses = self.keeper.losses
        promised = self.keeper.keep(id_, kept, alone=not environ.get("wsgi.multiprocess", False))
        # After a tenth of the time it is kept anew, so that whoever is given a link can follow it for the rest.
        # Where nothing could be promised for the moment, the next who asks may have better luck.
        holds_s = self.keeper.kept_s / _KNOWN_SHARE if promised or not self.keeper.shared else AWAY_S
        known = Known(tag, id_, f"{PERMALINKS}/{id_}" if promised else "", time.monotonic() + holds_s, losses)
        if tag:
            self._known.put(mark, known)
        return known


def asked_paths(games: Mapping[str, Arbiter]) -> dict[str, tuple[str, str]]:
    """Give the paths of all questions and odds, each with its game and question."""
    return {
        f"/v1/games/{game.name}/{name}{kind}": (game.name, name)
        for game in games.values()
        for name in game.questions
        for kind in ("", "/odds")
    }


def validators(tag: str, link: str) -> list[tuple[str, str]]:
    """Give the fields of an answer to a question, which a 304 in its place has as well."""
    said = [("Cache-Control", f"max-age={FRESH_S}" if tag else "no-store")]
    if tag:
        said.append(("ETag", tag))
    if link:
        said.append(("Content-Location", link))
    return said


def asked_either_way(answer: Response) -> Response:
    """Say what an answer to a question hangs on, and that the question may be asked by `QUERY`."""
    answer.headers.add("Vary", VARY)
    answer.headers["Accept-Query"] = ACCEPT_QUERY
    return answer


def _refuse_another(environ: Mapping[str, Any], tag: str) -> None:
    """Refuse a client that wants one certain answer and no other (`If-Match`), unless this is it."""
    said = environ.get("HTTP_IF_MATCH")
    if said is not None and not matches_strongly(said, tag or None):
        raise ProblemError("precondition-failed", "The answer is none of those that `If-Match` names.")


def _has(environ: Mapping[str, Any], tag: str) -> bool:
    said = environ.get("HTTP_IF_NONE_MATCH")
    return said is not None and matches(said, tag)


def _unchanged(tag: str, link: str) -> Response:
    """Say that the client has the answer."""
    if request.method != QUERY:
        # RFC 9110, 13.1.2: only methods that read are answered by 304.
        raise ProblemError(
            "precondition-failed", "The answer is one of those that `If-None-Match` names; QUERY would say 304.",
            headers=dict(validators(tag, link)),
        )  # fmt: skip
    return Response(status=304, headers=validators(tag, link))
