"""Shooting: who may be shot at, what hits, what is dodged, saved or suffered. In the order of the text."""

from msgspec.structs import replace

from arbiter.dice import D6
from arbiter.option import with_labels
from arbiter.question import Decided
from arbiter.rule import Forbidden, rule
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services._template.ground import distance, within
from services._template.questions import AttackAnswer
from services._template.rules.sight import line
from services._template.scene import Fighter, Scene, Shot, Sight


class Dodge(Value, frozen=True):
    """Whether the target tried to dodge, and how many hits it did dodge."""

    tried: bool
    hits: int


@rule("shooting.may_shoot", cites=("shooting/enemy", "shooting/sight", "shooting/range"), neutral=None)
def may_shoot(table: Table, shot: Shot) -> None:
    """Decide whether the shot may be fired: at an enemy in sight, as far as the weapon reaches; else `Forbidden`."""
    attacker, target = shot.attacker, shot.target
    away, most = distance(attacker.hex, target.hex), attacker.numbers.range_hexes
    reasons = []
    if attacker.side == target.side:
        reasons.append(table.reason("{target} is no enemy", cites="shooting/enemy", target=target.name))
    with table.without_findings():
        sees = table.once(line, Sight(shot.scene, attacker, target))
    if not sees:
        reasons.append(table.reason("{target} is out of sight", cites="shooting/sight", target=target.name))
    if not within(attacker.hex, target.hex, most):
        reasons.append(
            table.reason(
                "{target} is at a distance of {away}, the weapon reaches {most}",
                cites="shooting/range",
                target=target.name,
                away=away,
                most=most,
            )
        )
    if reasons:
        raise Forbidden(*reasons)
    table.find("{target} may be shot at, at a distance of {away}", target=target.name, away=away)


@rule("shooting.close", cites="shooting/close", neutral=0)
def close(table: Table, shot: Shot) -> int:
    """Decide what is added to the roll to hit: 1 against a target in the next hex."""
    if not within(shot.attacker.hex, shot.target.hex, 1):
        return 0
    table.find("1 is added at close quarters")
    return 1


@rule("shooting.natural_one", cites="shooting/natural-one", neutral=False)
def natural_one(table: Table, face: int) -> bool:
    """Decide whether a face misses by itself: a 1 does, whatever is added to it (reading: natural-one)."""
    if face != 1 or table.read("natural-one") == "counts":
        return False
    table.find("a 1 misses, whatever is added")
    return True


@rule("shooting.to_hit", cites="shooting/to-hit", neutral=True)
def to_hit(table: Table, shot: Shot) -> bool:
    """Decide one shot: it hits when the face, with what is added, is at least the aim."""
    face = table.roll(D6, "to hit")
    total = face + close(table, shot)
    hits = total >= shot.attacker.numbers.aim and not natural_one(table, face)
    table.record(
        "to hit",
        modifiers={"close": total - face},
        total=total,
        needed=shot.attacker.numbers.aim,
        outcome="a hit" if hits else "a miss",
    )
    table.find(
        "a {face} makes {total} against an aim of {aim}: {outcome}",
        face=face,
        total=total,
        aim=shot.attacker.numbers.aim,
        outcome="a hit" if hits else "a miss",
    )
    return hits


_DODGE = {"stand": "take every hit", "dodge": "roll: 4 or more dodges one hit, and no other dodge this round"}


@rule("shooting.dodge", cites=("shooting/dodge", "shooting/dodge-once"), neutral=Dodge(False, 0))
def dodge(table: Table, shot: Shot, hits: int) -> Dodge:
    """Decide how many hits the target dodges: it may try once a round, and 4 or more dodges one hit."""
    target = shot.target
    if not hits:
        return Dodge(tried=False, hits=0)
    if target.dodged:
        table.find("{target} has tried to dodge this round", cites="shooting/dodge-once", target=target.name)
        return Dodge(tried=False, hits=0)
    chosen = table.choose(
        target.side,
        f"dodge of {target.id}",
        ("stand", "dodge"),
        about=shot,
        means=with_labels(_DODGE, "stand", fighter=target.name),
    )
    if chosen == "stand":
        return Dodge(tried=False, hits=0)
    face = table.roll(D6, "dodge")
    table.record("dodge", total=face, needed=4, outcome="dodged" if face >= 4 else "not dodged")
    outcome = "dodges one hit" if face >= 4 else "is hit all the same"
    table.find("a {face}: {target} {outcome}", cites="shooting/dodge", face=face, target=target.name, outcome=outcome)
    return Dodge(tried=True, hits=1 if face >= 4 else 0)


@rule("shooting.save", cites="shooting/save", neutral=lambda target, hits: hits)
def save(table: Table, target: Fighter, hits: int) -> int:
    """Decide how many hits become wounds: each is rolled for, and the target's armour or more saves it."""
    faces: tuple[int, ...] = table.pool(hits, D6, "save")
    saves = tuple(face for face in faces if face >= target.numbers.armour)
    wounds = len(faces) - len(saves)
    table.record("save", kept=saves, needed=target.numbers.armour, successes=len(saves))
    if hits:
        table.find(
            "{target} rolls {faces} to save: {saved} of {hits} hits saved",
            target=target.name,
            faces=Listing(faces),
            saved=hits - wounds,
            hits=hits,
        )
    return wounds


@rule("shooting.suffer", cites=("shooting/wounds", "shooting/slain"), neutral=lambda scene, target, wounds: scene)
def suffer(table: Table, scene: Scene, target: Fighter, wounds: int) -> Scene:
    """Decide what wounds do to the target: they add up, and when all are lost it is taken off the table."""
    lost = target.wounds_lost + wounds
    if lost < target.numbers.wounds:
        if wounds:
            table.find(
                "{target} has lost {lost} of {wounds} wounds",
                cites="shooting/wounds",
                target=target.name,
                lost=lost,
                wounds=target.numbers.wounds,
            )
            table.event("wounded", fighter=target.id, wounds=wounds)
        return scene.changed(replace(target, wounds_lost=lost))
    table.find("{target} is slain", cites="shooting/slain", target=target.name)
    table.event("slain", fighter=target.id)
    return scene.without(target)


def attack(table: Table, shot: Shot) -> Decided[AttackAnswer]:
    """Answer the question `attack`: may it be fired, then hits, dodge, saves and wounds, as the text orders them."""
    may_shoot(table, shot)
    hits = table.repeat(shot.attacker.numbers.shots, to_hit, shot)[True]
    dodged = table.call(dodge, shot, hits)
    wounds = table.call(save, shot.target, hits - dodged.hits)
    target = replace(shot.target, dodged=shot.target.dodged or dodged.tried)
    after = suffer(table, shot.scene, target, wounds)
    slain = len(after.fighters) < len(shot.scene.fighters)
    return Decided(AttackAnswer(hits, dodged.hits, wounds, slain), after)
