"""Explosions, throws, and what crates and concealed tiles hide: what happens, and all that it sets off."""

from typing import Annotated, Literal, NamedTuple

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.fault import Faults, pointer
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id, Text
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case
from services.warleague.profiles import Damage, Throw, Tiles
from services.warleague.questions import losses
from services.warleague.questions.losses import BESIDE, Harm, SideLoss
from services.warleague.rules import chains, observed, targeting, traps, turn
from services.warleague.rules.happenings import Arrival, Blast, ChainOutcome, Throwing
from services.warleague.scene import Hidden, Holds, Scene, Tile


class Explosion(Value, frozen=True):
    """An explosion of a chain: where, how far, what explodes, and from where it was set off, null for the first."""

    at: Annotated[Tile | None, Meta(description="Null where only the players see it, as each place here.")]
    radius: int
    why: Text
    source: Tile | None


class SprungTrap(Value, frozen=True):
    """A trap card that went off on a tile, and the units that set it off; none where an explosion did."""

    trap: Id
    at: Tile | None
    units: tuple[Id, ...]


class Outcome(Value, frozen=True):
    """What has happened: all explosions in their order with every tile that they reached, and traps that went off.

    `harmed` are the units that have lost something, were moved, or died, `fallen` those that are dead or downed by it,
    `lost` the points that each side has lost in all.
    """

    explosions: tuple[Explosion, ...]
    tiles: tuple[Tile, ...]
    traps: tuple[SprungTrap, ...]
    harmed: tuple[Harm, ...]
    fallen: tuple[Id, ...]
    lost: tuple[SideLoss, ...]


class ExplosionCase(FactCase, frozen=True):
    """Something explodes on a tile.

    Give a `trap` or an `item` by its card, or a `radius` in tiles and the damage. The tile is `at`, or that of a
    `target`. `by` is the unit that aimed it, whose bonuses to what is thrown count.
    """

    scene: Scene
    at: Tile | None = None
    target: Id | None = None
    trap: Id | None = None
    item: Id | None = None
    radius: Tiles | None = None
    damage: Damage = ()
    by: Id | None = None


class ThrowCase(FactCase, frozen=True):
    """A `unit` is thrown or pulled: how far and which way.

    The way is seen from a tile (`origin`) or from the unit `by` that does it. Without either, the table says which way.
    """

    scene: Scene
    unit: Id
    throw: Throw
    origin: Tile | None = None
    by: Id | None = None


class RevealCase(FactCase, frozen=True):
    """A crate or a concealed tile (`at`) is revealed: by a `unit` that has just moved there, or by something else.

    Without a board it is `what` the unit has just moved onto, and it `holds` what the players see.
    """

    scene: Scene
    at: Tile | None = None
    unit: Id | None = None
    what: Literal["crate", "concealed"] = "crate"
    holds: Holds | None = None


class ExplosionAnswer(Value, frozen=True):
    """How many explosions there were, how much damage units took, how many of them fell, and what happened."""

    explosions: Annotated[int, Meta(ge=1)]
    damage: Annotated[int, Meta(description=f"What layers of all units have taken in; {BESIDE}.")]
    fallen: int
    outcome: Outcome


class ThrowAnswer(Value, frozen=True):
    """From where to where the unit has come, with all that its landing did; `to` is null if it is off the board."""

    start: Tile | None
    to: Tile | None
    dead: bool
    outcome: Outcome


class RevealAnswer(Value, frozen=True):
    """What the tile held, the trap of which it was, and what happened."""

    holds: Holds
    trap: Id | None
    outcome: Outcome


MS_EACH, MS_TILE = 2.0, 0.01
"""What an explosion takes, and each tile of its area, with a little to spare."""


class RevealState(NamedTuple):
    """The battlefield with the unit that reveals something on the tile, and as it was before, and the tile."""

    field: Battlefield
    before: Battlefield
    at: Tile
    unit: str | None


# Explosions


def prepare_explosion(case: ExplosionCase) -> tuple[Battlefield, Blast]:
    """Find what explodes; raises `Faults`."""
    named = ("trap", "trap", case.trap), ("item", "item", case.item), ("by", "unit", case.by)
    field = checked_case(case.scene, *named, ("target", "unit", case.target), tiles=[("at", case.at)], playing=True)
    at = _epicentre(field, case)
    if sum(part is not None for part in (case.trap, case.item, case.radius)) != 1:
        text = "an explosion needs exactly one source"
        raise Faults.one(pointer("case"), "one-of", text, None, "a trap, an item, or a radius")
    blast = _blast(field, case, at)
    if len(blast.damage) == 2:
        where, asked = pointer("case", "damage"), "none, one, or three: critical, high, low"
        raise Faults.one(where, "damage", "the explosion has two values of damage", list(blast.damage), asked)
    return field, blast


def _epicentre(field: Battlefield, case: ExplosionCase) -> Tile:
    """Give the tile of an explosion; raises `Faults` where it is on none, or on two."""
    if (case.at is None) == (case.target is None):
        text, asked = "an explosion needs either a tile or a target", "one of them"
        raise Faults.one(pointer("case", "at"), "aim", text, None if case.at is None else list(case.at), asked)
    return case.at or field.at(case.target or "")


def _blast(field: Battlefield, case: ExplosionCase, at: Tile) -> Blast:
    """Give the explosion of a case; raises `Faults` for a card that does not explode."""
    origin = None if case.by is None else field.at(case.by)
    if case.radius is not None:
        why = f"the explosion on {targeting.tile(at)}"
        return Blast(at, case.radius, case.damage, why, case.by, origin, "thrown")
    member, id_ = ("trap", case.trap) if case.trap is not None else ("item", case.item)
    card = field.book.traps[case.trap] if case.trap is not None else field.book.items[case.item or ""]
    if card.explosion_radius is None:
        raise Faults.one(pointer("case", member), "no-explosive", f"{id_} does not explode", id_, "an explosive")
    if case.damage:
        where, asked = pointer("case", "damage"), "none: the card has its own"
        raise Faults.one(where, "damage", f"{id_} does the damage of its card", list(case.damage), asked)
    if case.trap is not None:
        return replace(traps.blast(field, case.trap, at), attacker=case.by, origin=origin)
    item = field.book.items[case.item or ""]
    blast = Blast.of(item, at, f"the {item.title} on {targeting.tile(at)}", case.by, origin)
    return replace(blast, targeting="thrown")


def decide_explosion(table: Table, state: tuple[Battlefield, Blast]) -> Decided[ExplosionAnswer]:
    """What does this explosion do, with everything that it reveals, sets off and destroys?"""
    before, blast = state
    field = observed.together(table, before, observed.someone_on(before, blast.epicentre))
    done = chains.resolve(table, field, blast)
    events = outcome(before, done)
    damage = sum(each.points for each in done.losses)
    answer = ExplosionAnswer(len(done.blasts), damage, len(events.fallen), events)
    return Decided(answer, turn.after_action(table, before, done.field).scene)


def outcome(before: Battlefield, done: ChainOutcome) -> Outcome:
    """Give what has happened, compared with the battlefield before."""
    return Outcome(
        tuple(Explosion(blast.epicentre, blast.radius, str(blast.why), blast.source) for blast in done.blasts),
        tuple(at for at in before.ground.in_order if at in done.tiles),
        tuple(SprungTrap(each.trap, each.at, each.on) for each in done.traps),
        losses.harmed(before, done.field),
        losses.fallen(before, done.field),
        losses.by_side(before, done.field),
    )


# Throws


def prepare_throw(case: ThrowCase) -> tuple[Battlefield, Throwing]:
    """Find the thrown unit and the thrower; raises `Faults`."""
    named = ("unit", "unit", case.unit), ("by", "unit", case.by)
    field = checked_case(case.scene, *named, tiles=[("origin", case.origin)], playing=True)
    if case.by == case.unit:
        raise Faults.one(pointer("case", "by"), "itself", "a unit cannot throw itself", case.by, "another unit")
    origin = field.at(case.by) if case.origin is None and case.by is not None else case.origin
    if origin == field.at(case.unit) and case.throw.way != "chosen":
        text = f"{case.unit} cannot be thrown away from or towards its own tile"
        raise Faults.one(pointer("case", "origin"), "no-direction", text, list(origin), "another tile, or `chosen`")
    why = "Something" if case.by is None else field.name(case.by)
    return field, Throwing(case.unit, case.throw, why, origin, case.by)


def decide_throw(table: Table, state: tuple[Battlefield, Throwing]) -> Decided[ThrowAnswer]:
    """Where does this unit come to rest that is thrown or pulled, and what does its landing do?"""
    before, throwing = state
    done = chains.resolve(table, before, throwing)
    now = done.field.unit(throwing.unit)
    answer = ThrowAnswer(before.at(throwing.unit), now.at, now.dead, outcome(before, done))
    return Decided(answer, turn.after_action(table, before, done.field).scene)


# Crates and concealed tiles


def prepare_reveal(case: RevealCase) -> RevealState:
    """Find the tile, and put the unit on it that has moved there; raises `Faults`."""
    before = checked_case(case.scene, ("unit", "unit", case.unit), tiles=[("at", case.at)], playing=True)
    at = pointer("case", "at")
    if before.scene.is_partial and case.unit is not None and case.at is None:
        here = before.at(case.unit)
        member = "crates" if case.what == "crate" else "concealed"
        field = before.with_(**{member: (Hidden(here, case.holds),)})
        return RevealState(field, before, here, case.unit)
    if case.at is None:
        raise Faults.one(at, "missing", "something is revealed on a tile", None, "a tile, or no board and a unit")
    if case.at not in before.hidden:
        asked = "the tile of a crate, or a concealed one"
        raise Faults.one(at, "nothing-hidden", "nothing is hidden there", list(case.at), asked)
    if case.unit is None:
        return RevealState(before, before, case.at, None)
    others = [unit.id for unit in before.on(case.at) if unit.id != case.unit]
    if others:
        raise Faults.one(at, "no-room", f"{others[0]} stands there", list(case.at), "a tile without other units")
    return RevealState(before.put(replace(before.unit(case.unit), at=case.at)), before, case.at, case.unit)


def decide_reveal(table: Table, state: RevealState) -> Decided[RevealAnswer]:
    """What is in this crate or under this concealed tile, and what does it do?"""
    field, at = state.field, state.at
    hidden = field.crate(at) or field.concealed(at)
    holds: Holds = (hidden.holds if hidden else None) or traps.shown(table, field, at)
    field = _with_contents(field, at, holds)
    if state.unit is not None:
        done = chains.resolve(table, field, Arrival(state.unit, at, thrown=False))
    else:
        field, _ = traps.revealed(table, field, at)
        went = traps.content(table, field, at, holds, None, taker=None)
        done = chains.resolve(table, went.field, *went.more)
    trap = next((each.trap for each in done.traps), None)
    answer = RevealAnswer(holds, trap, outcome(state.before, done))
    return Decided(answer, turn.after_action(table, state.before, done.field).scene)


def _with_contents(field: Battlefield, at: Tile, holds: Holds) -> Battlefield:
    """Give the battlefield with what a tile holds written down."""
    scene = field.scene
    return field.with_(
        crates=tuple(replace(each, holds=holds) if each.at == at else each for each in scene.crates),
        concealed=tuple(replace(each, holds=holds) if each.at == at else each for each in scene.concealed),
    )


def chain_cost(state: tuple[Battlefield, *tuple[object, ...]]) -> float:
    """Estimate how many milliseconds the longest chain takes: every trap and explosive there goes off, each once."""
    field = state[0]
    scene, book = field.scene, field.book
    traps_ = (*scene.trap_deck.cards, *scene.trap_deck.discard, *(trap.trap for trap in scene.traps))
    radii = [book.traps[id_].explosion_radius for id_ in traps_] + [
        book.items[each.item].explosion_radius for each in scene.items
    ]
    far = max((radius for radius in radii if radius is not None), default=0)
    area = min(len(field.ground.tiles), (2 * far + 1) ** 2)
    hidden, cards = len(scene.crates) + len(scene.concealed), len(traps_)
    sources = 1 + len(scene.traps) + len(scene.items) + min(hidden, cards * (1 + -(-hidden // area)))
    return sources * (MS_EACH + MS_TILE * area)


def worth(answer: ExplosionAnswer | ThrowAnswer | RevealAnswer, who: str) -> int:
    """Give what an answer is worth to a side: the points that the others have lost, less its own."""
    return losses.worth(answer.outcome, who)


QUESTIONS = (
    Question("explosion", ExplosionCase, prepare_explosion, decide_explosion, dice=True, cost=chain_cost, worth=worth),
    Question("throw", ThrowCase, prepare_throw, decide_throw, dice=True, cost=chain_cost, worth=worth),
    Question("reveal", RevealCase, prepare_reveal, decide_reveal, dice=True, cost=chain_cost, worth=worth),
)
