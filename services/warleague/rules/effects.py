"""Effects: what cards change about a unit's values, for how long, and how an update phase moves them on."""

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity, Signed
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.profiles import Change, Changes
from services.warleague.rules import damage, layers, targeting
from services.warleague.scene import Cooldown, Effect, Unit


def add(table: Table, field: Battlefield, unit: str, card: str, changes: Changes, lasts: int | None) -> Battlefield:
    """Apply the changes of a card to a unit for so many rounds, or for good; the calling rule reports it."""
    each = field.unit(unit)
    rounds = "for good" if lasts is None else f"for {Quantity(lasts, 'round')}"
    listed = Listing(map(_words, changes))
    table.find("{unit} has {changes} {rounds}", unit=field.name(unit), changes=listed, rounds=rounds)
    table.event("effect-added", unit=unit, card=card, rounds=lasts)
    return _changed(table, field, replace(each, effects=(*each.effects, Effect(card, changes, lasts))))


def _words(change: Change) -> str:
    """Describe what is added to a value."""
    if change.stat in ("damage", "range"):
        return f"{Signed(change.step)} {change.stat} {targeting.WITH[change.targeting]}"
    return f"{Signed(change.step)} {'AP' if change.stat == 'ap' else change.stat}"


@rule("effects.moved_on", cites="update/moves-on", neutral=unchanged)
def moved_on(table: Table, field: Battlefield) -> Battlefield:
    """Decide what an update phase does to durations and cooldowns: each is a round less, and what is over ends."""
    step = number("update-step")
    for each in field.units:
        effects, cooldowns = _aged(each, step)
        if (effects, cooldowns) == (each.effects, each.cooldowns):
            continue
        text = "The effects and cooldowns of {unit} are {rounds} shorter"
        table.find(text, unit=field.name(each.id), rounds=Quantity(step, "round"))
        for effect in each.effects:
            if effect.rounds is not None and effect.rounds <= step:
                table.event("effect-ended", unit=each.id, card=effect.card)
        field = _changed(table, field, replace(each, effects=effects, cooldowns=cooldowns))
    return field


def _aged(unit: Unit, step: int) -> tuple[tuple[Effect, ...], tuple[Cooldown, ...]]:
    effects = tuple(
        effect if effect.rounds is None else replace(effect, rounds=effect.rounds - step)
        for effect in unit.effects
        if effect.rounds is None or effect.rounds > step
    )
    cooldowns = tuple(replace(each, rounds=each.rounds - step) for each in unit.cooldowns if each.rounds > step)
    return effects, cooldowns


def _changed(table: Table, field: Battlefield, changed: Unit) -> Battlefield:
    """Put a unit whose effects have changed: what it has spent or lost stays so, and no value is below zero."""
    id_, after = changed.id, field.put(changed)
    if changed.ap is not None:
        changed = replace(changed, ap=max(0, changed.ap + after.full(id_, "ap") - field.full(id_, "ap")))
    return damage.lessened(table, field, after.put(layers.capped(field.book, changed)), id_)
