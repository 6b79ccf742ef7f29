"""Uses of abilities: how often a unit can still use one, and which limits a use counts against."""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.profiles import Ability
from services.rapture.scene import Times, Unit, counted, times

LIMITS = ("ability/per-round", "ability/per-match", "ability/charges", "ability/per-success")


class Left(Value, frozen=True):
    """How often an ability may still be used or be successful; null without such a limit."""

    round: int | None
    match: int | None
    charges: int | None
    successes: int | None


@rule("uses.left", cites=LIMITS, neutral=Left(None, None, None, None))
def left(table: Table, field: Battlefield, unit_id: str, ability: str) -> Left:
    """Decide how often a unit can still use an ability, for each limit on its card."""
    card, unit = field.book.abilities[ability], field.unit(unit_id)

    def rest(most: int | None, done: tuple[Times, ...]) -> int | None:
        return None if most is None else max(0, most - times(done, ability))

    return Left(
        rest(card.per_round, unit.used),
        rest(card.per_match, unit.used_match),
        _charges(unit, card),
        rest(card.per_success, unit.successes),
    )


def _charges(unit: Unit, card: Ability) -> int | None:
    return next((row.times for row in unit.charges_left if row.id == card.id), card.charges)


@violations_rule("uses.limit_violations", cites=LIMITS)
def limit_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> Iterator[Reason]:
    """Decide which limits of its card stop a unit from using an ability again."""
    left_ = left(table, field, unit_id, ability)
    for rest, text, cites in (
        (left_.round, "{unit} cannot use {ability} again this round", "per-round"),
        (left_.match, "{unit} cannot use {ability} again this game", "per-match"),
        (left_.charges, "{unit} has no charges of {ability} left", "charges"),
        (left_.successes, "{unit} cannot succeed with {ability} again this round", "per-success"),
    ):
        if rest == 0:
            names = {"unit": field.name(unit_id), "ability": field.ability_name(ability)}
            yield table.reason(text, cites=f"ability/{cites}", **names)


@rule("uses.record_use", cites=LIMITS, neutral=unchanged)
def record_use(table: Table, field: Battlefield, unit_id: str, ability: str, success: bool) -> Battlefield:
    """Decide which limits a use counts against: those of the card, even if it fails (`ability-uses`), and successes."""
    card, unit = field.book.abilities[ability], field.unit(unit_id)
    if success:
        unit = replace(unit, successes=counted(unit.successes, ability))
    limited = card.per_round is not None or card.per_match is not None or card.charges is not None
    if success or not limited or table.read("ability-uses") == "tries":
        unit = replace(unit, used=counted(unit.used, ability), used_match=counted(unit.used_match, ability))
        if (charges := _charges(unit, card)) is not None:
            others, rest = tuple(row for row in unit.charges_left if row.id != ability), max(0, charges - 1)
            unit = replace(unit, charges_left=counted(others, ability, rest))
            words = {"unit": field.name(unit.id), "ability": field.ability_name(ability)}
            text, rest_ = "{unit} has {rest} of {ability} left", Quantity(rest, "charge")
            table.find(text, cites="ability/charges", **words, rest=rest_)
    return field.put(unit)
