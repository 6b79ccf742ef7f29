"""Answers to an opponent's action: the reactions available to a unit at each moment, and their price."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from arbiter.option import Option
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Choice, Table
from arbiter.text import Listing
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.book import Action, number
from services.rapture.rules import boxes, prices, reach, rolls
from services.rapture.rules.prices import Price

Trigger = Literal[
    "close-combat", "counterblow", "ranged", "countershot", "movement-into-contact", "movement-out-of-contact"
]
"""What an opponent does; counterblow and countershot are attacks, too."""

Moment = Literal["before-contact", "before-hit-roll", "before-block-roll", "after-attack"]
"""When in it a reaction is made."""

NONE = "none"
"""The option not to react."""

_ALSO: dict[Trigger, str] = {
    "counterblow": "close-combat",
    "countershot": "ranged",
    "movement-out-of-contact": "movement-into-contact",
}

_MOMENTS = {
    ("close-combat", "before-hit-roll"): "before the hit roll",
    ("close-combat", "after-attack"): "after the attack",
    ("counterblow", "before-hit-roll"): "before the hit roll of the counterblow",
    ("counterblow", "after-attack"): "after the counterblow",
    ("ranged", "before-hit-roll"): "before the hit roll",
    ("ranged", "before-block-roll"): "before the block roll",
    ("countershot", "before-hit-roll"): "before the hit roll",
    ("countershot", "before-block-roll"): "before the block roll",
    ("movement-into-contact", "before-contact"): "before contact",
    ("movement-out-of-contact", "before-contact"): "before leaving contact",
}

_CITES = {
    "dodge": ("dodge/trigger", "dodge/before-hit-roll"),
    "counterblow": ("counterblow/trigger", "counterblow/after"),
    "countershot": ("countershot/trigger", "countershot/before-contact"),
    "seek-shelter": ("seek-shelter/trigger",),
}


_DICE = {"dodge": "tec", "counterblow": "att", "countershot": "rof"}
"""The value that is the number of dice of a reaction."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy knows when it decides on a reaction: the battlefield, and the reactions without any dice."""

    field: Battlefield
    without_dice: frozenset[str]


class Offer(Value, frozen=True):
    """A reaction at one moment: what it does, its price in RP, the RP available, and why it is not available."""

    reaction: str
    name: str
    does: str | None
    rp: int
    at_hand: int
    reasons: tuple[Reason, ...]

    @property
    def open(self) -> bool:
        """Whether the reaction is available."""
        return not self.reasons


def choose_reaction(
    table: Table,
    field: Battlefield,
    unit_id: str,
    trigger: Trigger,
    actor_id: str,
    moment: Moment,
    earlier: tuple[str, ...],
    more: tuple[Offer, ...] = (),
) -> str | None:
    """Give the reaction that the player of a unit chooses, or None; without an available one there is no choice.

    `earlier` are the reactions already taken to this action, `more` offers beside those of the overview.
    """
    every = (*offers(table, field, unit_id, trigger, actor_id, moment, earlier), *more)
    open_offers = [offer for offer in every if offer.open]
    if not open_offers:
        return None
    label = f"{unit_id}: {_MOMENTS[trigger, moment]}"
    options = (NONE, *(offer.reaction for offer in open_offers))
    about = Decision(field, _without_dice(table, field, unit_id, options))
    means = partial(_meant, {offer.reaction: offer for offer in open_offers})
    choice: str = table.choose(field.player(unit_id), label, options, about=about, means=means)
    return None if choice == NONE else choice


def _meant(offers: Mapping[str, Offer], reaction: str) -> Option:
    """Give what an option means: the reaction with its price, or none."""
    if reaction == NONE:
        return Option(NONE, f"{next(iter(offers.values())).at_hand} RP left: no reaction")
    offer = offers[reaction]
    left = offer.at_hand - offer.rp
    label = f"{offer.name}: {offer.rp} RP, {left} left: {offer.does}"
    return Option(reaction, label, {"reaction": reaction, "rp": offer.rp, "left": left})


def first_reaction(choice: Choice) -> Any:
    """Choose the first reaction that is available and has dice, and the first option of any other choice."""
    return next(useful_reactions(choice), choice.options[0])


def useful_reactions(choice: Choice) -> Iterator[str]:
    """Give the reactions among the options that do not pay for a roll of no dice."""
    idle = choice.about.without_dice if isinstance(choice.about, Decision) else frozenset()
    return (option for option in choice.options if option != NONE and option not in idle)


def _without_dice(table: Table, field: Battlefield, unit_id: str, reactions: tuple[str, ...]) -> frozenset[str]:
    rolled = [reaction for reaction in reactions if reaction in _DICE]
    now = rolls.current_values(table, field, unit_id) if rolled else None
    return frozenset(reaction for reaction in rolled if not getattr(now, _DICE[reaction]))


def available_rp(table: Table, field: Battlefield, unit_id: str) -> int:
    """Give the RP that a unit can spend on reactions."""
    with table.without_findings():
        payer_id = prices.payer(table, field, unit_id)
    rp = field.unit(payer_id).rp
    return rolls.current_values(table, field, payer_id).rp if rp is None else rp


@rule("answers.offers", cites="action/columns", neutral=())
def offers(
    table: Table,
    field: Battlefield,
    unit_id: str,
    trigger: Trigger,
    actor_id: str,
    moment: Moment,
    earlier: tuple[str, ...] = (),
) -> tuple[Offer, ...]:
    """Decide which reactions a unit can take at a moment of an opponent's action, and why not the others.

    `actor_id` is the opponent, `earlier` the reactions that the unit has already taken to this action.
    """
    rp, side, actor_side = available_rp(table, field, unit_id), field.player(unit_id), field.player(actor_id)
    rows = []
    for row in field.book.actions.values():
        if row.type != "reaction":
            continue
        reasons = table.once(timing_violations, row, side, trigger, actor_side, moment)
        if not reasons:
            unpaid = () if rp >= row.rp else prices.violations(table, field, unit_id, Price(rp=row.rp))
            # Those of the book are all given, or else the first of those that readings decide.
            reasons = (
                (*unpaid, *attack_violations(table, field, unit_id, row, actor_id))
                or trigger_violations(table, row, trigger)
                or repetition_violations(table, field, unit_id, row, earlier)
                or marker_violations(table, field, unit_id)
                or shelter_violations(table, field, unit_id, row)
            )
            for reason in reasons:
                table.find("{reaction} is not available: {why}", cites=reason.cites, reaction=row.name, why=reason)
        rows.append(Offer(row.id, row.name, row.does, row.rp, rp, reasons))
        if not reasons:
            if row.id == "seek-shelter":
                table.read("shelter-when")
            text = "{unit} can react with {reaction} for {price} of {rp} RP"
            cites = "action/columns", f"action/{row.id}"
            table.find(text, cites=cites, reaction=row.name, unit=field.name(unit_id), price=row.rp, rp=rp)
    return tuple(rows)


@violations_rule("answers.timing_violations", cites=tuple(unit for units in _CITES.values() for unit in units))
def timing_violations(
    table: Table, row: Action, side: str, trigger: Trigger, actor_side: str, moment: Moment
) -> Iterator[Reason]:
    """Decide why a side cannot take a reaction at this moment: each belongs to a moment of an opponent's action.

    At which moment of a ranged attack a unit seeks shelter is `shelter-when`.
    """
    if actor_side == side:
        yield table.reason("{reaction} only answers opponents", cites=_CITES[row.id], reaction=row.name)
        return
    # Looked up without marking the reading, which `offers` does where it makes the difference.
    due = table.readings["shelter-when"] if row.id == "seek-shelter" else row.moment
    if _ALSO.get(trigger, trigger) != row.answers or moment != due:
        when = row.when if due == row.moment else "a ranged attack, before its block roll"
        yield table.reason("{reaction} answers {when}", cites=_CITES[row.id], reaction=row.name, when=when)


@violations_rule(
    "answers.attack_violations", cites=("counterblow/alive", "counterblow/attack", "countershot/ranged-attack")
)
def attack_violations(table: Table, field: Battlefield, unit_id: str, row: Action, actor_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot strike or shoot back: it has no HP, or its target is out of reach."""
    if "health-left" in row.needs and boxes.left(field, unit_id, "hp") < number("counterblow-health"):
        yield table.reason("{unit} has no HP left", cites="counterblow/alive", unit=field.name(unit_id))
    elif "target-in-reach" in row.needs:
        yield from reach.close(table, field, unit_id, actor_id).reasons
    elif "target-in-range" in row.needs:
        yield from reach.shot(table, field, unit_id, actor_id).reasons


@violations_rule(
    "answers.trigger_violations", cites=("counterblow/trigger", "countershot/trigger", "seek-shelter/trigger")
)
def trigger_violations(table: Table, row: Action, trigger: Trigger) -> Iterator[Reason]:
    """Decide why a reaction cannot answer another reaction, or a movement out of contact.

    That is `counterblow-answers`, `countershot-answers` and `countershot-trigger`.
    """
    what: str | None = None
    if trigger == "counterblow":
        option = table.read("counterblow-answers")
        if option == "nothing" or (option == "dodge" and row.id != "dodge"):
            what = "a counterblow"
    elif trigger == "countershot" and table.read("countershot-answers") == "nothing":
        what = "a countershot"
    elif trigger == "movement-out-of-contact" and table.read("countershot-trigger") == "into":
        what = "a movement out of contact"
    if what is not None:
        yield table.reason("{reaction} cannot answer {what}", cites=_CITES[row.id][:1], reaction=row.name, what=what)


@violations_rule(
    "answers.repetition_violations",
    cites=("action/dodge", "action/counterblow", "action/countershot", "action/seek-shelter", "action/retreat"),
)
def repetition_violations(
    table: Table, field: Battlefield, unit_id: str, row: Action, earlier: tuple[str, ...]
) -> Iterator[Reason]:
    """Decide why a unit cannot react again to the same action: `reactions-per-trigger`."""
    often = table.read("reactions-per-trigger") if earlier else "unlimited"
    if often != "unlimited" and (often != "each-once" or row.id in earlier):
        answered = Listing(dict.fromkeys(field.book.actions[id_].name for id_ in earlier))
        text, unit = "{unit} has already reacted with {answered}", field.name(unit_id)
        yield table.reason(text, cites=f"action/{row.id}", unit=unit, answered=answered)


@violations_rule("answers.marker_violations", cites=("activation/escaping", "seek-shelter/only-get-up"))
def marker_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why an escaping or sheltered unit cannot react: `escaping-reactions`, `shelter-reactions`."""
    unit = field.unit(unit_id)
    if unit.escaping and table.read("escaping-reactions") == "none":
        yield table.reason("{unit} has an Escape Marker", cites="activation/escaping", unit=field.name(unit))
    elif unit.shelter_markers and table.read("shelter-reactions") == "none":
        yield table.reason("{unit} is sheltered", cites="seek-shelter/only-get-up", unit=field.name(unit))


@violations_rule("answers.shelter_violations", cites="seek-shelter/marker")
def shelter_violations(table: Table, field: Battlefield, unit_id: str, row: Action) -> Iterator[Reason]:
    """Decide why a unit cannot take a Shelter Marker: it has one already (`shelter-again`).

    Whether contact with an opponent forbids it is `shelter-in-contact`.
    """
    if row.id != "seek-shelter":
        return
    if field.unit(unit_id).shelter_markers and table.read("shelter-again") == "one-marker":
        yield table.reason("{unit} already has a Shelter Marker", unit=field.name(unit_id))
    elif not reach.moot(table, "shelter-in-contact", "allowed") and (
        reach.contact(table, field, unit_id) and table.read("shelter-in-contact") == "forbidden"
    ):
        yield table.reason("{unit} is in contact with an opponent", unit=field.name(unit_id))


@rule(
    "answers.pay",
    cites=(
        "profile/reaction-points",
        *("action/dodge", "action/counterblow", "action/countershot", "action/seek-shelter"),
    ),
    neutral=unchanged,
)
def pay(table: Table, field: Battlefield, unit_id: str, reaction: str) -> Battlefield:
    """Decide what a reaction costs: the RP of its row."""
    row = field.book.actions[reaction]
    after = prices.spend(table, field, unit_id, Price(rp=row.rp))
    text, cites = "{unit} reacts with {reaction} for {price} RP", ("profile/reaction-points", f"action/{row.id}")
    table.find(text, cites=cites, unit=field.name(unit_id), reaction=row.name, price=row.rp)
    table.event("reacted", unit=unit_id, reaction=reaction)
    return after
