"""The actions of uncontrolled creatures: the three steps, and what follows from each.

Follows "Creature Actions" in the text's order. How they move is in `creature_moves`; that they stay in combat when they
win is in `combat`, and that they always force it in `interception`. What changes the
battlefield goes through `table.call`, so that equal results merge in the exact law.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.dice import numbered
from arbiter.rule import rule
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Ids, in_play
from services.stargrave.rules import activation, combat, creature_moves, jams, routes, shooting, sight, wards
from services.stargrave.scene import Place

Kind = Literal["fight", "shoot", "advance", "random-move", "clear-jam"]


class CreatureAction(Value, frozen=True):
    """One action of a creature, and its place afterwards."""

    kind: Kind
    target: Annotated[Id | None, Meta(description="Whom it fought, shot at or went for.")] = None
    weapon: Annotated[Id | None, Meta(description="What it shot with, or cleared.")] = None
    at: Annotated[Place | None, Meta(description="Where it then stood; null if it is out of the game.")] = None


class Plan(Value, frozen=True):
    """The plan of step 2: shoot at targets with a weapon, clear it first, advance on a target, or none of these."""

    kind: Literal["shoot", "clear-jam", "advance", "nothing", "step-3"]
    targets: Ids = ()
    weapon: str | None = None


@dataclass(frozen=True)
class CreatureTurn:
    """The battlefield during a creature's activation, its actions so far, and the steps followed."""

    field: Battlefield
    actions: tuple[CreatureAction, ...] = ()
    steps: tuple[int, ...] = ()

    def with_action(
        self, creature: str, field: Battlefield, kind: Kind, target: str | None = None, weapon: str | None = None
    ) -> "CreatureTurn":
        """Give the turn with one more action."""
        action = CreatureAction(kind, target, weapon, field.figure(creature).at)
        return CreatureTurn(field, (*self.actions, action), self.steps)

    def with_step(self, step: int) -> "CreatureTurn":
        """Give the turn with one more step."""
        return CreatureTurn(self.field, self.actions, (*self.steps, step))

    @property
    def moved(self) -> bool:
        """Whether the creature has moved by now."""
        return any(action.kind in ("advance", "random-move") for action in self.actions)


def turn(table: Table, field: Battlefield, creature: str) -> CreatureTurn:
    """Give the whole turn of a creature: the steps in order, while it has actions."""
    state = CreatureTurn(table.call(activation.begin, field, creature))
    left = activation.actions_left(table, state.field, creature)
    state = state.with_step(1)
    if left and step_1(table, state.field, creature):
        state, left = _fights(table, state, creature, left)
    return _from_step_2(table, state, creature, left) if left else state


def _fights(table: Table, state: CreatureTurn, creature: str, left: int) -> tuple[CreatureTurn, int]:
    """Fight once, or as often as it may; give the actions that are left for step 2."""
    state, left = fight(table, state, creature, None), left - 1
    while left and _engaged(table, state.field, creature) and table.read("creature-second-fight") == "twice":
        state, left = fight(table, state, creature, None), left - 1
    if not left or not in_play(state.field.figure(creature)) or _engaged(table, state.field, creature):
        return state, 0
    return state, left if table.read("creature-after-fight") == "step-2" else 0


def _engaged(table: Table, field: Battlefield, creature: str) -> bool:
    with table.without_findings():
        return combat.in_combat(table, field, creature)


def _from_step_2(table: Table, state: CreatureTurn, creature: str, left: int) -> CreatureTurn:
    """Carry out step 2, or step 3 and step 2 once more."""
    state = state.with_step(2)
    plan = table.call(step_2, state.field, creature)
    if plan.kind == "step-3":
        state = state.with_step(3)
        state = state.with_action(creature, table.call(creature_moves.wander, state.field, creature), "random-move")
        left -= 1
        if not left or not in_play(state.field.figure(creature)):
            return state
        if _engaged(table, state.field, creature):
            return fight(table, state, creature, None)
        if not looks_again(table, state.field, creature):
            return state
        state = state.with_step(2)
        plan = table.call(step_2, state.field, creature)
    if plan.kind == "clear-jam":
        after = table.call(jams.clear_jam, state.field, creature, plan.weapon or "")
        state = state.with_action(creature, after, "clear-jam", weapon=plan.weapon)
        left -= table.read("jam-clearing") != "free"
    if plan.kind == "shoot" or (plan.kind == "clear-jam" and left > 0):
        return shoot(table, state, creature, plan)
    if plan.kind == "advance":
        return _advances(table, state, creature, plan.targets[0], left)
    return state


def _advances(table: Table, state: CreatureTurn, creature: str, target: str, left: int) -> CreatureTurn:
    while left:
        after = table.call(creature_moves.advance, state.field, creature, target, state.moved)
        state = state.with_action(creature, after, "advance", target)
        left -= 1
        if not left or not in_play(after.figure(creature)):
            return state
        if _engaged(table, after, creature):
            return reached(table, state, creature, target)
        if not goes_on(table, after, creature):
            return state
    return state


# Step 1


@rule("creatures.step_1", cites=("creatures/step-1", "creatures/on-to-step-2"), neutral=False)
def step_1(table: Table, field: Battlefield, creature: str) -> bool:
    """Decide whether a creature is in combat; if not, step 2 follows."""
    engaged = combat.in_combat(table, field, creature)
    text = "Step 1: {creature} is in combat" if engaged else "Step 1: {creature} is not in combat; step 2 follows"
    cites = "creatures/step-1" if engaged else ("creatures/step-1", "creatures/on-to-step-2")
    table.find(text, cites=cites, creature=field.name(creature))
    return engaged


@rule("creatures.fight", cites="creatures/fights", neutral=lambda state, *_: state)
def fight(table: Table, state: CreatureTurn, creature: str, target: str | None) -> CreatureTurn:
    """Decide what a creature in combat does with its action: it fights, by default the weakest of its opponents."""
    field = state.field
    foe = opponent(table, field, creature, target)
    table.find("{creature} fights {opponent}", creature=field.name(creature), opponent=field.name(foe))
    return state.with_action(creature, table.call(combat.fight, field, creature, foe), "fight", foe)


def opponent(table: Table, field: Battlefield, creature: str, preferred: str | None = None) -> str:
    """Give the opponent of a creature in combat: the preferred one if they are in combat, else the weakest."""
    with table.without_findings():
        opponents = combat.engaged_with(table, field, creature)
    return preferred if preferred in opponents else weakest(table, field, creature, opponents)


@rule("creatures.weakest", cites="creatures/weakest", neutral=lambda field, creature, opponents: opponents[0])
def weakest(table: Table, field: Battlefield, creature: str, opponents: Ids) -> str:
    """Decide whom of several opponents a creature fights: the one with the least Health left."""
    if len(opponents) == 1:
        return opponents[0]
    least = min(field.health(field.figure(other)) for other in opponents)
    equal = tuple(other for other in opponents if field.health(field.figure(other)) == least)
    choice = one_of(table, creature, equal)
    table.find("{opponent} has the least Health, {health}", opponent=field.name(choice), health=least)
    return choice


def one_of(table: Table, creature: str, equal: Ids) -> str:
    """Give one of equal candidates, by the reading `creature-ties`."""
    if len(equal) == 1 or table.read("creature-ties") == "listed":
        return equal[0]
    rolled: int = table.roll(numbered(len(equal)), f"{creature}: pick")
    return equal[rolled - 1]


# Step 2


def step_2(table: Table, field: Battlefield, creature: str) -> Plan:
    """Give the plan of step 2; with nobody in sight step 3 follows."""
    seen = in_sight(table, field, creature)
    if not seen:
        return Plan("step-3")
    missile = tuple(weapon.id for weapon in field.weapons(field.figure(creature)) if weapon.kind == "missile")
    guns = tuple(gun for gun in missile if gun not in field.figure(creature).jammed)
    is_jammed = bool(missile) and not guns
    if is_jammed and clears_jam(table, field, creature, missile):
        guns = missile
    if guns:
        plan = shot(table, field, creature, seen, guns, is_jammed)
        if plan is not None:
            return plan
        option = table.read("creature-out-of-range")
        if option != "closer":
            return Plan("step-3" if option == "random" else "nothing")
    return Plan("advance", (goal(table, field, creature, seen),))


@rule("creatures.clears_jam", cites=("shooting/jam-unusable", "creatures/shoots"), neutral=False)
def clears_jam(table: Table, field: Battlefield, creature: str, guns: Ids) -> bool:
    """Decide whether a creature clears a jam of which all missile weapons have one: the reading `creature-jam`."""
    names = Listing(field.book.weapons[gun].name for gun in guns)
    table.find("Jammed weapons of {creature}: {weapons}", weapons=names, creature=field.name(creature))
    return table.read("creature-jam") == "clears"


@rule("creatures.foes", cites="creatures/no-infighting", neutral=lambda field, creature: _others(field, creature))
def foes(table: Table, field: Battlefield, creature: str) -> Ids:
    """Decide whom a creature attacks: members of the crews, and never a creature."""
    if any(other.crew is None for other in field.figures if other.id != creature):
        table.find("{creature} attacks no creature", creature=field.name(creature))
    return tuple(other.id for other in field.figures if other.crew is not None)


def _others(field: Battlefield, creature: str) -> Ids:
    return tuple(other.id for other in field.figures if other.id != creature)


@rule("creatures.in_sight", cites=("creatures/step-2", "creatures/on-to-step-3"), neutral=())
def in_sight(table: Table, field: Battlefield, creature: str) -> Ids:
    """Decide which crew members are in a creature's line of sight; if there are none, step 3 follows."""
    seen = _seen(table, field, creature, foes(table, field, creature))
    name = field.name(creature)
    if seen:
        table.find("Step 2: {creature} sees {seen}", cites="creatures/step-2", creature=name, seen=field.names(seen))
    else:
        table.find("Step 2: {creature} sees no crew members; step 3 follows", creature=name)
    return seen


def _seen(table: Table, field: Battlefield, creature: str, others: Ids) -> Ids:
    with table.without_findings():
        return tuple(other for other in others if wards.sees(table, field, creature, other))


@rule("creatures.shot", cites="creatures/shoots", neutral=None)
def shot(table: Table, field: Battlefield, creature: str, seen: Ids, guns: Ids, is_jammed: bool = False) -> Plan | None:
    """Decide at whom a creature with a missile weapon shoots: the closest in range, if any.

    Of several weapons it takes the first that reaches the closest. With rapid fire it takes the closest two.
    """
    eligible: dict[str, Ids] = {}
    for gun in guns:
        with table.without_findings():
            forbidden = {id_: shooting.violations(table, field, creature, gun, id_, is_jammed) for id_ in seen}
        eligible[gun] = tuple(id_ for id_ in seen if not forbidden[id_])
    anybody = tuple(other for other in seen if any(other in those for those in eligible.values()))
    name = field.name(creature)
    if not anybody:
        table.find("{creature} has no target in range", creature=name)
        return None
    targets = [closest(table, field, creature, anybody)]
    gun = next(gun for gun in guns if targets[0] in eligible[gun])
    while len(targets) < (field.book.weapons[gun].targets or 1):
        rest = tuple(other for other in eligible[gun] if other not in targets)
        if not rest:
            break
        targets.append(closest(table, field, creature, rest))
    table.find("{creature} shoots at {targets}, the closest in range", creature=name, targets=field.names(targets))
    return Plan("clear-jam" if is_jammed else "shoot", tuple(targets), gun)


@rule(
    "creatures.closest",
    cites=("creatures/advances", "creatures/shoots"),
    neutral=lambda field, creature, among: among[0],
)
def closest(table: Table, field: Battlefield, creature: str, among: Ids) -> str:
    """Decide who is the closest to a creature: in a straight line, or by the way there: `creature-closest`.

    Among equals it is the reading `creature-ties`.
    """
    if len(among) == 1:
        return among[0]
    with table.without_findings():
        measure = sight.distance if table.facts is None else sight.range_in
        apart = {other: measure(table, field, creature, other) for other in among}
    straight = min(apart.values())
    equal = tuple(other for other in among if apart[other] == straight)
    if table.read("creature-closest") == "path":
        ways = {other: routes.into_contact(table, field, creature, other) for other in among}
        costs = {other: way.cost for other, way in ways.items() if way is not None}
        equal = tuple(other for other in costs if costs[other] == min(costs.values())) or equal
    return one_of(table, creature, equal)


@rule("creatures.goal", cites="creatures/advances", neutral=lambda field, creature, seen: seen[0])
def goal(table: Table, field: Battlefield, creature: str, seen: Ids) -> str:
    """Decide on whom a creature advances: the closest that it sees; whether creatures count is a reading.

    `seen` are the crew members in its sight. The reading is `creature-visible-figure`.
    """
    kin = tuple(other.id for other in field.friends(field.figure(creature)) if other.crew is None)
    if field.measures(creature):
        kin = _seen(table, field, creature, kin)
    if kin and table.read("creature-visible-figure") == "anybody":
        seen = (*seen, *(kin if field.measures(creature) else _seen(table, field, creature, kin)))
    target = closest(table, field, creature, seen)
    text = "{creature} advances on {target}, the closest that it sees"
    table.find(text, creature=field.name(creature), target=field.name(target))
    return target


@rule("creatures.shoot", cites="creatures/one-shot", neutral=lambda state, *_: state)
def shoot(table: Table, state: CreatureTurn, creature: str, plan: Plan) -> CreatureTurn:
    """Decide what a creature does that shoots: it takes its shots, and no second action."""
    table.find("{creature} shoots, and takes no second action", creature=state.field.name(creature))
    cleared = any(action.kind == "clear-jam" for action in state.actions)
    firing = shooting.Firing(creature, plan.weapon or "", state.moved, cleared)
    after = table.call(shooting.shoot, state.field, firing, plan.targets)
    return state.with_action(creature, after, "shoot", plan.targets[0], plan.weapon)


@rule("creatures.reached", cites="creatures/then-fights", neutral=lambda state, *_: state)
def reached(table: Table, state: CreatureTurn, creature: str, target: str) -> CreatureTurn:
    """Decide what a creature does that reaches an opponent with its first action: it fights with the second."""
    table.find("{creature} has reached an opponent", creature=state.field.name(creature))
    return fight(table, state, creature, target)


@rule("creatures.goes_on", cites=("creatures/then-fights", "creatures/advances"), neutral=False)
def goes_on(table: Table, field: Battlefield, creature: str) -> bool:
    """Decide whether a creature that reaches nobody moves on with its second action: `creature-second-move`."""
    moves_on = table.read("creature-second-move") == "moves"
    text = "{creature} has reached nobody and moves on" if moves_on else "{creature} has reached nobody"
    table.find(text, creature=field.name(creature))
    return moves_on


# After step 3


@rule(
    "creatures.looks_again",
    cites=("creatures/looks-again", "creatures/ends", "creatures/step-2-after-all"),
    neutral=False,
)
def looks_again(table: Table, field: Battlefield, creature: str) -> bool:
    """Decide whether a crew member is in sight of a creature with an action left; if not, its activation ends."""
    with table.without_findings():
        seen = bool(in_sight(table, field, creature))
    text, then = "{creature} looks again and sees nobody; its activation ends", "creatures/ends"
    if seen:
        text, then = "{creature} looks again and sees somebody; step 2 follows after all", "creatures/step-2-after-all"
    table.find(text, cites=("creatures/looks-again", then), creature=field.name(creature))
    return seen
