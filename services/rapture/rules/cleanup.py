"""The cleanup phase, step by step: points, status effects, points that expire, engaging; then the next round."""

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import Any

from msgspec.structs import replace

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.option import Option
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.rapture import ways
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.ground import in_touch
from services.rapture.placing import Placed, put
from services.rapture.rules import activation, blows, boxes, ending, preparation, reach, rescue, squads
from services.rapture.scene import MissionPoints, phase_words

STEPS = 4


@violations_rule("cleanup.violations", cites="cleanup/begins")
def violations(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide why the cleanup phase cannot begin: a unit has not finished its activation."""
    phase = field.scene.phase
    if phase == "activation":
        for side in field.scene.all_sides:
            for unit in activation.ready_units(table, field, side.id):
                yield table.reason("{unit} has not been activated yet", unit=field.name(unit.id))
    elif phase != "cleanup":
        text = "The cleanup phase follows the activation phase; this is {phase}"
        yield table.reason(text, cites="rounds/phases", phase=phase_words(phase))


@rule("cleanup.steps", cites=("rounds/phases", "cleanup/steps"), neutral=unchanged)
def steps(
    table: Table, field: Battlefield, placed: tuple[Placed, ...] = (), given: tuple[MissionPoints, ...] = ()
) -> Battlefield:
    """Decide the result of the cleanup phase: its four steps in order, then the next round or the end.

    `placed` are the models that engage; `given` are victory points by side that replace the count of missions.
    """
    for step in range((field.scene.step or 1) if field.scene.phase == "cleanup" else 1, STEPS + 1):
        table.find("Step {step} of {steps}", step=step, steps=STEPS)
        table.event("step", phase="cleanup", step=step)
        match step:
            case 1:
                field = preparation.award_points(table, field.with_(phase="cleanup"), "cleanup", given)
            case 2:
                field = status_effects(table, field)
                if ending.over(table, field):
                    break
            case 3:
                field = expire_points(table, field)
            case _:
                field = engage(table, field, placed)
    return next_round(table, field)


@rule("cleanup.status_effects", cites="cleanup/status-effects", neutral=unchanged)
def status_effects(table: Table, field: Battlefield) -> Battlefield:
    """Decide what happens to statuses: each stays, ends, or crosses out an HP.

    What fire does is the reading `burning`; whether Shelter Markers are removed is `shelter-ends`.
    """
    for before in field.scene.units:
        for id_ in before.statuses:
            if in_play(field.unit(before.id)):
                field = _status(table, field, before.id, id_)
        unit = field.unit(before.id)
        if in_play(unit) and unit.shelter_markers and table.read("shelter-ends") == "cleanup":
            table.find("{unit} loses its Shelter Marker", unit=field.name(unit.id))
            field = field.put(replace(unit, shelter_markers=0))
    return field


def _status(table: Table, field: Battlefield, unit_id: str, id_: str) -> Battlefield:
    unit, status = field.unit(unit_id), field.book.statuses[id_]
    name, unit_name = status.name or id_, field.name(unit_id)
    hurts = status.cleanup == "wound"
    if id_ == "burning" and status.cleanup == "stays":
        hurts = table.read("burning") == "wound"
    if hurts:
        table.find("{unit} loses an HP: it is {status}", status=name, unit=unit_name)
        return squads.remove_models(table, boxes.cross_health(table, field, unit_id, 1, None), unit_id)
    if status.cleanup == "ends":
        table.find("{unit} is no longer {status}", status=name, unit=unit_name)
        table.event("status-over", unit=unit_id, status=id_)
        return field.put(replace(unit, statuses=tuple(other for other in unit.statuses if other != id_)))
    return field


@rule("cleanup.expire_points", cites="cleanup/expire", neutral=unchanged)
def expire_points(table: Table, field: Battlefield) -> Battlefield:
    """Decide what happens to unused AP and RP: they expire."""
    table.find("Unused AP and RP expire")
    return field.put(*(replace(unit, ap=0, rp=0, ap_owed=0, rp_owed=0) for unit in field.units))


@rule("cleanup.engage", cites="cleanup/engage", neutral=unchanged)
def engage(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Battlefield:
    """Decide what units in close combat can do: move models into contact, or make a free attack (`cleanup-engage`).

    Units attack in the order of the scene; each chooses an opponent in contact with it.
    """
    if not placed and reach.moot(table, "cleanup-engage", "close-up"):
        return field
    fighting = [unit.id for unit in field.units if reach.contact(table, field, unit.id)]
    if not fighting:
        return field
    if table.read("cleanup-engage") == "close-up":
        return rescue.after_placing(table, field, placed, "{unit} moves its models into contact")
    for id_ in fighting:
        unit = field.unit(id_)
        if not in_play(unit) or unit.escaping:
            continue
        options = "none", *reach.contact(table, field, id_)
        target = table.choose(unit.side, f"{id_}: engage", options, about=field, means=partial(_attacked, field))
        if target != "none":
            table.find("{unit} makes a free attack", unit=field.name(id_))
            field, _ = blows.exchange(table, field, id_, target)
    return field


@violations_rule("cleanup.engagement_violations", cites="cleanup/engage")
def engagement_violations(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Iterator[Reason]:
    """Decide why models cannot engage where their players put them.

    The unit must be in close combat; its models without contact come into contact, within MOV.
    """
    after = put(field, placed)
    for row in placed:
        unit = field.unit(row.unit)
        name = field.name(unit.id)
        with table.without_findings():
            far = boxes.values(table, field, unit.id).mov
        if not reach.contact(table, field, unit.id):
            yield table.reason("{unit} is not in close combat", unit=name)
        enemies = [body for enemy in field.enemies(unit) for body in after.solids(enemy)]
        bodies = tuple([(body, 0, False) for _, body in ways.others(field, (row.unit,))])
        for number, (old, new) in enumerate(zip(field.solids(unit), after.solids(after.unit(unit.id)), strict=True), 1):
            if old.at == new.at:
                continue
            words: dict[str, Any] = {"unit": name, "number": number}
            if any(in_touch(old, enemy) for enemy in enemies):
                text = "Model {number} of {unit} is in contact with an opponent and must stay"
                yield table.reason(text, **words)
            if not any(in_touch(new, enemy) for enemy in enemies):
                text = "Model {number} of {unit} does not come into contact with an opponent"
                yield table.reason(text, **words)
            path = ways.shortest(field.ground, old, new.at, bodies, inf)
            if path is None or path.length > far + ways.SLACK:
                text = "Model {number} of {unit} cannot get there within {far:g} cm"
                yield table.reason(text, far=far / PER_UNIT, **words)


@rule("cleanup.next_round", cites="cleanup/next-round", neutral=unchanged)
def next_round(table: Table, field: Battlefield) -> Battlefield:
    """Decide what follows the cleanup phase: the preparation phase of the next round, or the end of the game.

    Counts of the round, and effects that last for it, end.
    """
    scene, fresh = field.scene, []
    for unit in scene.units:
        effects = tuple(effect for effect in unit.effects if effect.lasts != "round")
        fresh.append(replace(unit, activated=False, got_up=False, used=(), successes=(), effects=effects))
    first = scene.order[0] if scene.order else scene.first_last_round
    field = field.with_(units=tuple(fresh), step=None, active=None, turn=None, order=(), first_last_round=first)
    if ending.after_round(table, field) or ending.without_units(table, field):
        table.event("game-over", round=scene.round)
        return field.with_(phase="over")
    table.find("Round {round} begins", round=scene.round + 1)
    table.event("round", number=scene.round + 1)
    return field.with_(phase="preparation", round=min(6, scene.round + 1))


def _attacked(field: Battlefield, option: str) -> Option:
    """Give what an option means that is an opponent, or none."""
    if option == "none":
        return Option(option, "does not attack")
    name = field.name(field.unit(option))
    return Option(option, f"attacks {name} for free", {"unit": name})
