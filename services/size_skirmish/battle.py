"""A whole game, round after round, played by policies on the same rules that answer single questions.

Every die falls through the table and every decision is a choice at it: whom to activate, what a model does, how its
opponents react, and which NPCs are moved where. Labels begin with who decides or acts: `blue: activation`,
`ada: action`, `ada: towards`.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from arbiter.candidates import Candidates
from arbiter.option import optional
from arbiter.skirmish.battle import Transcript
from arbiter.table import Table
from services.size_skirmish import offers
from services.size_skirmish.actions import Action, ActionOutcome
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.rules import action_table, initiative, npc, procedure, rounds
from services.size_skirmish.rules.procedure import ProcedureOutcome
from services.size_skirmish.rules.reactions import NONE
from services.size_skirmish.scene import NPC, Model, Side

MOST_POINTS: Final = 1000
"""The most victory points of a side."""


def fight(table: Table, field: Battlefield, most: int, points: int) -> tuple[Battlefield, int, Transcript]:
    """Play until `most` rounds are over or at most one side is left; return the end, the rounds begun and how it came.

    `points` are the victory points for a model that goes out.
    """
    lines, rounds_begun = Transcript(), 0
    while rounds_begun < most and not is_over(field):
        rounds_begun += 1
        lines.append(f"Round {field.scene.round}")
        before, field = field, _round(table, field, points, lines)
        lines.end_round(changes(before, field))
    standing = ", ".join(f"{side.id} {side.victory_points}" for side in field.scene.sides)
    lines.append(f"Victory points: {standing}")
    return field.with_(phase="over", turn=None), rounds_begun, lines


def is_over(field: Battlefield) -> bool:
    """Return whether the game is over, or at most one side has models in play."""
    return field.scene.phase == "over" or len({model.side for model in field.units if model.npc is None}) < 2


def _round(table: Table, field: Battlefield, points: int, lines: Transcript) -> Battlefield:
    """Play the rest of a round, phase by phase."""
    if field.scene.phase == "start":
        field = initiative.started(table, field)
        lines.append(f"  start: {field.scene.starting} starts")
        field = rounds.following(table, rounds.cleared(field))
    if field.scene.phase == "action":
        field = _actions(table, field, points, lines)
    if field.scene.phase == "end" and not is_over(field):
        field = rounds.following(table, rounds.tokens_removed(table, field))
    if field.scene.phase == "npc" and not is_over(field):
        field = _npcs(table, field, points, lines)
    return field


def _actions(table: Table, field: Battlefield, points: int, lines: Transcript) -> Battlefield:
    """Let the players activate their models in turn until all have acted or the game is over."""
    turn = field.scene.turn
    if turn is None or not rounds.left(table, field, turn):
        turn = rounds.alternate(table, field, turn)
    # Each activation leaves one model less to be activated, unless a reading gives a lost one back.
    for _ in range(2 * len(field.scene.models)):
        if turn is None or is_over(field):
            break
        lines.begin(turn)
        field = field.with_(turn=turn)
        left = rounds.left(table, field, turn)
        chosen = table.choose(turn, f"{turn}: activation", left, about=field, means=field.option)
        field = _activated(table, field, turn, chosen, points, lines)
        turn = rounds.alternate(table, field, turn)
    return field if is_over(field) else rounds.following(table, field.with_(turn=None))


def _npcs(table: Table, field: Battlefield, points: int, lines: Transcript) -> Battlefield:
    """Let the scenario's NPCs act first; then the players move theirs one by one."""
    waiting = sorted(npc.waiting_for(table, field), key=lambda model: model.npc != "scenario")
    for model in waiting:
        if in_play(field.unit(model.id)) and not is_over(field):
            field = _activated(table, field, NPC, model.id, points, lines)
    mover: str | None = npc.mover(table, field)
    # Both players may let two in a row be.
    for _ in range(2 * len(field.scene.models)):
        left = npc.unmoved(table, field)
        if mover is None or not left or is_over(field) or npc.quota(table, field, mover):
            break
        means = optional(field.option, "let the NPCs be", NONE)
        chosen = table.choose(mover, f"{mover}: npc", (*left, NONE), about=field, means=means)
        if chosen != NONE:
            field = _activated(table, field.with_(turn=mover), mover, chosen, points, lines)
        field = npc.moved(table, field, mover, stops=chosen == NONE)
        mover = field.scene.turn
    return field if is_over(field) else rounds.following(table, field.with_(turn=None))


def _activated(table: Table, field: Battlefield, who: str, actor: str, points: int, lines: list[str]) -> Battlefield:
    """Let a model act as its player decides, with all reactions, and add a line to the transcript."""
    before = field
    field, result = procedure.carry_out(table, field, _decided(table, field, who, actor))
    field = _scored(before, field, points)
    lines.append(f"  {describe(before, result)} - " + ("; ".join(changes(before, field)) or "nothing changes"))
    return field


def _decided(table: Table, field: Battlefield, who: str, actor: str) -> Action:
    """Ask for the action of a model: an open row, and its target or goal.

    A fleeing model tests first; its action after a passed test is chosen before.
    """
    steady = field.changed(actor, fleeing=None)
    every = offers.offers(table, steady, actor)
    options: dict[str, offers.Offer] = {}

    def names() -> Iterator[str]:
        yield from tuple(options)
        for name, offer in every:
            options[name] = offer
            yield name

    # Models of players can block and NPCs align, so that there always is something to do.
    while True:
        open_ = Candidates(names(), lambda name: bool(options[name].aims))
        name = table.choose(who, f"{actor}: action", open_, about=steady, means=offers.option)
        kind, offer = "towards" if name in offers.TOWARDS else "at", options.pop(name)
        aim = table.choose(who, f"{actor}: {kind}", offer.aims, about=steady, means=partial(offers.aimed, steady))
        if (action := offer.made(aim)) is not None:
            return action


def _scored(before: Battlefield, field: Battlefield, points: int) -> Battlefield:
    """Return the battlefield with the victory points that all other sides gain for each model that went out."""
    losses = [model.side for model in before.units if model.npc is None and not in_play(field.unit(model.id))]
    if not losses:
        return field

    def scored(side: Side) -> Side:
        won = points * sum(whose != side.id for whose in losses)
        return replace(side, victory_points=min(MOST_POINTS, side.victory_points + won))

    return field.with_(sides=tuple(map(scored, field.scene.sides)))


def describe(field: Battlefield, result: ProcedureOutcome) -> str:
    """Describe the action of a model and the reactions to it."""
    answers = "; ".join(_deed(field, outcome) for outcome in result.reactions)
    return _deed(field, result.outcome) + (f" (answered by {answers})" if answers else "")


def _deed(field: Battlefield, outcome: ActionOutcome) -> str:
    """Describe one action, and whether it had no effect."""
    action = outcome.action
    what = action.use.replace("-", " ") if action.use is not None else action_table.row(field, action).name.lower()
    which = " ".join(part for part in (what, action.weapon, action.item) if part is not None)
    at = f" at {action.target}" if action.target is not None else ""
    return f"{action.model}: {which}{at}{'' if outcome.done else ', no effect'}"


def changes(before: Battlefield, after: Battlefield) -> Iterator[str]:
    """Describe what became of each model, the melees, and the victory points of each side."""
    for model in after.scene.models:
        old = before.unit(model.id)
        if model is not old and (text := ", ".join(_became(after, old, model))):
            yield f"{model.id} {text}"
    for melee in after.scene.melees:
        if melee not in before.scene.melees:
            yield f"{melee.one} and {melee.other} are in melee"
    for old_side, side in zip(before.scene.sides, after.scene.sides, strict=True):
        if side.victory_points != old_side.victory_points:
            yield f"{side.id} has {side.victory_points} victory points"


def _became(after: Battlefield, old: Model, new: Model) -> Iterator[str]:
    if new.out is not None and in_play(old):
        yield "is eliminated" if new.out == "eliminated" else "flees from the table"
        return
    if new.at != old.at and new.at is not None:
        yield f"moves to {new.at[0]:g}, {new.at[1]:g}"
    if new.height_above != old.height_above:
        yield f"is {new.height_above:g} above the table"
    if new.hit_points_lost > old.hit_points_lost:
        yield f"takes {new.hit_points_lost - old.hit_points_lost} damage, hit points left: {after.hit_points(new)}"
    if (new.fleeing is None) != (old.fleeing is None):
        yield "flees" if new.fleeing is not None else "stops fleeing"
    if new.in_hand != old.in_hand:
        yield f"has {new.in_hand} in hand"
    for weapon in sorted({*new.unloaded} ^ {*old.unloaded}):
        yield f"has {'unloaded' if weapon in new.unloaded else 'loaded'} {weapon}"
    for item in sorted({*new.items} ^ {*old.items}):
        yield f"{'takes' if item in new.items else 'leaves'} {item}"
    for status in sorted({*new.statuses} ^ {*old.statuses}):
        yield f"is {status}" if status in new.statuses else f"is no longer {status}"
