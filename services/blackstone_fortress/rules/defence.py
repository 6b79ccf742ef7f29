"""Explorer defence rolls: which dice an explorer rolls against a wound, and what is left of the wound.

Follows "Explorer Defence Rolls" and the special rules of cards that change the dice.
"""

from typing import Literal

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.profiles import DieName
from services.blackstone_fortress.rules import action_rolls, sight

Suffered = Literal["none", "wound", "grievous"]
"""What is suffered, or left of it."""

Dice = tuple[DieName, ...]

BARRIER = "barrier"
"""The mark of an explorer who has raised a barrier."""

CLOAK = "cloak"
"""The mark of an explorer who is hidden by a cloak."""


def dice_of(
    table: Table, field: Battlefield, explorer_id: str, attacker_id: str | None, cover_ignored: bool = False
) -> Dice:
    """Give the dice of an explorer's defence roll, with what its own card and others' do to them."""
    dice = field.side(field.explorer(explorer_id)).defence
    if attacker_id is not None:
        dice = camouflaged(table, field, explorer_id, attacker_id, dice, cover_ignored)
    dice = cloaked(table, field, explorer_id, dice)
    return behind_barrier(table, field, explorer_id, dice)


@rule(
    "defence.camouflaged",
    cites="explorer/grekh-cover",
    neutral=lambda field, explorer_id, attacker_id, dice, cover_ignored: dice,
)
def camouflaged(
    table: Table, field: Battlefield, explorer_id: str, attacker_id: str, dice: Dice, cover_ignored: bool
) -> Dice:
    """Decide the dice of somebody with camouflage: a d12 in cover from the attacker.

    Whether that holds against an attack that ignores cover is the reading `camouflage-ignored`.
    """
    explorer, attacker = field.explorer(explorer_id), field.units[attacker_id]
    if "defence-d12-in-cover" not in field.side(explorer).rules or explorer.hex is None or attacker.hex is None:
        return dice
    if not sight.shelters(table, field, attacker, explorer):
        return dice
    if cover_ignored and table.read("camouflage-ignored") == "lost":
        return dice
    table.find("{name} is in cover from the attacker and defends on a d12", name=field.name(explorer))
    return ("d12",)


@rule("defence.cloaked", cites="explorer/amallyn-cloak", neutral=lambda field, explorer_id, dice: dice)
def cloaked(table: Table, field: Battlefield, explorer_id: str, dice: Dice) -> Dice:
    """Decide the dice of somebody whom a cloak hides: a d12. The mark `cloak` says that it does."""
    explorer = field.explorer(explorer_id)
    if CLOAK not in explorer.marks:
        return dice
    table.find("{name} is cloaked and defends on a d12", name=field.name(explorer))
    return ("d12",)


@rule("defence.behind_barrier", cites="explorer/locarno-barrier", neutral=lambda field, explorer_id, dice: dice)
def behind_barrier(table: Table, field: Battlefield, explorer_id: str, dice: Dice) -> Dice:
    """Decide the dice of those in the hex of an explorer with the mark `barrier`: a d12, or two for who has a d12."""
    explorer = field.explorer(explorer_id)
    bearers = {other.id for other in field.explorers if BARRIER in other.marks}
    if not bearers or explorer.hex is None:
        return dice
    if explorer_id not in bearers and bearers.isdisjoint(sight.together(table, field, explorer)):
        return dice
    better: Dice = ("d12", "d12") if "d12" in dice else ("d12",)
    table.find("{name} stands behind a barrier and defends on {dice}", name=field.name(explorer), dice=Listing(better))
    return better


@rule("defence.rolls_again", cites="explorer/ur-025-plating", neutral=False)
def rolls_again(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether an explorer rolls failed defence rolls again: with armour plating."""
    explorer = field.explorer(explorer_id)
    if "reroll-failed-defence" not in field.side(explorer).rules:
        return False
    table.find("{name} rolls failed defence rolls again", name=field.name(explorer))
    return True


@rule("defence.defended", cites="defence/before-wound", neutral=lambda label, dice, kind, again: (kind, False))
def defended(table: Table, label: str, dice: Dice, kind: Suffered, again: bool) -> tuple[Suffered, bool]:
    """Decide what is left of a wound after the defence roll, and whether the roll was a critical success."""
    rolled = action_rolls.roll(table, label, dice)
    if again:
        failed = action_rolls.rolled_again(table, rolled, tuple(result == "failure" for _, result in rolled))
        rolled = action_rolls.roll_again(table, label, rolled, failed)
    best = action_rolls.best_of(rolled)
    table.find("the defence roll against the {kind} is a {best}", kind=SAID[kind], best=action_rolls.NAMES[best])
    record(table, label, rolled, best)
    # One success saves from a wound and one critical from anything, so that further results change nothing then.
    if best == "critical" or (best == "success" and kind == "wound"):
        return converted(table, (best,), kind), best == "critical"
    return converted(table, action_rolls.counting(table, rolled), kind), False


def record(table: Table, label: str, rolled: action_rolls.Rolled, best: action_rolls.Result) -> None:
    """Write down which dice of a defence roll count: those that have not failed."""
    kept = tuple([result for _, result in rolled if result != "failure"])
    table.record(label, kept=kept, successes=len(kept), outcome=action_rolls.NAMES[best])


SAID = {"wound": "wound", "grievous": "grievous wound", "none": "nothing"}


def one_by_one(wounds: int, grievous: int) -> tuple[Suffered, ...]:
    """List wounds in the order in which they are defended against: grievous wounds first."""
    worse: Suffered = "grievous"
    plain: Suffered = "wound"
    return (worse,) * grievous + (plain,) * wounds


@rule(
    "defence.converted",
    cites=("defence/failure", "defence/success", "defence/critical"),
    neutral=lambda results, kind: kind,
)
def converted(table: Table, results: tuple[action_rolls.Result, ...], kind: Suffered) -> Suffered:
    """Decide what the results of a defence roll make of a wound.

    A success negates a wound and turns a grievous wound into a wound, a critical success negates either.
    """
    if not results:
        table.find("the {kind} is suffered", cites="defence/failure", kind=SAID[kind])
    left = kind
    for result in results:
        if result == "critical":
            table.find("the {kind} is negated", cites="defence/critical", kind=SAID[left])
            left = "none"
        elif left == "grievous":
            table.find("the grievous wound is only a wound", cites="defence/success")
            left = "wound"
        elif left == "wound":
            table.find("the wound is negated", cites="defence/success")
            left = "none"
    return left
