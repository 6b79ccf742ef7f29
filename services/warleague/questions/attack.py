"""Attacks: how one with weapons goes, and what can be attacked with which of them."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState, case_fault, forbid, refuse
from arbiter.skirmish.fields import Id
from arbiter.skirmish.reasons import beside
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case, naming
from services.warleague.profiles import WeaponCard
from services.warleague.questions import losses
from services.warleague.questions.losses import BESIDE, SideLoss
from services.warleague.rules import actions, attack, damage, observed, points, reach, striking, targeting, turn
from services.warleague.rules.happenings import Loss, Strike
from services.warleague.rules.intensity import Intensity
from services.warleague.scene import MOST_UNITS, Scene, Tile

HandIndex = Annotated[int, Meta(ge=0, le=1, description="The weapon in this place of the unit's hands.")]
Hands = Annotated[tuple[HandIndex, ...], Meta(min_length=1, max_length=2)]


class AttackCase(FactCase, frozen=True):
    """An attack: the `attacker`, the weapon in which of its `hands` (0 or 1) or in both, and at whom it is aimed.

    Send `target`, a unit, or `tile`. With `other_target` the weapon of the second hand named is aimed at somebody else,
    which the usual reading does not allow.
    """

    scene: Scene
    attacker: Id
    target: Id | None = None
    tile: Tile | None = None
    hands: Hands = (0,)
    other_target: Id | None = None


class AttackAnswer(Value, frozen=True):
    """How the attack went. `losses` are in the order in which they came, those of the attacker among them."""

    intensity: Annotated[
        Intensity | None, Meta(description="Null where single values are done, and of what explodes on its own.")
    ]
    flanked: Annotated[bool, Meta(description="Whether it came from behind, and was critical without a roll.")]
    amounts: Annotated[
        tuple[int | None, ...], Meta(description="The damage of each weapon before any parry, null where it explodes.")
    ]
    parried: int
    backlash: Annotated[int, Meta(description="What came back of a parry that was more than the attack.")]
    damage: Annotated[int, Meta(description=f"What layers of others than the attacker have taken in; {BESIDE}.")]
    losses: tuple[Loss, ...]
    fallen: Annotated[tuple[Id, ...], Meta(description="Who is dead or downed now, in the order of the scene.")]
    blasts: Annotated[int, Meta(description="How many explosions there were.")]
    attacker_ap: int
    lost: tuple[SideLoss, ...]


class TargetsCase(FactCase, frozen=True):
    """What an `attacker` can attack. Without `targets` it is all enemies in play (and friends, where the
    readings let it aim at them), without `hands` each of its weapons and both."""

    scene: Scene
    attacker: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=MOST_UNITS)] = ()
    hands: Annotated[tuple[HandIndex, ...], Meta(max_length=2)] = ()


class Target(Value, frozen=True):
    """Whether a target can be attacked with some weapons, and every reason why not."""

    target: Id
    open: bool
    distance: Annotated[int | None, Meta(description="Tiles; null where nobody has said how many.")]
    flanked: Annotated[bool, Meta(description="Whether a weapon would be critical from behind, as of an attack.")]
    why_not: tuple[str, ...]


class WithHands(Value, frozen=True):
    """What can be attacked with the weapons in some hands: by units, and by tiles, which matter for what explodes."""

    hands: tuple[int, ...]
    weapons: tuple[Id, ...]
    ap: int
    open: Annotated[int, Meta(description="How many of the targets can be attacked.")]
    targets: tuple[Target, ...]
    tiles: Annotated[tuple[Tile, ...], Meta(description="Every tile in reach, by row and column.")]


class TargetsAnswer(Value, frozen=True):
    """How many targets can be attacked in any way, the points at hand, and each weapon by itself."""

    open: int
    ap: int
    weapons: tuple[WithHands, ...]


def prepare_attack(case: AttackCase) -> tuple[Battlefield, Strike]:
    """Find the attacker, its weapons and what it aims at; raises `Faults`."""
    members = ("attacker", "target", "other_target")
    named = ((member, "unit", getattr(case, member)) for member in members)
    field = checked_case(case.scene, *named, tiles=[("tile", case.tile)], playing=True)
    refuse((*hand_faults(field, case.attacker, case.hands), *_aim_faults(case)))
    to = case.tile or field.at(case.target or "")
    also = None if case.other_target is None else field.at(case.other_target)
    return field, Strike(case.attacker, case.hands, to, also, case.target, case.other_target)


def hand_faults(field: Battlefield, attacker: str, hands: tuple[int, ...]) -> Iterator[Fault]:
    """Find hands that hold no weapon, and one that is named twice."""
    held = len(field.hands(attacker))
    text, asked = f"{attacker} holds {Quantity(held, 'weapon')}", f"below {held}" if held else "a unit with a weapon"
    for index, hand in enumerate(hands):
        if hand >= held:
            yield case_fault(f"hands/{index}", "no-weapon", text, hand, asked)
    if len(set(hands)) < len(hands):
        yield case_fault("hands", "hand-twice", "the same hand is named twice", list(hands), "each once")


def _aim_faults(case: AttackCase) -> Iterator[Fault]:
    targets = {"target": case.target, "other_target": case.other_target}
    if (case.target is None) == (case.tile is None):
        text = "an attack needs either a target or a tile"
        yield case_fault("target", "aim", text, case.target, "one of them")
    for member, target in targets.items():
        if target == case.attacker:
            yield case_fault(member, "itself", "a unit cannot attack itself", target, "another unit")
    if case.other_target is not None and len(case.hands) < 2:
        text = "one weapon has only one target"
        yield case_fault("other_target", "aim", text, case.other_target, "two hands")


def _targets_faults(field: Battlefield, case: TargetsCase) -> Iterator[Fault]:
    """Find an attacker among its targets, and hands that hold no weapon."""
    text = "a unit cannot be its own target"
    for index, id_ in enumerate(case.targets):
        if id_ == case.attacker:
            yield case_fault(f"targets/{index}", "itself", text, id_, "another unit")
    yield from hand_faults(field, case.attacker, case.hands)


def decide_attack(table: Table, state: tuple[Battlefield, Strike]) -> Decided[AttackAnswer]:
    """How does this attack go, with one weapon or two, with parries, layers and explosions?"""
    field, strike = state
    # All on the tiles that are attacked are there.
    before = observed.together(table, observed.together(table, field, strike.on), strike.also_on)
    begun = actions.begun(table, before, strike)
    outcome = striking.resolve(table, begun, strike)
    answer = AttackAnswer(
        outcome.intensity,
        outcome.flanked,
        outcome.amounts,
        outcome.parried,
        outcome.backlash,
        sum(loss.points for loss in outcome.losses if loss.unit != strike.actor),
        outcome.losses,
        losses.fallen(before, outcome.field),
        outcome.blasts,
        points.left(outcome.field, strike.actor),
        losses.by_side(before, outcome.field),
    )
    return Decided(answer, turn.after_action(table, begun, outcome.field).scene)


def decide_targets(table: Table, state: CaseState[Battlefield, TargetsCase]) -> Decided[TargetsAnswer]:
    """What can this unit attack with each of its weapons, at what price, and why not the others?"""
    field, case, attacker = state.field, state.case, state.case.attacker
    forbid(turn.downed(table, field, attacker))
    targets = case.targets or _targets(table, field, attacker)
    held = tuple(range(len(field.hands(attacker))))
    both = (held,) if len(held) > 1 else ()
    every = (case.hands,) if case.hands else (*((hand,) for hand in held), *both)
    rows = tuple(_with_hands(table, field, attacker, hands, targets) for hands in every)
    open_targets = {target.target for row in rows for target in row.targets if target.open}
    return Decided(TargetsAnswer(len(open_targets), points.left(field, attacker), rows))


def _targets(table: Table, field: Battlefield, attacker: str) -> tuple[str, ...]:
    """Give who may be a target: all enemies, and friends where they may be aimed at."""
    enemies, friends = field.enemies(field.unit(attacker)), field.friends(field.unit(attacker))
    if friends and table.read("friendly-targets") == "yes":
        enemies = (*enemies, *friends)
    return tuple(unit.id for unit in enemies)


def _with_hands(
    table: Table, field: Battlefield, attacker: str, hands: tuple[int, ...], targets: tuple[str, ...]
) -> WithHands:
    weapons = field.weapons(attacker, hands)
    rows = tuple(_target(table, field, Strike(attacker, hands, field.at(target)), target) for target in targets)
    reached = _tiles(table, field, attacker, weapons)
    with table.without_findings():
        price = attack.price(table, field, Strike(attacker, hands, field.at(attacker)))
    return WithHands(
        hands,
        tuple(weapon.id for weapon in weapons),
        price,
        sum(row.open for row in rows),
        rows,
        tuple(at for at in field.ground.in_order if at in reached),
    )


def _tiles(table: Table, field: Battlefield, attacker: str, weapons: tuple[WeaponCard, ...]) -> frozenset[Tile]:
    """Give the tiles in reach of all of some weapons; none where only the players see them."""
    if observed.is_somewhere(field.at(attacker)):
        return frozenset()
    return frozenset.intersection(*(reach.tiles(table, field, attacker, each) for each in weapons))


def _target(table: Table, field: Battlefield, strike: Strike, target: str) -> Target:
    attacker = strike.actor
    field = observed.together(table, field, target)
    reasons = attack.violations(table, field, strike)
    with table.without_findings():
        away = _tiles_away(table, field, attacker, target)
        weapons = field.weapons(attacker, strike.hands)
        first = _first(table, field, strike, target)
        measure = partial(striking.from_behind, table, field, attacker, weapons, range(len(weapons)), first)
        behind = bool(beside(reasons, measure, frozenset()))
    return Target(target, not reasons, away, behind, tuple(reason.text for reason in reasons))


def _tiles_away(table: Table, field: Battlefield, attacker: str, target: str) -> int | None:
    """Give how many tiles away a target is: measured, as the players say, or None where nobody has said it."""
    if not observed.is_somewhere(field.at(target)):
        return targeting.distance(table, field, field.at(attacker), field.at(target))
    tiles: int | None = None if table.facts is None else table.facts.settled(observed.distance, field, attacker, target)
    return tiles


def _first(table: Table, field: Battlefield, strike: Strike, target: str) -> str:
    """Give who on the tile of a target would be hit first, the target itself where it may be."""
    there = tuple(unit.id for unit in targeting.targets(field, strike.actor, strike.to))
    if len(there) < 2:
        return target
    weak = damage.equally_weak(table, field, there, striking.passed(field.weapons(strike.actor, strike.hands)))
    return target if damage.aimed_at(table, weak, there, target) else weak[0]


QUESTIONS = (
    Question("attack", AttackCase, prepare_attack, decide_attack, dice=True, worth=losses.worth),
    Question("targets", TargetsCase, naming("attacker", "targets", faults=_targets_faults), decide_targets),
)
