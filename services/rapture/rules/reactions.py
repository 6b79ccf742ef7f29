"""Countershots: ranged attacks that answer a movement into contact. Which reactions are available is in `answers`."""

from typing import Final

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Signed
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.book import number
from services.rapture.rules import answers, reach, shots, targets
from services.rapture.rules.answers import Trigger
from services.rapture.rules.shots import Attacked, AttackOutcome, no_attack
from services.rapture.scene import Place

COUNTERSHOT: Final = "countershot"

_TRIGGER: dict[bool, Trigger] = {True: "movement-out-of-contact", False: "movement-into-contact"}
"""What a countershot answers, by whether the mover leaves contact."""


@rule(
    "reactions.countershots",
    cites=("countershot/trigger", "countershot/before-contact", "countershot/ranged-attack"),
    neutral=no_attack,
)
def countershots(
    table: Table,
    field: Battlefield,
    shooter_id: str,
    mover_id: str,
    began_at: tuple[Place, ...] | None = None,
    leaving: bool = False,
) -> Attacked:
    """Decide the outcomes of countershots at a unit that is about to come into contact.

    The mover stands at the end of its way; `began_at` is where its models stood at the start. Which of both counts is
    `countershot-from`.
    """
    reactions: tuple[str, ...] = ()
    outcomes: tuple[AttackOutcome, ...] = ()
    while in_play(field.unit(mover_id)):
        view = _with_mover_at_start(table, field, shooter_id, mover_id, began_at)
        if reasons := targets.melee_violations(table, view, shooter_id, mover_id):
            table.find("There is no countershot: {why}", cites=reasons[0].cites, why=reasons[0])
            break
        asked = view, shooter_id, _TRIGGER[leaving], mover_id, "before-contact", reactions
        if table.call(answers.choose_reaction, *asked) is None:
            break
        reactions = (*reactions, COUNTERSHOT)
        reach_ = reach.shot(table, view, shooter_id, mover_id)
        field = answers.pay(table, field, shooter_id, COUNTERSHOT)
        table.find("{unit} shoots at {mover} before contact", unit=field.name(shooter_id), mover=field.name(mover_id))
        harder = difficulty_increase(table)
        field, outcome = shots.shoot(table, field, shooter_id, mover_id, COUNTERSHOT, reach_, harder)
        outcomes = (*outcomes, outcome)
    return field, outcomes


def countershot_target(
    table: Table, field: Battlefield, shooter_id: str, band: tuple[str, ...], leaving: bool = False
) -> str:
    """Give the unit that a countershot is aimed at; of several in contact the player of the shooter chooses."""
    if len(band) == 1:
        return band[0]
    with table.without_findings():
        possible = tuple(
            id_
            for id_ in band
            for offer in answers.offers(table, field, shooter_id, _TRIGGER[leaving], id_, "before-contact")
            if offer.reaction == COUNTERSHOT and offer.open
        )
    if len(possible) < 2:
        return (possible or band)[0]
    label = f"{shooter_id}: countershot at"
    return str(table.choose(field.player(shooter_id), label, possible, about=field, means=field.option))


@rule("reactions.difficulty_increase", cites="countershot/harder", neutral=0)
def difficulty_increase(table: Table) -> int:
    """Decide the change of MMS for a countershot: an increase (`counter-increase`)."""
    increase = number("countershot-mms") * (1 if table.read("counter-increase") == "harder" else -1)
    table.find("The difficulty of a countershot changes by {by}", by=Signed(increase))
    return increase


def _with_mover_at_start(
    table: Table, field: Battlefield, shooter_id: str, mover_id: str, began_at: tuple[Place, ...] | None
) -> Battlefield:
    """Give the battlefield with the mover where it stands for range and sight."""
    mover = field.unit(mover_id)
    if began_at is None or began_at == mover.models:
        return field
    at_start = field.put(replace(mover, models=began_at))
    with table.without_findings():
        here, there = (reach.shot(table, each, shooter_id, mover_id) for each in (field, at_start))
    if (here.open, here.models) == (there.open, there.models) or table.read("countershot-from") == "contact":
        return field
    return at_start
