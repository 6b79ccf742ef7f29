"""Inspiration: points for slain hostiles, what they buy, and how explorers become inspired.

Follows "Inspiration Roll", and what is known of inspiration points beside it.
"""

from arbiter.dice import D20
from arbiter.option import with_labels
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield

AUTOMATIC = 20
"""The summed Wounds values that give the point without a roll."""

POINTS_TO_INSPIRE = 3


@rule("inspiration.credited", cites=("inspiration/when", "inspiration/own-activation-only"), neutral=unchanged)
def credited(table: Table, field: Battlefield, explorer_id: str, hostile_id: str, own_activation: bool) -> Battlefield:
    """Decide whether a slain hostile counts for the explorer's inspiration roll: only in its own activation."""
    explorer, hostile = field.explorer(explorer_id), field.hostile(hostile_id)
    if not own_activation:
        table.find(
            "{hostile} was not slain in an activation of {name} and earns no inspiration",
            cites="inspiration/own-activation-only",
            hostile=field.name(hostile),
            name=field.name(explorer),
        )
        return field
    text = "{hostile} counts for the inspiration roll of {name}"
    table.find(text, cites="inspiration/when", hostile=field.name(hostile), name=field.name(explorer))
    return field.change(explorer, slain=(*explorer.slain, hostile_id))


@rule(
    "inspiration.rolled",
    cites=("inspiration/when", "inspiration/after-all-actions"),
    neutral=lambda field, explorer_id: (field, False, 0),
)
def rolled(table: Table, field: Battlefield, explorer_id: str) -> tuple[Battlefield, bool, int]:
    """Decide at the end of an explorer's activation, dice already saved, whether it gains an inspiration point.

    Gives also whether it did, and what the slain hostiles' Wounds came to; they are then no longer remembered.
    """
    explorer = field.explorer(explorer_id)
    if not explorer.slain:
        table.find(
            "{name} has slain no hostile in this activation and makes no inspiration roll", name=field.name(explorer)
        )
        return field, False, 0
    wounds = hunted(table, field, explorer_id, sum(field.card(field.hostile(id_)).wounds for id_ in explorer.slain))
    table.find("{name} has slain hostiles with {wounds} Wounds in total", name=field.name(explorer), wounds=wounds)
    gained = automatic(table, wounds) or within(table, f"{explorer_id}: inspiration", wounds)
    field = field.change(explorer, slain=())
    return (gain_point(table, field, explorer_id) if gained else field), gained, wounds


@rule("inspiration.hunted", cites="explorer/grekh-hunter", neutral=lambda field, explorer_id, wounds: wounds)
def hunted(table: Table, field: Battlefield, explorer_id: str, wounds: int) -> int:
    """Decide what slain hostiles' Wounds come to for somebody with the hunter's rule: twice their sum."""
    explorer = field.explorer(explorer_id)
    if "inspiration-wounds-double" not in field.side(explorer).rules:
        return wounds
    text = "{name} is a hunter, so {wounds} Wounds count as {doubled}"
    table.find(text, name=field.name(explorer), wounds=wounds, doubled=2 * wounds)
    return 2 * wounds


@rule("inspiration.automatic", cites="inspiration/automatic", neutral=False)
def automatic(table: Table, wounds: int) -> bool:
    """Decide whether the point comes without a roll: for Wounds values of 20 or more together."""
    if wounds < AUTOMATIC:
        return False
    table.find("{wounds} Wounds in total earn the point without a roll", wounds=wounds)
    return True


@rule("inspiration.within", cites=("inspiration/roll", "examples/inspiration-roll"), neutral=False)
def within(table: Table, label: str, wounds: int) -> bool:
    """Decide the roll: the d20 gives the point if it does not exceed the Wounds values together."""
    face = table.roll(D20, label)
    gained = bool(face <= wounds)
    table.record(label, total=face, needed=wounds, most=True, outcome="a point" if gained else "no point")
    comparison = "does not exceed" if gained else "exceeds"
    table.find(f"a {{face}} {comparison} the {{wounds}} Wounds slain", face=face, wounds=wounds, gained=gained)
    return gained


@rule("inspiration.gain_point", cites="inspiration/roll", neutral=unchanged)
def gain_point(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what one inspiration point does: it is added to the explorer's, and enough of them inspire."""
    explorer = field.explorer(explorer_id)
    points = explorer.inspiration + 1
    table.find("{name} gains an inspiration point and has {points}", name=field.name(explorer), points=points)
    table.event("inspiration-gained", unit=explorer_id, points=points)
    return become_inspired(table, field.change(explorer, inspiration=points), explorer_id)


@rule("inspiration.become_inspired", cites="inspired/threshold", neutral=unchanged)
def become_inspired(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide whether an explorer with so many inspiration points becomes inspired.

    Whether three points do it by themselves or have to be spent is the reading `inspired-threshold`.
    """
    explorer = field.explorer(explorer_id)
    if explorer.inspired or explorer.inspiration < POINTS_TO_INSPIRE:
        return field
    left = explorer.inspiration
    if table.read("inspired-threshold") == "spends-three":
        means = with_labels({"yes": "spend three points", "no": "keep them"}, "no", points=POINTS_TO_INSPIRE)
        label = f"{explorer_id}: become inspired"
        if table.choose("explorers", label, ("yes", "no"), about=field, means=means) == "no":
            return field
        left -= POINTS_TO_INSPIRE
    table.find("{name} becomes inspired and keeps {left} inspiration points", name=field.name(explorer), left=left)
    table.event("inspired", unit=explorer_id, points=left)
    return field.change(explorer, inspired=True, inspiration=left)


@rule("inspiration.buy_reroll", cites="inspired/reroll", neutral=unchanged)
def buy_reroll(table: Table, field: Battlefield, explorer_id: str, roll: str) -> Battlefield:
    """Decide whether an explorer pays an inspiration point to make a failed roll of action dice again.

    Gives the same battlefield if it does not. `roll` names the roll, as in "attack"; whether points buy re-rolls at all
    is the reading `inspired-reroll-price`.
    """
    explorer = field.explorer(explorer_id)
    if not explorer.inspiration or table.read("inspired-reroll-price") == "not-offered":
        return field
    label = f"{explorer_id}: re-roll {roll}"
    means = with_labels(
        {"no": "the roll stands", "yes": "one inspiration point for a new roll"}, "no", points=1, roll=roll
    )
    if table.choose("explorers", label, ("no", "yes"), about=field, means=means) == "no":
        return field
    left = explorer.inspiration - 1
    table.find(
        "{name} pays an inspiration point to roll again and has {left} left", name=field.name(explorer), left=left
    )
    table.event("inspiration-spent", unit=explorer_id, points=left)
    return field.change(explorer, inspiration=left)
