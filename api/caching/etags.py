"""Entity tags, conditional requests and permalinks (RFC 9110): what a client may keep of an answer to a question.

A question is *settled* when its body alone determines the answer: no dice have a part in it, or the body says where
they come from: a seed, faces that were rolled, or the throws of an earlier ruling (missing dice are then asked for,
which is an answer, too). Odds are always settled, since a crowd of games that names no seed has the seed 0. The tag of
a settled answer is a digest of the game, its edition, the engine, the question, and the bytes of the body. The same
question in another spelling has a tag of its own.

Every ruling and all odds that are answered at once are stored, and `Content-Location` names their permalink. A settled
answer has a tag and may be taken from a cache for a while; any other was made by dice that were rolled for it, and no
cache may store it. A settled question that this process has answered is answered from memory. Any other body is decided
first: so 304 takes the place of a 200 only, even for a client that made the tag up, and a body that is refused is
refused whatever comes with it.
"""

import re
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
"""Under this path each ruling has its permalink."""

VARY = "Prefer, Accept"
"""What else an answer to a question depends on."""

FRESH_S = 3_600
"""Seconds for which a settled answer may be taken from a cache: the next edition or engine may answer otherwise."""

DIGITS = 32
"""Hex digits of a tag and of a permalink: 128 bits, which nobody guesses and which never meet by chance."""

_TAG = re.compile(r'(W/)?("[!#-~\x80-\xff]*")')
_DICE_SOURCES = ("seed", "hand", "throws")


class _WithDice(msgspec.Struct):
    dice: Any = None


_with_dice = msgspec.json.Decoder(_WithDice)


def is_settled(game: Arbiter, question: str, kind: str, body: bytes) -> bool:
    """Decide whether a body alone determines the answer. A body that is none has none, and counts as not settled."""
    if kind == "odds" or not game.questions[question].dice:
        return True
    # A client that escapes letters of the name merely goes without a tag.
    if b'"dice"' not in body:
        return False
    try:
        dice = _with_dice.decode(body).dice
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(dice, dict) and any(dice.get(source) is not None for source in _DICE_SOURCES)


def settled_id(game: Arbiter, question: str, kind: str, body: bytes) -> str:
    """Give the id of the answer to a settled question: its entity tag without quotes, and its permalink."""
    return _digest(game.name, game.edition, ENGINE, question, kind, body)


def _digest(*parts: str | bytes) -> str:
    """Give an id for parts of any length."""
    each = (sha256(part.encode() if isinstance(part, str) else part).digest() for part in parts)
    return sha256(b"".join(each)).hexdigest()[:DIGITS]


def matches(field: str, tag: str) -> bool:
    """Decide whether `If-None-Match` names the tag, weakly compared; `*` names any."""
    return field.strip(" \t") == "*" or any(tag == named for _, named in _TAG.findall(field))


def matches_strongly(field: str, tag: str | None) -> bool:
    """Decide whether `If-Match` names the tag, strongly compared; `*` names any answer, one without a tag, too."""
    return field.strip(" \t") == "*" or any(tag == named and not weak for weak, named in _TAG.findall(field))


class ConditionalResponses:
    """Answers questions with validators, from memory where the answer cannot change."""

    def __init__(self, rulings: RulingStore) -> None:
        self.rulings = rulings

    def respond(
        self, kind: Kind, game: Arbiter, question: str, body: bytes, decide: Callable[[], Response]
    ) -> Response:
        """Answer a question, or its odds, as it is decided, or answer that the client has the answer already."""
        id_ = settled_id(game, question, kind, body) if is_settled(game, question, kind, body) else ""
        tag = f'"{id_}"' if id_ else ""
        prefers_job = "Prefer" in request.headers or "Idempotency-Key" in request.headers
        recent = self.rulings.recent(id_) if id_ and not prefers_job else None
        if recent is not None:
            return _conditional(Response(recent.answer, content_type=JSON), tag, _permalink(id_))
        answer = decide()
        if answer.status_code != 200 or "Content-Location" in answer.headers:
            return answer  # a problem, a job, or the result of one, which has a place of its own
        content = answer.get_data()
        # A settled question has one permalink; an answer with rolled dice has one of its own.
        id_ = id_ or _digest(kind, game.name, question, body, content)
        ruling = StoredRuling(kind, game.name, question, game.edition, ENGINE, self.rulings.clock(), body, content)
        stored = self.rulings.put(id_, ruling, alone=not request.environ.get("wsgi.multiprocess", False))
        return _conditional(answer, tag, _permalink(id_) if stored else "")


def _permalink(id_: str) -> str:
    return f"{PERMALINKS}/{id_}"


def _conditional(answer: Response, tag: str, permalink: str) -> Response:
    """Add validators to an answer, and hold it to `If-Match` and `If-None-Match`."""
    headers = [("Cache-Control", f"max-age={FRESH_S}" if tag else "no-store")]
    headers += [(name, value) for name, value in (("ETag", tag), ("Content-Location", permalink)) if value]
    if_match, if_none_match = request.headers.get("If-Match"), request.headers.get("If-None-Match")
    if if_match is not None and not matches_strongly(if_match, tag or None):
        raise ProblemError("precondition-failed", "The answer is none of those that `If-Match` names.")
    if tag and if_none_match is not None and matches(if_none_match, tag):
        if request.method != QUERY:
            # RFC 9110, 13.1.2: only methods that read are answered by 304.
            raise ProblemError(
                "precondition-failed",
                "The answer is one of those that `If-None-Match` names; QUERY would give 304.",
                headers=dict(headers),
            )
        return Response(status=304, headers=headers)
    answer.headers.extend(headers)
    return answer


def vary(answer: Response) -> Response:
    """Add what an answer to a question depends on, and that the question may be asked by `QUERY`."""
    answer.headers.add("Vary", VARY)
    answer.headers["Accept-Query"] = JSON
    return answer
