"""Committed dice: `"dice": {"committed": …}` in a question becomes a seed that neither service nor client chose.

The service publishes the hash of its secret before the client sends its seed, and each nonce answers one question.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from flask import Response

from api.problems.handlers import ProblemError
from api.schemas import codec
from api.schemas.bodies import ask_type, later_type
from api.schemas.canonical_json import NotCanonical, canonical
from api.settings import Settings
from api.signing import epochs
from api.signing.epochs import Epochs
from api.signing.keys import decode_base64url
from api.signing.nonces import Nonces
from api.signing.statement import origin
from arbiter.fault import Fault, Faults, pointer
from arbiter.game import Arbiter
from arbiter.option import chosen_id
from arbiter.question import Ask, Committed
from arbiter.simulation.simulate import Simulate

MOST_CHOSEN = 200
"""Choices that may be given with committed dice; each is remembered until the epoch is revealed."""


class SeededQuestion(NamedTuple):
    """A question whose committed dice have become a seed: the body to decide, and the subject of its nonce.

    `open` says whether choices may still follow.
    """

    body: bytes
    commitment: str
    name: str
    subject: str
    span: epochs.Span
    open: bool


class _Chosen(msgspec.Struct):
    """The part of a ruling that is read here: its choices."""

    choices: list[dict[str, Any]] = []


def is_committed(body: bytes) -> bool:
    """Decide whether the dice of a body are committed ones.

    If the word is escaped it is not found, and the kernel refuses the dice.
    """
    if b'"committed"' not in body:
        return False
    try:
        return origin(body) == "committed"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False  # the decoder reports the fault


class Commitments:
    """Makes seeds of committed dice, and ensures that each nonce answers one question."""

    def __init__(self, settings: Settings, nonces: Nonces | None) -> None:
        """Take the epochs from the settings; without them, or without a store of nonces, there are none."""
        self._nonces, self._deepest = nonces, settings.max_depth
        self.epochs = (
            Epochs(decode_base64url(settings.epoch_secret), settings.epoch_s) if settings.epoch_secret else None
        )

    def respond(
        self, game: Arbiter, question: str, body: bytes, decide: Callable[[bytes], Response], *, plainly: bool
    ) -> tuple[Response, str | None]:
        """Have a body decided, with the seed of its committed dice if it has them, and give their commitment, too.

        A question that may become a job (not `plainly`) is bound with its whole body. Raises `Faults` for an invalid
        body before the nonce is bound; a fault that appears only after dice were rolled uses the nonce up.
        """
        seeded = self._seed(game, question, body, plainly=plainly) if is_committed(body) else None
        if seeded is None:
            return decide(body), None
        try:
            answer = decide(seeded.body)
        except Faults:
            self._spend(seeded)
            raise
        if answer.status_code == 422:
            self._spend(seeded)
        elif answer.status_code == 200 and seeded.open:
            # Before the client sees it: a client that knows the dice must not overrule a policy's choice.
            made = msgspec.json.decode(answer.get_data(), type=_Chosen).choices
            by_policy = [each for each in made if each["origin"] != "player"]
            self._fix(seeded, {_place(each["label"], each["index"]): _option(each["option"]) for each in by_policy})
        return answer, seeded.commitment

    def _seed(self, game: Arbiter, question: str, body: bytes, *, plainly: bool) -> SeededQuestion | None:
        asking = game.question(question)
        body_type = ask_type(asking) if plainly else later_type(asking, "ruling")
        ask: Ask[Any] = codec.decode(body_type, body, deepest=self._deepest)
        if (committed := ask.dice.committed) is None:
            return None
        if ask.dice.seed is not None or ask.dice.throws is not None:
            raise Faults([_TWICE])
        current_epochs, _ = self._both()
        span = _span(committed, current_epochs)
        # Names of readings and policies are looked up, and the case is prepared, without playing anything.
        game.player(question, Simulate(case=ask.case, policies=ask.policies, readings=ask.readings))
        posted = msgspec.json.decode(body)
        try:
            subject = epochs.subject(game.name, question, posted)
            whole = subject if plainly else canonical(posted)
            name = sha256(canonical([committed.epoch, committed.client_seed, committed.nonce])).hexdigest()[:40]
            chosen = dict(_bound_choices(ask.choices)) if plainly else {}
        except NotCanonical as wrong:
            raise Faults([not_canonical(str(wrong))]) from None
        # The rest of `dice` stays as it is.
        dice = {member: value for member, value in posted["dice"].items() if member != "committed"}
        posted["dice"] = {**dice, "seed": epochs.seed(current_epochs.secret(span), subject)}
        seeded = SeededQuestion(
            msgspec.json.encode(posted),
            current_epochs.commitment(span),
            name,
            f"{'open' if plainly else 'whole'}:{sha256(whole).hexdigest()}",
            span,
            plainly,
        )
        self._fix(seeded, chosen)
        return seeded

    def _fix(self, seeded: SeededQuestion, chosen: Mapping[str, str]) -> None:
        current_epochs, nonces = self._both()
        span, fresh = seeded.span, epochs.now() < seeded.span.ends
        outcome = nonces.fix(seeded.name, seeded.subject, chosen, reveals=span.reveals, fresh=fresh)
        if outcome == "used":
            raise ProblemError("nonce-used", "Another question or choice was posted under this nonce; take a new one.")
        if outcome == "late":
            raise Faults([_over(seeded.span.id, current_epochs.current().id)])

    def _spend(self, seeded: SeededQuestion) -> None:
        if seeded.open:
            _, nonces = self._both()
            nonces.fix(seeded.name, seeded.subject, {}, reveals=seeded.span.reveals, fresh=True, spent=True)

    def epochs_to_publish(self) -> Epochs | None:
        """Give the epochs to publish, or None; from now on the revealed secrets are never used again."""
        if self.epochs is not None and self._nonces is not None:
            self._nonces.note_time()
        return self.epochs

    def _both(self) -> tuple[Epochs, Nonces]:
        if self.epochs is None:
            raise ProblemError("no-commitments", "This service has no epoch secret.")
        if self._nonces is None:
            raise ProblemError("no-commitments", "This service has no Redis to store which nonces were used.")
        return self.epochs, self._nonces


def _span(committed: Committed, service_epochs: Epochs) -> epochs.Span:
    """Give the epoch of committed dice, if it is the current one, or the one before and not yet closed."""
    current = service_epochs.current()
    before = epochs.Span(current.length, current.number - 1)
    if committed.epoch == current.id:
        return current
    if committed.epoch == before.id and epochs.now() < before.closes:
        return before
    raise Faults([_over(committed.epoch, current.id)])


def _over(epoch: str, current: str) -> Fault:
    return Fault(
        pointer("dice", "committed", "epoch"),
        "not-this-epoch",
        "dice are drawn for questions of the current epoch",
        seen=epoch,
        expected=current,
        hint="/v1/epochs lists the current epoch and the next ones",
    )


_TWICE = Fault(
    pointer("dice"),
    "committed-and-named",
    "committed dice take the place of a seed and of throws",
    expected="either `committed`, or `seed` and `throws`",
    hint="leave out `seed` and `throws`",
)


def not_canonical(why: str) -> Fault:
    """Give the fault of a body or a ruling that cannot be signed or bound."""
    return Fault(
        "",
        "not-canonical",
        f"this has no canonical form (RFC 8785): {why}",
        expected="whole numbers below 2^53, and text that is Unicode",
    )


def _bound_choices(choices: Mapping[str, tuple[Any, ...]]) -> Iterator[tuple[str, str]]:
    if sum(map(len, choices.values())) > MOST_CHOSEN:
        raise Faults.one(
            pointer("choices"),
            "too-many-choices",
            "too many choices are posted with committed dice",
            expected=f"at most {MOST_CHOSEN}",
            hint="leave some of them to a policy",
        )
    for label, options in choices.items():
        yield from ((_place(label, index), _option(option)) for index, option in enumerate(options))


def _place(label: str, index: int) -> str:
    return sha256(canonical([label, index])).hexdigest()[:24]


def _option(option: Any) -> str:
    return sha256(canonical(chosen_id(option))).hexdigest()[:32]
