"""Entity tags, conditional requests and permalinks (RFC 9110): which answers to questions a client may keep.

A question is *settled* when its body alone determines the answer: it needs no dice, or the body says where they come
from. Odds are always settled, since a crowd of games that names no seed has the seed 0. A settled answer has a tag, may
be taken from a cache for a while, and is repeated from memory; any other answer used dice that were rolled for it, and
no cache may store it. An answer that is not in memory is decided first: so a 304 only ever replaces a 200, and an
invalid body is refused whatever its conditions. (docs/caching.md)
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import msgspec
from flask import Response, request

from api.caching.ruling_store import RulingStore
from api.problems.handlers import ProblemError
from api.schemas.responses import JSON
from arbiter.game import ENGINE, Arbiter
from rendering.stored_ruling import StoredRuling
from workers.jobs.work import Kind

QUERY = "QUERY"
"""The method that asks without changing anything (RFC 10008): safe, idempotent, with a body."""

ASK_METHODS = ("POST", QUERY)
"""The methods by which questions and odds are asked."""

PERMALINKS = "/v1/rulings"
"""The path below which each ruling has its permalink."""

VARY = "Prefer, Accept"
"""The headers that an answer to a question also depends on."""

FRESH_S = 3_600
"""Seconds for which a settled answer may be taken from a cache: the next edition or engine may answer differently."""

FILE_FRESH_S = 600
"""Seconds for which a picture or a sheet of a page may be taken from a cache without a request."""

DIGITS = 32
"""Hex digits of a tag and of a permalink: 128 bits, which cannot be guessed and do not collide by chance."""


class _WithDice(msgspec.Struct):
    dice: dict[str, Any] = {}


_with_dice = msgspec.json.Decoder(_WithDice)


def is_settled(game: Arbiter, question: str, kind: str, body: bytes) -> bool:
    """Decide whether a body alone determines the answer. An invalid body counts as not settled."""
    if kind == "odds" or not game.questions[question].dice:
        return True
    try:
        # A client that escapes letters of the name merely gets no tag.
        dice = _with_dice.decode(body).dice if b'"dice"' in body else {}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return any(dice.get(source) is not None for source in ("seed", "hand", "throws"))


def settled_id(game: Arbiter, question: str, kind: str, body: bytes) -> str:
    """Give the id of the answer to a settled question: its entity tag without quotes, and its permalink."""
    return _digest(game.name, game.edition, ENGINE, question, kind, body)


def _digest(*parts: str | bytes) -> str:
    """Give an id for parts of any length."""
    each = (sha256(part.encode() if isinstance(part, str) else part).digest() for part in parts)
    return sha256(b"".join(each)).hexdigest()[:DIGITS]


def tag_of(content: bytes) -> str:
    """Give the entity tag, without quotes, of content that is the same for all clients."""
    return sha256(content).hexdigest()[:DIGITS]


class ConditionalResponses:
    """Answers questions with validators, from memory if the answer cannot change."""

    def __init__(self, rulings: RulingStore) -> None:
        self.rulings = rulings

    def respond(
        self, kind: Kind, game: Arbiter, question: str, body: bytes, decide: Callable[[], Response]
    ) -> Response:
        """Answer a question or its odds, or answer that the client already has the answer."""
        id_ = settled_id(game, question, kind, body) if is_settled(game, question, kind, body) else ""
        prefers_job = "Prefer" in request.headers or "Idempotency-Key" in request.headers
        recent = self.rulings.recent(id_) if id_ and not prefers_job else None
        if recent is not None:
            return _conditional(Response(recent.answer, content_type=JSON), id_, id_)
        answer = decide()
        if answer.status_code != 200 or "Content-Location" in answer.headers:
            return answer  # a problem, a job, or the result of one, which has its own path
        content = answer.get_data()
        # A settled question has one permalink; each answer with rolled dice has its own.
        permalink = id_ or _digest(kind, game.name, question, body, content)
        ruling = StoredRuling(kind, game.name, question, game.edition, ENGINE, self.rulings.clock(), body, content)
        stored = self.rulings.put(permalink, ruling, alone=not request.environ.get("wsgi.multiprocess", False))
        return _conditional(answer, id_, permalink if stored else "")


def _conditional(answer: Response, id_: str, permalink: str) -> Response:
    """Add validators to an answer, and apply `If-Match` and `If-None-Match`; without an id it has no tag."""
    headers = [("Cache-Control", f"max-age={FRESH_S}" if id_ else "no-store")]
    headers += [("ETag", f'"{id_}"')] if id_ else []
    headers += [("Content-Location", f"{PERMALINKS}/{permalink}")] if permalink else []
    refuse_unless_matching(id_)
    if id_ and request.if_none_match.contains_weak(id_):
        if request.method != QUERY:
            # RFC 9110, 13.1.2: only safe methods are answered with 304.
            raise ProblemError(
                "precondition-failed",
                "The answer is one of those that `If-None-Match` names; QUERY would give 304.",
                headers=dict(headers),
            )
        return Response(status=304, headers=headers)
    answer.headers.extend(headers)
    return answer


def refuse_unless_matching(tag: str) -> None:
    """Refuse a request whose `If-Match` does not name the tag; `*` names any answer, even one without a tag."""
    if "If-Match" in request.headers and not request.if_match.contains(tag):
        raise ProblemError("precondition-failed", "`If-Match` does not name this answer.")


def tagged_response(content: bytes, form: str, fresh_s: int = FILE_FRESH_S) -> Response:
    """Answer with content that changes only with the version of the service; 304 if the client's tag still matches."""
    answer = Response(content, content_type=form)
    answer.set_etag(tag_of(content))
    answer.headers["Cache-Control"] = f"max-age={fresh_s}" if fresh_s else "no-cache"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.make_conditional(request)
    return answer


def vary(answer: Response) -> Response:
    """Add the headers that an answer to a question depends on, and the offer of `QUERY`."""
    answer.headers.add("Vary", VARY)
    answer.headers["Accept-Query"] = JSON
    return answer
