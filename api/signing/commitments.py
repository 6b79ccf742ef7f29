"""Committed dice: `"dice": {"committed": …}` in a question becomes a seed that neither service nor client chose.

The service has published the hash of its secret before the client says its seed, and each nonce answers one question.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from flask import Response

from api.caching.board_library import naming_boards
from api.problems.handlers import ProblemError
from api.schemas import codec
from api.schemas.bodies import ask_type, later_type
from api.schemas.canonical_json import NotCanonical, canonical
from api.settings import Settings
from api.signing import epochs
from api.signing.epochs import Epochs
from api.signing.keys import unwritten
from api.signing.nonces import Nonces
from api.signing.statement import origin
from arbiter.fault import Fault, Faults, pointer
from arbiter.game import Arbiter
from arbiter.question import Ask, Committed
from arbiter.simulation.simulate import Simulate

MOST_CHOSEN = 200
"""Choices that may be said with committed dice; each is remembered until the epoch is revealed."""


class Drawn(NamedTuple):
    """A question whose committed dice have become a seed: the body to decide, and what its nonce is bound to.

    `open` says whether choices may still follow.
    """

    body: bytes
    commitment: str
    name: str
    asked: str
    span: epochs.Span
    open: bool


class _Chosen(msgspec.Struct):
    """What has to be known of a ruling: who chose what."""

    choices: list[dict[str, Any]] = []


def is_committed(body: bytes) -> bool:
    """Say whether the dice of a body are committed ones.

    Written with an escape the word is not found, and the kernel refuses what was not settled.
    """
    if b'"committed"' not in body:
        return False
    try:
        return origin(body) == "committed"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False  # whoever reads it will say what is wrong with it


class Commitments:
    """Makes seeds of committed dice, and sees to it that each nonce answers one question."""

    def __init__(self, settings: Settings, nonces: Nonces | None) -> None:
        """Take the epochs from the settings; without them, or without a place to keep nonces, there are none."""
        self._nonces, self._deepest = nonces, settings.max_depth
        self.epochs = Epochs(unwritten(settings.epoch_secret), settings.epoch_s) if settings.epoch_secret else None

    def answered(
        self, game: Arbiter, question: str, body: bytes, decide: Callable[[bytes], Response], *, plainly: bool
    ) -> tuple[Response, str | None]:
        """Have a body decided; where its dice are committed ones, with their seed, and give the commitment as well.

        What may become a job (not `plainly`) is bound with everything that is posted. Raises `Faults` for a body that
        cannot be asked, before the nonce is bound; what turns out wrong only when dice have fallen spends the nonce.
        """
        drawn = self._drawn(game, question, body, plainly=plainly) if is_committed(body) else None
        if drawn is None:
            return decide(body), None
        try:
            answer = decide(drawn.body)
        except Faults:
            self._spend(drawn)
            raise
        if answer.status_code == 422:
            self._spend(drawn)
        elif answer.status_code == 200 and drawn.open:
            # Before anybody sees it: who knows the dice must not take from a policy what it has chosen.
            made = msgspec.json.decode(answer.get_data(), type=_Chosen).choices
            by_policy = [each for each in made if each["origin"] != "said"]
            self._fix(drawn, {_place(each["label"], each["index"]): _option(each["option"]) for each in by_policy})
        return answer, drawn.commitment

    def _drawn(self, game: Arbiter, question: str, body: bytes, *, plainly: bool) -> Drawn | None:
        asking = game.question(question)
        wanted = ask_type(asking) if plainly else later_type(asking, "ruling")
        with naming_boards():
            ask: Ask[Any] = codec.decode(wanted, body, deepest=self._deepest)
        if (committed := ask.dice.committed) is None:
            return None
        if ask.dice.seed is not None or ask.dice.throws is not None:
            raise Faults([_TWICE])
        known, _ = self._both()
        span = _span(committed, known)
        # Names of readings and policies are looked up, and the case is prepared, without playing anything.
        game.player(question, Simulate(case=ask.case, policies=ask.policies, readings=ask.readings))
        posted = msgspec.json.decode(body)
        try:
            asked = epochs.asked(game.name, question, posted)
            whole = asked if plainly else canonical(posted)
            name = sha256(canonical([committed.epoch, committed.client_seed, committed.nonce])).hexdigest()[:40]
            chosen = dict(_said(ask.choices)) if plainly else {}
        except NotCanonical as wrong:
            raise Faults([not_canonical(str(wrong))]) from None
        # The rest of `dice` stays as it is.
        dice = {member: said for member, said in posted["dice"].items() if member != "committed"}
        posted["dice"] = {**dice, "seed": epochs.seed(known.secret(span), asked)}
        drawn = Drawn(
            msgspec.json.encode(posted), known.commitment(span), name,
            f"{'open' if plainly else 'whole'}:{sha256(whole).hexdigest()}", span, plainly,
        )  # fmt: skip
        self._fix(drawn, chosen)
        return drawn

    def _fix(self, drawn: Drawn, chosen: Mapping[str, str]) -> None:
        known, nonces = self._both()
        now = epochs.now()
        outcome = nonces.fix(
            drawn.name, drawn.asked, chosen, kept_s=drawn.span.reveals - now, fresh=now < drawn.span.ends
        )
        if outcome == "used":
            raise ProblemError("nonce-used", "Something else was asked or chosen under this nonce; take another one.")
        if outcome == "late":
            raise Faults([_over(drawn.span.id, known.current().id)])

    def _spend(self, drawn: Drawn) -> None:
        if drawn.open:
            _, nonces = self._both()
            kept_s = drawn.span.reveals - epochs.now()
            nonces.fix(drawn.name, drawn.asked, {}, kept_s=kept_s, fresh=True, spent=True)

    def _both(self) -> tuple[Epochs, Nonces]:
        if self.epochs is None:
            raise ProblemError("no-commitments", "This service has no secret of which epochs could be made.")
        if self._nonces is None:
            raise ProblemError("no-commitments", "There is no Redis here that would remember which nonces were used.")
        return self.epochs, self._nonces


def _span(committed: Committed, known: Epochs) -> epochs.Span:
    """Give the epoch of committed dice, if it is the current one, or the one before and not yet closed."""
    current = known.current()
    before = epochs.Span(current.length, current.number - 1)
    if committed.epoch == current.id:
        return current
    if committed.epoch == before.id and epochs.now() < before.closes:
        return before
    raise Faults([_over(committed.epoch, current.id)])


def _over(said: str, current: str) -> Fault:
    return Fault(
        pointer("dice", "committed", "epoch"), "not-this-epoch", "dice are drawn for questions of the current epoch",
        seen=said, asked=current, hint="/v1/epochs tells the current epoch and those that come next",
    )  # fmt: skip


_TWICE = Fault(
    pointer("dice"), "committed-and-named", "committed dice take the place of a seed and of throws",
    asked="either `committed`, or `seed` and `throws`", hint="leave out `seed` and `throws`",
)  # fmt: skip


def not_canonical(why: str) -> Fault:
    """Tell of a body or a ruling that cannot be signed or bound."""
    return Fault(
        "", "not-canonical", f"this has no canonical form (RFC 8785): {why}",
        asked="whole numbers below 2^53, and text that is Unicode",
    )  # fmt: skip


def _said(choices: Mapping[str, tuple[Any, ...]]) -> Iterator[tuple[str, str]]:
    if sum(map(len, choices.values())) > MOST_CHOSEN:
        raise Faults(
            [
                Fault(
                    pointer("choices"), "too-many-choices", "too many choices are said at once for committed dice",
                    asked=f"at most {MOST_CHOSEN}", hint="leave some of them to a policy",
                )
            ]
        )  # fmt: skip
    for label, options in choices.items():
        yield from ((_place(label, index), _option(option)) for index, option in enumerate(options))


def _place(label: str, index: int) -> str:
    return sha256(canonical([label, index])).hexdigest()[:24]


def _option(option: Any) -> str:
    return sha256(canonical(option)).hexdigest()[:32]
