"""Morale: tests for losses and at the activation of fleeing models, and the flight after a failed test.

Follows "Morale". What asks for a test and whether it is passed stands in `nerve`; how
far and where one runs in `flight`.
"""

from typing import Literal

from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.actions import ActionOutcome
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.rules import flight, harm, nerve

Activation = Literal["acts", "spent", "flees"]
"""What a model does in its activation: as announced, nothing more, or flee."""


@rule("morale.after", cites="morale/at-once", neutral=lambda before, field, outcomes: field)
def after(table: Table, before: Battlefield, field: Battlefield, outcomes: tuple[ActionOutcome, ...]) -> Battlefield:
    """Decide what follows at once from the hit points lost between two battlefields by some actions.

    Models that have lost enough test in the order of the scene, and flee if they fail; that may cost hit points in
    turn. Whether the result of a combat spares a model the test is `combat-result`.
    """
    for id_ in tuple(model.id for model in field.units):
        if not in_play(field.unit(id_)) or not nerve.shaken(table, field, before.unit(id_).hit_points_lost, id_):
            continue
        if spared(table, field, id_, outcomes):
            continue
        table.find("{name} tests morale at once", name=field.name(id_))
        _, field = table.call(tested, field, id_, cause(outcomes, id_))
    return field


@rule("morale.spared", cites=("melee/result", "ranged/result"), neutral=False)
def spared(table: Table, field: Battlefield, model_id: str, outcomes: tuple[ActionOutcome, ...]) -> bool:
    """Decide whether a model need not test because it did not lose the combat that hurt it."""
    fought = [
        outcome
        for outcome in outcomes
        if any(blow.against == model_id and blow.damage and blow.kind != "fall" for blow in outcome.blows)
    ]
    if not fought or any(model_id in outcome.losers for outcome in fought):
        return False
    is_spared = table.read("combat-result") == "loser"
    if is_spared:
        table.find("{name} did not lose the combat and does not test morale", name=field.name(model_id))
    return is_spared


@rule("morale.tested", cites="morale/flight", neutral=lambda field, model_id, from_: (True, field))
def tested(table: Table, field: Battlefield, model_id: str, from_: str | None) -> tuple[bool, Battlefield]:
    """Decide a morale test for losses: a model that fails flees at once from the cause.

    Whether one that flees already stops by passing is the reading `passed-in-flight`.
    """
    if table.call(nerve.passed, field, model_id):
        if field.unit(model_id).fleeing is None or table.read("passed-in-flight") == "flees-on":
            return True, field
        return True, nerve.rallied(table, field, model_id)
    table.find("{name} flees at once", name=field.name(model_id))
    before = field
    field, outcome = flight.fled(table, field, model_id, from_)
    field = free(table, harm.casualties(table, field), model_id)
    return False, after(table, before, field, (outcome,))


@rule("morale.free", cites="morale/flight-free", neutral=lambda field, model_id: field.changed(model_id, acted=True))
def free(table: Table, field: Battlefield, model_id: str) -> Battlefield:
    """Decide whether a flight after losses uses the model's action: it does not."""
    table.find("The flight does not use the action of {name}", name=field.name(model_id))
    return field


@rule("morale.activated", cites="morale/fleeing-activated", neutral=lambda field, model_id: (field, "acts"))
def activated(table: Table, field: Battlefield, model_id: str) -> tuple[Battlefield, Activation]:
    """Decide what a model does on activation: a fleeing model tests first, and keeps fleeing if it fails.

    Whether it may act after passing is the reading `rally`.
    """
    if field.unit(model_id).fleeing is None:
        return field, "acts"
    table.find("{name} is fleeing and tests morale on activation", name=field.name(model_id))
    if not table.call(nerve.passed, field, model_id):
        return field, "flees"
    field = nerve.rallied(table, field, model_id)
    return field, "acts" if table.read("rally") == "acts" else "spent"


def cause(outcomes: tuple[ActionOutcome, ...], model_id: str) -> str | None:
    """Return who hurt a model last; None if only the ground did."""
    blows = (blow for outcome in outcomes for blow in outcome.blows if blow.against == model_id and blow.damage)
    hurting = [blow.by for blow in blows if blow.by != model_id]
    return hurting[-1] if hurting else None
