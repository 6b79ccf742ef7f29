"""A whole game, turn after turn, played by policies on the same rules that answer single questions.

Every die falls through the table and every decision is a choice at it. Figures move, fight, shoot and run for nothing;
powers, grenades and loot are for the players, who may ask single questions in between.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

from arbiter.candidates import Candidates
from arbiter.option import Means, Option, optional
from arbiter.skirmish.battle import Transcript
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, crews_of, in_play
from services.stargrave.rules import (
    activation,
    combat,
    creature_moves,
    creatures,
    initiative,
    jams,
    movement,
    shooting,
    shot_modifiers,
    turn,
)
from services.stargrave.rules.activation import Action
from services.stargrave.scene import Figure, Phase

END: Final = "end"
Chosen = Action | Literal["end"]
NOBODY = "nobody"

ACTIONS: tuple[Action, ...] = ("fight", "shoot", "clear-jam", "move", "second-move")
"""What figures do in a battle, in the order in which it is offered."""

MOST_ACTIONS = 4
"""More than an activation has actions; a bound, so that every activation ends."""


def fight(table: Table, field: Battlefield, most_turns: int) -> tuple[Battlefield, int, Transcript]:
    """Play until at most one crew is left or `most_turns` have passed; give the field, the turns and the story."""
    lines = Transcript()
    turns = 0
    while turns < most_turns and len(crews_of(field.figures)) > 1:
        turns += 1
        before = field
        lines.append(f"Turn {field.scene.turn.number}")
        field = field.with_turn(order=initiative.roll(table, initiative.crews(field)))
        lines.append(f"  initiative: {', '.join(field.scene.turn.order)}")
        lines.begin(field.scene.turn.order[0])
        for phase in turn.phases(table):
            field = _phase(table, field.with_turn(phase=phase), phase, lines)
        field = turn.over(table, field)
        lines.end_round(changes(before, field))
    return field, turns, lines


def _phase(table: Table, field: Battlefield, phase: Phase, lines: Transcript) -> Battlefield:
    order = initiative.order(table, field, phase)
    if phase == "creature":
        for actor in turn.creature_phase(table, field, order[0]):
            if in_play(field.figure(actor)):
                field = _record(field, creatures.turn(table, field, actor).field, actor, lines)
        return field
    activate = _activate if phase == "soldier" else _lead
    for crew in order:
        for actor in turn.ready(table, field, crew, phase):
            field = activate(table, field, actor, lines)
    return field


def _lead(table: Table, field: Battlefield, leader: str, lines: Transcript) -> Battlefield:
    """Activate a captain or first mate, and then the companions it takes along, one after the other."""
    before = field
    field = _activate(table, field, leader, lines)
    for _ in range(3):
        if not in_play(field.figure(leader)):
            break
        free = [
            figure.id
            for figure in field.figures
            if figure.crew == field.figure(leader).crew and not figure.activated and figure.role == "soldier"
        ]
        with table.without_findings():
            measured = turn.measured(table, field, leader, before.figure(leader).at)
        choice = table.choose(
            field.player(leader),
            f"{leader}: companion",
            Candidates((*free, NOBODY), partial(_may_join, table, measured, leader)),
            about=field,
            means=optional(field.option, "nobody else", NOBODY),
        )
        if choice == NOBODY:
            break
        field = _activate(table, field, choice, lines)
    return field


def _may_join(table: Table, field: Battlefield, leader: str, companion: str) -> bool:
    with table.without_findings():
        return companion == NOBODY or not turn.companion_violations(table, field, leader, companion)


def _activate(table: Table, field: Battlefield, actor: str, lines: Transcript) -> Battlefield:
    before = field
    if not in_play(field.figure(actor)):
        return field
    field = activation.begin(table, field, actor)
    previous: tuple[Action, ...] = ()
    for _ in range(MOST_ACTIONS):
        step = Step(table, field, actor, previous)
        if not in_play(step.figure) or (action := step.chosen()) == END:
            break
        field, previous = step.after(action), (*previous, action)
    return _record(before, field, actor, lines)


class Step:
    """A figure in its activation, after what it has done in it: what is open to it now, and what becomes of that.

    `every` are its shots, each with its weapon and target by the name under which it is offered; some are `legal`.
    """

    def __init__(self, table: Table, field: Battlefield, actor: str, previous: tuple[Action, ...]) -> None:
        self.table, self.field, self.actor, self.previous = table, field, actor, previous
        self.figure = field.figure(actor)
        self.enemies = tuple(enemy.id for enemy in field.enemies(self.figure))
        guns = [weapon.id for weapon in shooting.armed(field, self.figure).values() if weapon.kind == "missile"]
        self.every = {f"{enemy} with {gun}": (gun, enemy) for gun in guns for enemy in self.enemies}
        self.legal = Candidates(self.every, self._is_legal)

    def chosen(self) -> Chosen:
        """Let its player choose an action that is open to it, or the end of the activation."""
        open_ = Candidates[Chosen]((*ACTIONS, END), self._is_open)
        action: Chosen = self._choose("action", open_, _named)
        return action

    def after(self, action: Action) -> Battlefield:
        """Give the battlefield after an action that was chosen, of which the player decides the rest."""
        table, field, actor = self.table, self.field, self.actor
        match action:
            case "fight":
                foes = combat.engaged_with(table, field, actor)
                return combat.fight(table, field, actor, self._choose("opponent", foes, field.option))
            case "shoot":
                gun, target = self.every[self._choose("target", self.legal, self._shot)]
                hasty = shot_modifiers.hasty(table, field, actor, "yes" if "move" in self.previous else "no")
                firing = shooting.Firing(actor, gun, hasty, "clear-jam" in self.previous)
                return shooting.shoot(table, field, firing, (target,))
            case "clear-jam":
                return jams.clear_jam(table, field, actor, self.figure.jammed[0])
            case _:
                towards = self._choose("towards", self.enemies, field.option)
                # As far as it can on the cheapest way into contact, or as near as it can come.
                far = creature_moves.allowed_length(table, field, actor, action == "second-move")
                way, _ = creature_moves.towards(table, field, actor, towards, far)
                return field if way is None else movement.carry_out(table, field, actor, way)

    def _choose(self, what: str, options: Sequence[Any], means: Means) -> Any:
        who, label = self.field.player(self.actor), f"{self.actor}: {what}"
        return self.table.choose(who, label, options, about=self.field, means=means)

    def _is_open(self, action: Chosen) -> bool:
        """Check whether the figure may take an action next, and whether the action has a target; it may always end."""
        if action == END:
            return True
        if not activation.comes_up(self.field, self.actor, action, self.previous):
            return False
        if action in ("move", "second-move") and not self.enemies:
            return False
        table, field, actor, previous = self.table, self.field, self.actor, self.previous
        with table.without_findings():
            whole = activation.actions(table, field, actor)
            violations = activation.violations(table, field, actor, action, previous, whole, in_group=False)
        return not violations and (action != "shoot" or bool(self.legal))

    def _is_legal(self, shot: str) -> bool:
        with self.table.without_findings():
            return not shooting.violations(self.table, self.field, self.actor, *self.every[shot])

    def _shot(self, shot: str) -> Option:
        gun, target = self.every[shot]
        name = self.field.name(target)
        return Option(shot, f"{name} with {self.field.book.weapons[gun].name}", {"figure": name, "weapon": gun})


def _named(option: str) -> Option:
    return Option(option, option.replace("-", " "), {} if option == END else {"action": option})


def _record(before: Battlefield, after: Battlefield, actor: str, lines: Transcript) -> Battlefield:
    lines.entry(actor, changes(before, after))
    return after


def changes(before: Battlefield, after: Battlefield) -> Iterator[str]:
    """Describe how each figure changes between two battlefields."""
    for figure in after.scene.figures:
        description = ", ".join(_became(before, before.figure(figure.id), after, figure))
        if description:
            yield f"{figure.id} {description}"


def _became(before: Battlefield, old: Figure, after: Battlefield, new: Figure) -> Iterator[str]:
    if in_play(old) and not in_play(new):
        yield "is out of the game"
        return
    if old.at != new.at and new.at is not None:
        yield f"goes to {new.at[0]:g}, {new.at[1]:g}"
    lost = before.health(old) - after.health(new)
    if lost:
        yield f"{'loses' if lost > 0 else 'regains'} {abs(lost)} Health"
    if new.stunned and not old.stunned:
        yield "is stunned"
    if set(new.jammed) - set(old.jammed):
        yield "has a jam"
