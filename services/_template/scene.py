"""The table as it is posted, and the profiles it names. Lengths are counted in hexes."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from arbiter.sources.ledger import Confidence
from arbiter.sources.yaml_file import load_yaml
from arbiter.text import UnitName
from arbiter.value import Value
from services._template.ground import Ground, Hex

Id = Annotated[str, Meta(min_length=1, max_length=40)]
Side = Literal["red", "blue"]
Count = Annotated[int, Meta(ge=0, le=100)]


class Profile(Value, frozen=True):
    """A kind of fighter. `aim` and `armour` are the lowest face of a d6 that hits or saves."""

    id: str
    name: str
    gist: str
    speed_hexes: int
    shots: int
    range_hexes: int
    aim: int
    armour: int
    wounds: int
    cites: tuple[str, ...]
    confidence: Confidence


PROFILES = {
    profile.id: profile
    for profile in msgspec.convert(load_yaml(Path(__file__).parent / "data" / "fighters.yaml"), tuple[Profile, ...])
}
"""Every kind of fighter, by id."""


class Fighter(Value, frozen=True):
    """A fighter on the table: its `side`, `hex`, and `profile` in the data; `dodged` says whether it has tried to."""

    id: Id
    side: Side
    profile: Id
    hex: Hex
    wounds_lost: Count = 0
    dodged: bool = False

    @property
    def name(self) -> UnitName:
        """What players call it."""
        return UnitName(self.id)

    @property
    def numbers(self) -> Profile:
        """The numbers of its kind."""
        return PROFILES[self.profile]


class Scene(Ground, frozen=True):
    """The table: the board and its rocks, and the fighters still in play."""

    fighters: Annotated[tuple[Fighter, ...], Meta(min_length=1, max_length=40)]

    def fighter(self, id_: str) -> Fighter:
        """Give the fighter of that id, which is on the table."""
        return next(fighter for fighter in self.fighters if fighter.id == id_)

    def enemies(self, fighter: Fighter) -> tuple[Fighter, ...]:
        """Give the fighters of the other side."""
        return tuple(other for other in self.fighters if other.side != fighter.side)

    def without(self, fighter: Fighter) -> "Scene":
        """Take a fighter off the table."""
        return msgspec.structs.replace(self, fighters=tuple(each for each in self.fighters if each.id != fighter.id))

    def changed(self, fighter: Fighter) -> "Scene":
        """Put a fighter in the place of the one that has its id."""
        fighters = tuple(fighter if each.id == fighter.id else each for each in self.fighters)
        return msgspec.structs.replace(self, fighters=fighters)


class Move(Value, frozen=True):
    """A fighter that is about to move, on its table."""

    scene: Scene
    fighter: Fighter


class Sight(Value, frozen=True):
    """A fighter that looks at another, on their table."""

    scene: Scene
    viewer: Fighter
    target: Fighter


class Shot(Value, frozen=True):
    """A fighter that is about to shoot at another, on their table."""

    scene: Scene
    attacker: Fighter
    target: Fighter
