"""Reach: distance, contact, lines of sight, and which units can be attacked.

The text measures in centimetres, on the level and from base to base. Lengths are thousandths of a centimetre.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Any, cast

from arbiter.facts import Number, Units, fact
from arbiter.geometry.plane.measure import Distance, Ends, between
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, units
from arbiter.geometry.plane.witness import Grazes
from arbiter.readings import Options, settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.contacts_given import contact_checks
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from arbiter.value import Value
from services.rapture import lines
from services.rapture.battlefield import Battlefield
from services.rapture.ground import Ground, in_touch, pairs
from services.rapture.ground import within as near
from services.rapture.rules import boxes

ONE_CENTIMETRE = PER_UNIT
TOLERANCE_CM = 0.5

_ENDS: dict[str, Ends] = {"edges": "bases", "centres": "centres"}

_SIGHT: tuple[Options, ...] = (
    ("sight-from", ("any-point", "centre")),
    ("graze", ("cross", "touch")),
    ("sight-in-height", ("plan", "space")),
)

_SIGHT_BOUNDS = (("centre", "touch", "plan"), ("any-point", "cross", "space"))
"""Who is seen in the strictest way is seen in all; who is hidden in the most generous way is hidden in all."""

_MODELS: Options = ("models-block-sight", ("no", "yes"))

Pairs = frozenset[tuple[int, int]]
"""Models of one unit and models of another, by their places in the scene."""


class Sight(Value, frozen=True):
    """Whether a unit sees another, and otherwise what blocks the line between their nearest models."""

    seen: bool
    by: tuple[str, ...] = ()


class Reach(Value, frozen=True):
    """Whether a unit reaches another: every reason why not, and how many of its models do."""

    reasons: tuple[Reason, ...]
    models: int
    of: int

    @property
    def open(self) -> bool:
        """Whether the target is within reach."""
        return not self.reasons


# Facts


def moot(table: Table, reading: str, option: str) -> bool:
    """Decide whether players need not be asked for a fact, since it does not matter under an option of a reading."""
    return table.facts is not None and table.readings[reading] == option


def as_known(field: Battlefield, a: str, b: str, holds: bool, measure: Callable[[], Pairs]) -> Pairs:
    """Give the pairs of which a fact says that there are some, or none: as measured, where the board shows the same."""
    pairs = measure() if field.measures(a, b) else frozenset()
    if bool(pairs) == holds:
        return pairs
    return all_pairs(field, a, b) if holds else frozenset()


@fact(
    "range_cm",
    "How many centimetres is it from {one} to {other}?",
    of=("one", "other"),
    kind=Number("centimetres", most=300.0, tolerance=TOLERANCE_CM, usual=10.0),
    says="It is {value} cm from {one} to {other}",
    cites=("basics/centimetres", "basics/horizontal", "basics/base-edges"),
    mutual=True,
)
def range_cm(table: Table, field: Battlefield, a: str, b: str) -> float:
    """Measure how far two units are from each other, in centimetres."""
    return float(distance(table, field, a, b)) / PER_UNIT


# Units in contact are nearer to each other than this, even if it is measured from the middles of their bases.
_against_pair, _against_list = contact_checks("in_contact", "contact", "range_cm", 20.0)


@fact(
    "contact",
    "Is {one} in contact with {other}?",
    of=("one", "other"),
    says=("{one} is in contact with {other}", "{one} is not in contact with {other}"),
    cites=("basics/base", "basics/contact"),
    mutual=True,
    follows=lambda facts, *pair: False if (facts.value(range_cm, *pair) or 0) > TOLERANCE_CM else None,
    against=_against_pair,
)
def in_contact(table: Table, field: Battlefield, a: str, b: str) -> bool:
    """Decide whether two units are in contact, for a deed that needs it."""
    return touches(table, field, a, b)


@fact(
    "in_contact",
    "Which opponents is {unit} in contact with?",
    of=("unit",),
    kind=Units(),
    says="{unit} is in contact with {value}",
    cites=("basics/base", "basics/contact"),
    against=_against_list,
)
def contacts(table: Table, field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """List the opponents with which a unit is in contact, in the order of the scene."""
    unit, near = field.unit(unit_id), [field.unit(id_) for id_ in field.contacts(unit_id)]
    return tuple(
        other.id for other in near if field.are_enemies(unit, other) and touches(table, field, unit_id, other.id)
    )


@fact(
    "sees",
    "Does {looker} see {target}?",
    of=("looker", "target"),
    says=("{looker} sees {target}", "{looker} does not see {target}"),
    cites="ability/line-of-sight",
)
def sees(table: Table, field: Battlefield, a: str, b: str, among: Pairs | None = None) -> bool:
    """Decide whether a unit sees another, or some of these pairs of their models see each other."""
    pairs = visible_pairs(table, field, a, b)
    return bool(pairs if among is None else pairs & among)


@fact(
    "models",
    "How many models of {unit} reach {target}?",
    of=("unit", "target"),
    kind=Number("models", least=1.0, most=20.0, whole=True),
    says="Models of {unit} that reach {target}: {value}",
    cites="basics/activated-whole",
)
def models_in_reach(table: Table, field: Battlefield, a: str, b: str, measured: int) -> int:
    """Count the models of a unit that reach another."""
    return measured


# Measuring


@rule(
    "reach.distance",
    cites=("basics/centimetres", "basics/horizontal", "basics/base-edges"),
    neutral=Distance(Fraction(0)),
)
def distance(table: Table, field: Battlefield, a: str, b: str) -> Distance:
    """Decide how far two units are from each other: between their nearest models, on the level.

    Between which points of two models is the reading `measured-from`. Both are on the battlefield.
    """
    ends = _ENDS[table.read("measured-from")]
    shortest = min(between(one, other, ends) for one, other in product(_bodies(field, a), _bodies(field, b)))
    text, away = "{unit} is {away:g} cm from {other}", ceil(float(shortest)) / PER_UNIT
    table.find(text, unit=field.name(a), other=field.name(b), away=away)
    return shortest


@rule(
    "reach.in_range",
    cites=("basics/horizontal", "basics/base-edges"),
    neutral=lambda field, a, b, reach: all_pairs(field, a, b),
)
def in_range(table: Table, field: Battlefield, a: str, b: str, reach: int) -> Pairs:
    """Decide which models of two units are within a range of each other; `measured-from` is read where it matters."""

    def near_pairs(ends: str) -> Pairs:
        return pairs(field.ground, _bodies(field, a), _bodies(field, b), near, reach, _ENDS[ends])

    measured = partial(settled, table, near_pairs, ("measured-from", ("edges", "centres")))
    if table.facts is None:
        return measured()
    return as_known(field, a, b, range_cm(table, field, a, b) <= reach / PER_UNIT, measured)


# Contact


@rule("reach.touches", cites=("basics/base", "basics/contact"), neutral=False)
def touches(table: Table, field: Battlefield, a: str, b: str) -> bool:
    """Decide whether two units are in base contact: a base of the one touches a base of the other."""
    if b not in field.contacts(a):
        return False
    table.find("{unit} is in contact with {other}", unit=field.name(a), other=field.name(b))
    return True


def touching(table: Table, field: Battlefield, a: str, b: str) -> bool:
    """Decide whether two units are in base contact; opponents of which the contacts are known are not asked about."""
    facts = table.facts
    if facts is None:
        return touches(table, field, a, b)
    if field.are_enemies(field.unit(a), field.unit(b)):
        for one, other in ((a, b), (b, a)):
            if facts.knows(contacts, field, one):
                return other in contacts(table, field, one)
    return in_contact(table, field, a, b)


def contact(table: Table, field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the opponents with which a unit is in base contact, in the order of the scene."""
    with table.without_findings():
        found = contacts(table, field, unit_id)
    if table.facts is None:
        return found
    return tuple(enemy.id for enemy in field.enemies(field.unit(unit_id)) if enemy.id in found)


@rule("reach.close", cites="basics/contact", neutral=lambda field, a, b: full_reach(field, a))
def close(table: Table, field: Battlefield, a: str, b: str) -> Reach:
    """Decide whether a unit reaches another in close combat, and with how many models (`close-combat-reach`)."""
    many = len(field.unit(a).models)
    if pairs := _close_pairs(table, field, a, b):
        models = _models(table, field, a, b, pairs)
        if table.facts is None or field.measures(a, b):
            text = "{unit} reaches {target} in close combat with {models} of {of} models"
            table.find(text, unit=field.name(a), target=field.name(b), models=models, of=many)
        return Reach((), models, many)
    return Reach((table.reason_of(_apart, field, a, b),), 0, many)


def _apart(table: Table, field: Battlefield, a: str, b: str) -> Reason:
    return table.reason("{unit} is not in contact with {target}", unit=field.name(a), target=field.name(b))


def _close_pairs(table: Table, field: Battlefield, a: str, b: str) -> Pairs:
    if table.facts is None:
        return _adjacent_pairs(table, field, a, b)
    holds = touching(table, field, a, b) or (
        table.read("close-combat-reach") == "one-centimetre" and range_cm(table, field, a, b) <= 1
    )
    return as_known(field, a, b, holds, partial(_adjacent_pairs, table, field, a, b))


def _adjacent_pairs(table: Table, field: Battlefield, a: str, b: str) -> Pairs:
    if b not in field.contacts(a, ONE_CENTIMETRE + 1):
        return frozenset()
    own, others = _bodies(field, a), _bodies(field, b)
    nearly = pairs(field.ground, own, others, _is_adjacent)
    meeting = nearly and pairs(field.ground, own, others, in_touch)
    return meeting if meeting == nearly or table.read("close-combat-reach") == "contact" else nearly


def _is_adjacent(one: Figure, other: Figure) -> bool:
    """Decide whether two bases touch, or are one centimetre apart at most."""
    return in_touch(one, other) or near(one, other, ONE_CENTIMETRE, "bases")


# Sight


def sight(table: Table, field: Battlefield, a: str, b: str) -> Sight:
    """Give whether a unit sees another, and otherwise what blocks the line between the nearest models."""
    return Sight(True) if visible_pairs(table, field, a, b) else Sight(False, _blockers(table, field, a, b))


@rule("reach.visible_pairs", cites="ability/line-of-sight", neutral=lambda field, a, b: all_pairs(field, a, b))
def visible_pairs(table: Table, field: Battlefield, a: str, b: str) -> Pairs:
    """Decide which models of a unit see which of another: a line from base to base is free.

    Where lines run is `sight-from`, whether what they only touch blocks them is `graze`, whether the models of third
    units do is `models-block-sight`, and whether heights count is `sight-in-height`.
    """
    pairs = table.once(_pairs_in_sight, field.ground, _bodies(field, a), _bodies(field, b), _third(field, a, b))
    text = "{unit} sees {other}" if pairs else "{unit} cannot see {other}"
    table.find(text, unit=field.name(a), other=field.name(b), seen=bool(pairs))
    return pairs


def _pairs_in_sight(
    table: Table, ground: Ground, own: tuple[Figure, ...], others: tuple[Figure, ...], third: tuple[Figure, ...]
) -> Pairs:
    """Give the pairs that see each other; readings are read only where they make a difference."""
    seen: Callable[..., Pairs] = partial(lines.pairs_in_sight, ground, own, others)
    past = table.once(_past_terrain, ground, own, others)
    # Models only remove pairs; the reading matters where they remove one by the readings of this table.
    own_options: list[Any] = [table.readings[id_] for id_, _ in _SIGHT]
    left = settled(table, lambda models: seen(third, *own_options) if models == "yes" and past else past, _MODELS)
    return past if left == past else settled(table, partial(seen, third), *_SIGHT)


def _past_terrain(table: Table, ground: Ground, own: tuple[Figure, ...], others: tuple[Figure, ...]) -> Pairs:
    """Give the pairs that see each other where nobody else stands."""
    return settled(table, partial(lines.pairs_in_sight, ground, own, others, ()), *_SIGHT, bounds=_SIGHT_BOUNDS)


def _blockers(table: Table, field: Battlefield, a: str, b: str) -> tuple[str, ...]:
    """Give what blocks the line between the centres of the nearest models, units by their ids."""
    one, other = min(product(_bodies(field, a), _bodies(field, b)), key=lambda pair: between(*pair))
    ground = field.ground.blocking

    def found(bodies: tuple[Figure, ...], grazes: str, heights: str) -> tuple[str, ...]:
        among = lines.blockers(one, other, ground, bodies, cast(Grazes, grazes), cast(lines.Heights, heights))
        return tuple(dict.fromkeys(id_.partition("#")[0] for id_ in among))

    counting = table.readings["models-block-sight"] == "yes"
    bodies = lines.near(one, other, _third(field, a, b)) if counting else ()
    return settled(table, partial(found, bodies), *_SIGHT[1:])


# Shots


@violations_rule("reach.weapon_violations", cites="profile/ranged-weapon")
def weapon_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot make ranged attacks: it has no ranged weapon."""
    profile = field.profile(field.unit(unit_id))
    if profile.range_cm is None or profile.mms is None:
        yield table.reason("{unit} has no ranged weapon", unit=field.name(unit_id))


@rule("reach.shot", cites="attack/range", neutral=lambda field, a, b: full_reach(field, a))
def shot(table: Table, field: Battlefield, a: str, b: str) -> Reach:
    """Decide whether a unit can shoot at another, and with how many models.

    It needs a ranged weapon, range, and, by the reading `ranged-line-of-sight`, a line of sight.
    """
    many = len(field.unit(a).models)
    if unarmed := weapon_violations(table, field, a):
        return Reach(unarmed, 0, many)
    reach = boxes.values(table, field, a).range
    # An armed unit has a range.
    near = all_pairs(field, a, b) if reach is None else in_range(table, field, a, b, reach)
    if not near:
        return Reach((table.reason_of(_too_far, field, a, b, reach or 0),), 0, many)
    seen = _seen_pairs(table, field, a, b, near)
    if seen != near and table.read("ranged-line-of-sight") == "not-needed":
        seen = near
    if seen:
        return Reach((), _models(table, field, a, b, seen), many)
    return Reach((table.reason_of(_unseen, field, a, b),), 0, many)


def _too_far(table: Table, field: Battlefield, a: str, b: str, reach: int) -> Reason:
    text = "{target} is {away:g} cm away; the range of {unit} is {most:g} cm"
    away, most = range_cm(table, field, a, b), float(units(reach))
    return table.reason(text, unit=field.name(a), target=field.name(b), away=away, most=most)


def _unseen(table: Table, field: Battlefield, a: str, b: str) -> Reason:
    pieces = Listing(_blockers(table, field, a, b) if field.measures(a, b) else ())
    any_model = "{unit} cannot see any model of {target} within range"
    text = "{unit} cannot see {target} behind {pieces}" if pieces else any_model
    names = {"unit": field.name(a), "target": field.name(b)}
    return table.reason(text, cites="ability/line-of-sight", pieces=pieces, **names)


def _seen_pairs(table: Table, field: Battlefield, a: str, b: str, near: Pairs) -> Pairs:
    """Give the pairs within range that see each other, or all of them where sight does not matter to the players."""
    if table.facts is None:
        return near & visible_pairs(table, field, a, b)
    if moot(table, "ranged-line-of-sight", "not-needed"):
        return near
    with table.without_findings():
        measured = near & visible_pairs(table, field, a, b) if field.measures(a, b) else frozenset()
    return near & as_known(field, a, b, sees(table, field, a, b, near), lambda: measured)


@rule("reach.dice", cites="basics/activated-whole", neutral=lambda reach, card: card)
def dice(table: Table, reach: Reach, card: int) -> int:
    """Decide how many dice a unit rolls if only some models reach the target (`squad-dice`)."""
    if reach.models in (0, reach.of) or not card or table.read("squad-dice") == "card":
        return card
    share = -(-card * reach.models // reach.of)
    text, dice_ = "Models that reach the target: {models} of {of}, so {dice}", Quantity(share, "die", "dice")
    table.find(text, models=reach.models, of=reach.of, dice=dice_)
    return share


def full_reach(field: Battlefield, unit_id: str) -> Reach:
    """Give the reach of all models of a unit."""
    many = len(field.unit(unit_id).models)
    return Reach((), many, many)


def all_pairs(field: Battlefield, a: str, b: str) -> Pairs:
    """Give every model of a unit with every model of another."""
    return frozenset(product(range(len(field.unit(a).models)), range(len(field.unit(b).models))))


def _bodies(field: Battlefield, unit_id: str) -> tuple[Figure, ...]:
    return field.solids(field.unit(unit_id))


def _third(field: Battlefield, a: str, b: str) -> tuple[Figure, ...]:
    """Give the models of all other units."""
    return tuple([body for unit, body in field.bodies if unit.id not in (a, b)])


def _models(table: Table, field: Battlefield, a: str, b: str, pairs: Pairs) -> int:
    """Give how many models of a unit are in some pairs; players are asked only where dice depend on it."""
    measured, many = len({own for own, _ in pairs}), len(field.unit(a).models)
    if table.facts is None or many == 1 or table.readings["squad-dice"] == "card":
        return measured
    return min(many, models_in_reach(table, field, a, b, measured))
