"""Uses of abilities: how often a unit can still use one, and which limits a use counts against."""

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.scene import counted, times


class Left(Value, frozen=True):
    """How often an ability may still be used or be successful; null without such a limit."""

    round: int | None
    match: int | None
    charges: int | None
    successes: int | None


@rule(
    "uses.left",
    cites=("ability/per-round", "ability/per-match", "ability/charges", "ability/per-success"),
    neutral=Left(None, None, None, None),
)
def left(table: Table, field: Battlefield, unit_id: str, ability: str) -> Left:
    """Decide how often a unit can still use an ability, for each limit on its card."""
    card, unit = field.book.abilities[ability], field.unit(unit_id)
    charges = next((row.times for row in unit.charges_left if row.id == ability), card.charges)

    def rest(most: int | None, done: int) -> int | None:
        return None if most is None else max(0, most - done)

    return Left(
        rest(card.per_round, times(unit.used, ability)),
        rest(card.per_match, times(unit.used_match, ability)),
        charges,
        rest(card.per_success, times(unit.successes, ability)),
    )


@rule(
    "uses.limit_violations",
    cites=("ability/per-round", "ability/per-match", "ability/charges", "ability/per-success"),
    neutral=(),
)
def limit_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> tuple[Reason, ...]:
    """Decide which limits of its card stop a unit from using an ability again."""
    left_ = left(table, field, unit_id, ability)
    used_up = [
        (text, cites)
        for rest, text, cites in (
            (left_.round, "{unit} cannot use {ability} again this round", "per-round"),
            (left_.match, "{unit} cannot use {ability} again this game", "per-match"),
            (left_.charges, "{unit} has no charges of {ability} left", "charges"),
            (left_.successes, "{unit} cannot succeed with {ability} again this round", "per-success"),
        )
        if rest == 0
    ]
    if not used_up:
        return ()
    names = {"unit": field.name(unit_id), "ability": field.ability_name(ability)}
    return tuple(table.reason(text, cites=f"ability/{cites}", **names) for text, cites in used_up)


@rule(
    "uses.record_use",
    cites=("ability/per-round", "ability/per-match", "ability/charges", "ability/per-success"),
    neutral=lambda field, unit_id, ability, success: field,
)
def record_use(table: Table, field: Battlefield, unit_id: str, ability: str, success: bool) -> Battlefield:
    """Decide which limits a use counts against: those of the card, even if it fails (`ability-uses`), and successes."""
    card, unit = field.book.abilities[ability], field.unit(unit_id)
    if success:
        unit = replace(unit, successes=counted(unit.successes, ability))
    limited = card.per_round is not None or card.per_match is not None or card.charges is not None
    if success or not limited or table.read("ability-uses") == "tries":
        unit = replace(unit, used=counted(unit.used, ability), used_match=counted(unit.used_match, ability))
        if card.charges is not None:
            rest = max(0, next((row.times for row in unit.charges_left if row.id == ability), card.charges) - 1)
            others = tuple(row for row in unit.charges_left if row.id != ability)
            unit = replace(unit, charges_left=counted(others, ability, rest))
            left_ = Quantity(rest, "charge")
            words = {"unit": field.name(unit.id), "ability": field.ability_name(ability), "rest": left_}
            table.find("{unit} has {rest} of {ability} left", cites="ability/charges", **words)
    return field.put(unit)
