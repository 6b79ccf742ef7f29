"""Cards: what is known of a unit, an ability, a mission or a status. Shipped as data, or given by a scene instead."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from arbiter.skirmish.fields import Card, Id, Text
from arbiter.value import Value

Centimetres = Annotated[float, Meta(ge=0, le=200, description="Centimetres; read to the nearest thousandth.")]
Step = Annotated[int, Meta(ge=-20, le=20)]
Number = Annotated[int, Meta(ge=0, le=20)]
Difficulty = Annotated[int, Meta(ge=1, le=7, description="The lowest face of a d6 that is a success.")]
Points = Annotated[int, Meta(ge=0, le=1000)]
Limit = Annotated[int, Meta(ge=1, le=20)] | None

Kind = Literal["hero", "leader", "apprentice", "squad"]


class Changes(Value, frozen=True, cache_hash=True):
    """What is added to values: a plus on `ccs` and `mms` is harder; `mov` and `range` are centimetres."""

    ccs: Step = 0
    mms: Step = 0
    att: Step = 0
    rof: Step = 0
    tec: Step = 0
    def_: Step = msgspec.field(name="def", default=0)
    ini: Step = 0
    mov: Step = 0
    range: Step = 0
    ap: Step = 0
    rp: Step = 0


class Box(Changes, frozen=True, cache_hash=True):
    """A box of a bar: what it changes while crossed out, whether it says Escape, and the `ability` it sets off."""

    escape: bool = False
    ability: Id | None = None


class Profile(Card, frozen=True, cache_hash=True):
    """The card of a unit.

    `att` are its dice in close combat, `abilities` ids of what it can do. `hp` and `mp` are the boxes in the order in
    which they are crossed out. `mms` and `range_cm` are null without a ranged weapon. `base_cm` is how far a model's
    base is across. `apprentices` are the cards that may go with a leader; `ascends_at` is the roll for an ascension and
    `ascended` what it changes; `lp` is a supply of life points, where the card gives one.
    """

    id: Id
    ccs: Difficulty
    att: Number
    hp: Annotated[tuple[Box, ...], Meta(min_length=1, max_length=20)]
    kind: Kind = "hero"
    mov_cm: Centimetres = 0.0
    name: Text = ""
    points: Points = 0
    models: Annotated[int, Meta(ge=1, le=20)] = 1
    base_cm: Annotated[float, Meta(gt=0, le=15)] = 3.0
    height_cm: Annotated[float, Meta(gt=0, le=60)] = 5.0
    tec: Number = 0
    def_: Number = msgspec.field(name="def", default=0)
    ini: Number = 0
    rof: Number = 0
    mms: Difficulty | None = None
    range_cm: Centimetres | None = None
    ap: Number = 0
    rp: Number = 0
    mp: Annotated[tuple[Box, ...], Meta(max_length=20)] = ()
    abilities: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    ascends_at: Difficulty | None = None
    ascended: Changes = Changes()
    apprentices: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    lp: Number = 0


class Ability(Card, frozen=True, cache_hash=True):
    """An ability: its price, its test, its limits, its targets, and its effects; `when` says when it can be used.

    `test` is against `mms`, `ccs` or a number. `per_round`, `per_match`, `charges` and `per_success` limit its uses.
    `status` is what its target comes to be in. `difficulty` belongs to the test `number`. A limit of null is none.
    `range_cm` of 0 is base contact, null is no range. `wounds` and `morale` cross out HP and MP of the target,
    `heal_hp` and `heal_mp` bring them back, `less_wounds` is taken off the damage that its bearer suffers. `modifiers`
    hold for as long as it `lasts`: a round, the match, or, where that is null, for as long as the ability itself holds.
    """

    id: Id
    when: Literal["action", "anytime", "passive", "box"]
    name: Text = ""
    ap: Number = 0
    rp: Number = 0
    lp: Number = 0
    mp: Number = 0
    test: Literal["mms", "ccs", "number"] | None = None
    difficulty: Difficulty | None = None
    per_round: Limit = None
    per_match: Limit = None
    charges: Limit = None
    per_success: Limit = None
    line_of_sight: bool = False
    range_cm: Centimetres | None = None
    target: Literal["self", "friend", "opponent", "objective"] = "self"
    wounds: Number = 0
    morale: Number = 0
    heal_hp: Number = 0
    heal_mp: Number = 0
    less_wounds: Number = 0
    modifiers: Changes = Changes()
    lasts: Literal["round", "match"] | None = None
    status: Id | None = None
    refills: bool = False


class Mission(Card, frozen=True, cache_hash=True):
    """A mission, and the points that it gives: `most` at most, null is no limit.

    `when` says when it gives points, `counts` for what, `points_each` how many for each.
    `reach_cm` is how near a unit has to be to hold an objective, `ability` the one whose uses are its deeds.
    """

    id: Id
    when: Literal["preparation", "cleanup", "end"]
    counts: Literal["objectives-held", "units-beyond-middle", "eliminated", "deeds"]
    points_each: Points
    name: Text = ""
    most: Points | None = None
    reach_cm: Centimetres | None = None
    ability: Id | None = None


class Status(Card, frozen=True, cache_hash=True):
    """What a unit can be in: what becomes of it in the cleanup phase, and `removed_by`, what ends it.

    A `derived` one is read off the table and never posted.
    """

    id: Id
    name: Text = ""
    derived: bool = False
    cleanup: Literal["stays", "ends", "wound"] = "stays"
    removed_by: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()


class Profiles(Value, frozen=True, cache_hash=True):
    """The rows of a scene; they replace shipped rows of the same id."""

    units: Annotated[tuple[Profile, ...], Meta(max_length=60)] = ()
    abilities: Annotated[tuple[Ability, ...], Meta(max_length=100)] = ()
    missions: Annotated[tuple[Mission, ...], Meta(max_length=20)] = ()
    statuses: Annotated[tuple[Status, ...], Meta(max_length=20)] = ()
