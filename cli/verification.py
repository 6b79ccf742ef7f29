"""Verifying: whether a signed ruling is what it says, step by step and in words.

The signature shows who made it, the posted text shows the question, and the commitment shows that neither side chose
the dice. The question is decided again, to check that the ruling follows from it. A step that cannot be made here is
left open.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import msgspec

from api.schemas import codec
from api.schemas.bodies import later_type
from api.schemas.canonical_json import NotCanonical, canonical
from api.signing import epochs
from api.signing.epochs import Epoch
from api.signing.statement import Signed, origin
from arbiter.fault import Faults
from arbiter.game import ENGINE, Arbiter
from arbiter.question import DiceSpec
from arbiter.ruling import Ruling
from arbiter.sources.examples import differences
from arbiter.value import Value
from cli.signing_keys import is_signed

Outcome = Literal["holds", "fails", "open"]


class Step(Value, frozen=True):
    """One step: what was checked, whether it holds, fails or is left open, and why."""

    about: Literal["form", "signature", "question", "dice", "epoch", "ruling"]
    outcome: Outcome
    reason: str


class _PostedBody(msgspec.Struct):
    """The required members of a posted text of any game."""

    case: dict[str, Any]
    dice: DiceSpec = DiceSpec()
    readings: dict[str, str] = {}


class Evidence(NamedTuple):
    """The evidence to verify a ruling with: keys by `kid`, epochs by id, and games; None if not available."""

    keys: Mapping[str, bytes] | None
    epoch: Callable[[str], Epoch | None] | None
    games: Mapping[str, Arbiter]


def verdict(steps: list[Step]) -> Outcome:
    """Sum up: it fails if any step does, and holds if all do."""
    outcomes = {step.outcome for step in steps}
    return "fails" if "fails" in outcomes else "open" if "open" in outcomes else "holds"


def verify(document: Any, evidence: Evidence) -> Iterator[Step]:
    """Make every step with a signed ruling, given as parsed JSON."""
    try:
        signed = msgspec.convert(document, Signed)
        ruling = msgspec.convert(signed.statement.ruling, Ruling[Any])
        statement, posted = canonical(document["statement"]), msgspec.json.decode(signed.body)
        msgspec.convert(posted, _PostedBody)
    except (msgspec.MsgspecError, NotCanonical) as wrong:
        yield Step("form", "fails", f"That is no signed ruling: {wrong}.")
        return
    yield _signature(signed, statement, evidence.keys)
    yield _question(signed, ruling)
    dice = _dice(signed, ruling)
    yield dice
    seed: str | None = None
    if dice.outcome == "holds" and signed.statement.dice.origin == "committed":
        step, seed = _epoch(signed, ruling, posted, evidence.epoch)
        yield step
    yield _ruling(ruling, signed.statement.ruling, posted, seed, evidence.games)


def _signature(signed: Signed, statement: bytes, keys: Mapping[str, bytes] | None) -> Step:
    kid = signed.signature.key
    if keys is None:
        return Step("signature", "open", f"No keys are at hand, so that nothing is known of who signed with {kid}.")
    if kid not in keys:
        return Step("signature", "fails", f"The key {kid} is none of the keys of that service.")
    if not is_signed(statement, signed.signature, keys[kid]):
        return Step("signature", "fails", f"The key {kid} has not signed this statement.")
    return Step("signature", "holds", f"The key {kid} has signed this statement, made {signed.statement.made}.")


def _question(signed: Signed, ruling: Ruling[Any]) -> Step:
    if sha256(signed.body.encode()).hexdigest() != signed.statement.body_sha256:
        return Step("question", "fails", "The posted text is not the one that was signed: its SHA-256 is another.")
    return Step(
        "question", "holds", f"The posted text is the one that was signed, for {ruling.game}, {ruling.question}."
    )


_WHOSE = {
    "service": "The service picked the dice by itself: the caller could ask again until they pleased.",
    "caller": "The caller named the seed or the faces.",
    "committed": "The dice are committed ones.",
}


def _dice(signed: Signed, ruling: Ruling[Any]) -> Step:
    claimed = signed.statement.dice.origin
    if origin(signed.body.encode()) != claimed:
        return Step(
            "dice", "fails", f"The statement says that the dice are those of {claimed}; the posted text does not."
        )
    return Step("dice", "holds", _WHOSE[claimed] if ruling.throws else "No dice fell.")


def _epoch(
    signed: Signed, ruling: Ruling[Any], posted: Mapping[str, Any], find: Callable[[str], Epoch | None] | None
) -> tuple[Step, str | None]:
    """Check the commitment, and give the seed that follows from the secret of the epoch, if it is revealed."""

    def step(outcome: Outcome, text: str) -> Step:
        return Step("epoch", outcome, text)

    named: str = posted["dice"]["committed"]["epoch"]
    span = epochs.span_of(named)
    if span is None:
        return step("fails", f"{named!r} names no epoch."), None
    made = signed.statement.made
    if not epochs.moment(span.begins) <= made <= epochs.moment(span.reveals):
        return step("fails", f"The ruling was made {made}, which is not within the epoch {named}."), None
    epoch = find(named) if find else None
    if epoch is None:
        return step("open", f"The epoch {named} is not at hand, so that the commitment cannot be compared."), None
    if epoch.commitment != signed.statement.dice.commitment:
        return step("fails", f"The commitment is not the one that was published for the epoch {named}."), None
    if epoch.secret is None:
        return step("open", f"The commitment is the published one; the secret is revealed {epoch.reveals}."), None
    try:
        secret = bytes.fromhex(epoch.secret)
        seed = epochs.seed(secret, epochs.subject(ruling.game, ruling.question, posted))
    except ValueError as wrong:
        return step("fails", f"No seed can be made of this: {wrong}."), None
    if sha256(secret).hexdigest() != epoch.commitment:
        return step("fails", f"The revealed secret of the epoch {named} does not hash to its commitment."), None
    if ruling.seed not in (None, seed):
        return step("fails", "The seed does not follow from the secret of the epoch and what was asked."), None
    return step(
        "holds", f"The seed follows from the secret of the epoch {named}, to which the service had committed."
    ), seed


def _ruling(
    ruling: Ruling[Any], stated: Any, posted: Mapping[str, Any], seed: str | None, games: Mapping[str, Arbiter]
) -> Step:
    game = games.get(ruling.game)
    if game is None or ruling.question not in game.questions:
        return Step(
            "ruling", "open", f"{ruling.question} of {ruling.game} is not known here, and cannot be decided again."
        )
    if (game.edition, ENGINE) != (ruling.edition, ruling.engine):
        ours = f"this is {game.edition}, engine {ENGINE}"
        return Step("ruling", "open", f"It was made by {ruling.edition}, engine {ruling.engine}; {ours}.")
    try:
        again = _decide(game, ruling, posted, seed)
    except Faults as refusal:
        first = refusal.faults[0]
        return Step("ruling", "fails", f"Asked again, this is refused: {first.pointer or 'the whole'} {first.message}.")
    if canonical(again) != canonical(stated):
        where = differences(stated, again) or differences(again, stated) or ["in what cannot be told"]
        return Step("ruling", "fails", f"Decided again, the ruling is another: {where[0][:300]}.")
    thrown = f"{len(ruling.throws)} dice" if ruling.throws else "no dice"
    return Step("ruling", "holds", f"Decided again with {thrown}, the ruling is the same.")


def _decide(game: Arbiter, ruling: Ruling[Any], posted: Mapping[str, Any], seed: str | None) -> Any:
    """Decide the question again, with the seed that follows from the secret, or else with the ruling's seed."""
    question = game.questions[ruling.question]
    used_seed = seed or ruling.seed or "none of its dice came from a seed"
    ask = codec.decode_object(later_type(question, "ruling"), posted)
    if ask.dice.committed is not None:
        ask = msgspec.structs.replace(ask, dice=DiceSpec(seed=used_seed, hand=ask.dice.hand))
    again = game.ask(question.name, ask, seed=used_seed, posted=lambda: posted["case"]["scene"])
    return codec.to_builtins(again)
