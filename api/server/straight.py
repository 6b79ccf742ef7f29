"""Questions on the short way: a plain question is answered without Flask.

Nine of ten questions are of this kind: posted as JSON with nothing else about them, and light. What is answered, kept
and signed is what the long way answers, keeps and signs, by the same functions. Whatever goes wrong with a question is
left to the long way, which makes a problem of it without deciding it a second time.

The players of one table see the same move and ask the same of it. Where deciding takes more than this process, because
another service decides or the ruling is to be signed, the answer to a settled question is given again to whoever posts
it to the letter.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec

from api.arbiters.local import ArbiterClient, LocalArbiter, Reply, TrustedLocalArbiter, passed_on
from api.caching.conditional import ACCEPT_QUERY, VARY, ConditionalResponses, Known, validators
from api.caching.etags import settled
from api.observability.request_log import NAME
from api.schemas.responses import JSON
from api.schemas.scenes import may_refer
from api.signing.commitments import is_committed
from api.signing.envelope import SIGNED, Signing
from api.signing.statement import Origin, chosen_by, origin
from arbiter.game import Arbiter

Answer = tuple[str, list[tuple[str, str]], bytes]
"""Status, headers and body."""

ALWAYS = [("Vary", VARY), ("Accept-Query", ACCEPT_QUERY)]
"""What every answer to a question says."""


WRONG = "arbiter.wrong"
"""Under this name the WSGI environment holds what went wrong with a question on the short way."""


class _Place(NamedTuple):
    game: Arbiter
    seat: ArbiterClient


class Straight:
    """Answers plain questions. `seats` says who decides each game."""

    def __init__(
        self,
        games: Mapping[str, Arbiter],
        seats: Mapping[str, ArbiterClient],
        lasting: ConditionalResponses,
        signing: Signing,
    ) -> None:
        self._lasting, self._signing = lasting, signing
        self._places = {name: _Place(games[name], seat) for name, seat in seats.items()}

    def takes(self, environ: Mapping[str, Any], path: str, game: str, question: str) -> bool:
        """Say whether a question may go this way, before anything of its body is read."""
        place = self._places.get(game)
        # Odds, and what may be heavy, can become jobs.
        if place is None or path.endswith("/odds") or place.game.questions[question].cost is not None:
            return False
        return environ.get("HTTP_ACCEPT") in _FORMS and (
            environ.get("HTTP_ACCEPT") != SIGNED or self._signing.signer is not None
        )

    def answered(self, environ: dict[str, Any], path: str, game: str, question: str, body: bytes) -> Answer | None:
        """Answer a question that may go this way; None for what has to go the long one."""
        place, signed = self._places[game], environ.get("HTTP_ACCEPT") == SIGNED
        passed = passed_on(environ) if isinstance(place.seat, TrustedLocalArbiter) else None
        mark = None
        # What is decided here is decided again: that takes less than a tenth of a millisecond longer.
        if signed or not isinstance(place.seat, LocalArbiter):
            mark = self._lasting.mark(path, body, "signed" if signed else "json")
            if (again := self._again(mark, signed=signed)) is not None:
                return again
        try:
            decided = self._decided(environ, place.seat, question, body, passed, signed=signed)
            if decided is None:
                return None
            chooser, reply = decided
            if not isinstance(reply, Reply):
                content = self._signing.signed(body, chooser, reply, None)
                if mark and settled(place.game, question, "ruling", body):
                    self._signing.remember(mark, content)
                return _given_signed(content)
        except Exception as wrong:
            # Every kind of it, faults of our own as well, is told and logged where all of them are.
            if not is_committed(body):
                environ[WRONG] = wrong
            return None
        said = _said(reply.media_type, reply.body)
        if passed is not None:
            # The gateway tags and keeps the answer, for all who will ask it.
            return "200 OK", said, reply.body
        if reply.status != HTTPStatus.OK:  # a problem, from a service of the game's own
            return f"{reply.status} {HTTPStatus(reply.status).phrase.upper()}", [*said, *ALWAYS], reply.body
        mark = mark or self._lasting.mark(path, body)
        known = self._lasting.known(mark)
        if known is None:
            known = self._lasting.learned(environ, mark, "ruling", place.game, question, body, reply.body)
        return _given(known, reply.body)

    def _again(self, mark: bytes, *, signed: bool) -> Answer | None:
        """Give the answer to a settled question that was posted before, to the letter, if it is still at hand."""
        if signed:
            content = self._signing.remembered(mark)
            return None if content is None else _given_signed(content)
        known = self._lasting.known(mark)
        answer = None if known is None else self._lasting.answer(known)
        return None if known is None or answer is None else _given(known, answer)

    @staticmethod
    def _decided(
        environ: Mapping[str, Any], seat: ArbiterClient, question: str, body: bytes, seed: str | None, *, signed: bool
    ) -> tuple[Origin, Any] | None:
        """Decide a question; say who chose its dice, and give the reply, or the ruling itself where it is to be signed.

        None for one that goes the long way: one with committed dice, or to be signed with a board of ours, which
        whoever checks it does not have.
        """
        if isinstance(seat, LocalArbiter):
            read = seat.read(question, body)
            chooser = chosen_by(read.ask.dice)
            if chooser == "committed" or (signed and read.refers):
                return None
            return chooser, seat.ruling(question, read, seed) if signed else Reply(seat.ruled(question, read, seed))
        if is_committed(body) or (signed and may_refer(body)):
            return None
        reply = seat.ask(question, body, environ[NAME])
        if signed and reply.status == HTTPStatus.OK:
            return origin(body), msgspec.json.decode(reply.body)
        return "service", reply


_FORMS = frozenset({None, "", "*/*", JSON, SIGNED})


def _said(form: str, content: bytes) -> list[tuple[str, str]]:
    return [("Content-Type", form), ("Content-Length", str(len(content)))]


def _given(known: Known, ruling: bytes) -> Answer:
    return "200 OK", [*validators(known.tag, known.link), *_said(JSON, ruling), *ALWAYS], ruling


def _given_signed(content: bytes) -> Answer:
    return "200 OK", [*_said(SIGNED, content), ("Cache-Control", "no-store"), *ALWAYS], content
