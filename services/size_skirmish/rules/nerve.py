"""Nerve: when lost hit points ask for a morale test, and whether it is passed.

Follows "Morale" but for its last step. The rule that rolls takes numbers instead of the battlefield, so that a law
works out each test once; it has a closed form in `matching_law`.
"""

from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import number
from services.size_skirmish.laws import matching_law
from services.size_skirmish.rules import dice

PART, SUCCESS = number("lost-part"), number("morale-success")


def shaken(table: Table, field: Battlefield, before: int, model_id: str) -> bool:
    """Return whether a model must test morale, from its lost hit points before and now; only new losses ask for it."""
    return field.unit(model_id).hit_points_lost > before and (
        crossed(table, field, before, model_id) or further(table, field, before, model_id)
    )


@rule("nerve.crossed", cites="morale/more-than-half", neutral=False)
def crossed(table: Table, field: Battlefield, before: int, model_id: str) -> bool:
    """Decide whether a model has now lost more than half of its hit points, and had not before."""
    lost, points = _losses(field, model_id)
    crosses = PART * before <= points < PART * lost
    if crosses:
        text = "{name} has lost {lost} of {points} hit points, more than half, and tests morale"
        table.find(text, name=field.name(model_id), lost=lost, points=points)
    return crosses


@rule("nerve.further", cites="morale/further-losses", neutral=False)
def further(table: Table, field: Battlefield, before: int, model_id: str) -> bool:
    """Decide whether a model loses hit points after it had already lost more than half."""
    lost, points = _losses(field, model_id)
    loses_more = PART * before > points and lost > before
    if loses_more:
        text = "{name} had already lost more than half of its hit points, loses {more} more, and tests morale again"
        table.find(text, name=field.name(model_id), more=lost - before)
    return loses_more


@rule("nerve.steady", cites=("morale/more-than-half", "morale/further-losses"), neutral=None)
def steady(table: Table, field: Battlefield, before: int, model_id: str) -> None:
    """Decide why a model need not test morale, which nothing but a question about it asks."""
    lost, points = _losses(field, model_id)
    if points >= PART * lost:
        text = "{name} has lost {lost} of {points} hit points, not more than half, and does not test morale"
        table.find(text, cites="morale/more-than-half", name=field.name(model_id), lost=lost, points=points)
    else:
        text = "{name} has lost no hit points since its last test, and does not test morale again"
        table.find(text, cites="morale/further-losses", name=field.name(model_id))


@rule("nerve.passed", cites="morale/pass", neutral=True)
def passed(table: Table, field: Battlefield, model_id: str) -> bool:
    """Decide whether a model passes a morale test: with at least as many successes as lost hit points.

    Losses before a restored morale do not count.
    """
    model = field.unit(model_id)
    name, needed = field.name(model.id), model.hit_points_lost - model.losses_restored
    dice_, rerolls = field.profile(model).morale, field.rerolls(model, "morale")
    successes = table.call(succeeding, model_id, name, dice_, rerolls)
    passes = successes >= needed
    label, modifiers, outcome = f"{model_id}: morale test", {"successes": successes}, "passed" if passes else "failed"
    table.record(label, total=successes, modifiers=modifiers, needed=needed, outcome=outcome)
    text = "{name}, morale test: successes {successes}, needed {needed}: {passed}"
    table.find(text, name=name, successes=successes, needed=needed, passed=outcome)
    return passes


@rule("nerve.succeeding", cites=("morale/dice", "morale/success"), neutral=0, law=matching_law.successes)
def succeeding(table: Table, model_id: str, name: str, dice_: int, rerolls: bool) -> int:
    """Decide the successes of a morale test: its morale in dice, each of which succeeds on 4 or more."""
    rolled = dice.judged(table, model_id, name, "morale", dice_, rerolls)
    found = tuple(sorted((face for face in rolled if face >= SUCCESS), reverse=True))
    table.record(*dice.labels(model_id, "morale"), kept=found, needed=SUCCESS, successes=len(found))
    text, faces = "{name}, morale roll: {dice}d6 on {least}+, successes {found}: {faces}", dice.spelled(found)
    table.find(text, name=name, dice=dice_, found=len(found), faces=faces, least=SUCCESS)
    return len(found)


def rallied(table: Table, field: Battlefield, model_id: str) -> Battlefield:
    """Return the battlefield with a model that stops fleeing."""
    table.find("{name} stops fleeing", name=field.name(model_id))
    table.event("rallied", model=model_id)
    return field.changed(model_id, fleeing=None)


def _losses(field: Battlefield, model_id: str) -> tuple[int, int]:
    """Return how many hit points a model has lost, and how many it has in all."""
    model = field.unit(model_id)
    return model.hit_points_lost, field.profile(model).hit_points
