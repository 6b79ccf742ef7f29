"""The battlefield: a scene that has been checked, with its ground prepared and its tables at hand.

Lengths in the scene are inches; what the geometry gives is in thousandths.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane import shapes
from arbiter.nowhere import ELSEWHERE, NOWHERE
from arbiter.rule import Reason
from arbiter.skirmish.battlefield import SkirmishBattlefield
from services.stargrave.book import Book, with_built_in
from services.stargrave.geometry import vantage
from services.stargrave.ground import Ground, solid
from services.stargrave.profiles import Profile, Weapon
from services.stargrave.scene import Figure, Scene, Token

PAIRS_KEPT = 64
"""Pairs of figures of which a battlefield remembers who stands between them, in each of two generations."""

LAYOUTS_KEPT, FIGURES_KEPT = 512, 4_096
"""Layouts that a ground remembers in each of two generations, and figures of which a process knows how they stand."""

NO_MATTER = {"tokens", "turn"}
"""Fields of a scene that do not decide which ways lead where."""

CREATURES = "creatures"
"""Who makes the choices of creatures that nobody controls."""

Ids = tuple[str, ...]
Reasons = tuple[Reason, ...]
"""What many rules give: the ids of some units, and every reason why something is forbidden."""


def in_play(figure: Figure) -> bool:
    """Check whether a figure is on the table and has Health left."""
    return figure.at is not None and figure.health != 0


def crews_of(figures: Iterable[Figure]) -> Ids:
    """Give the crews of some figures, in the order in which they first appear."""
    return tuple(dict.fromkeys(figure.crew for figure in figures if figure.crew is not None))


@dataclass(frozen=True, eq=False)
class Battlefield(SkirmishBattlefield[Ground, Book, Scene, Figure]):
    """A valid scene: `ground` holds the terrain, `book` the data tables; figures have an index by id.

    Derived values are computed on first use and cached: a battlefield never changes.
    """

    ROSTER = "figures"

    # No rule is walked that gives a battlefield, so that none has to be known again by what stands on it.
    __eq__, __hash__ = object.__eq__, object.__hash__

    in_play = staticmethod(in_play)

    def are_enemies(self, unit: Figure, other: Figure) -> bool:
        """Check whether two figures are of different crews; creatures that nobody controls are friends."""
        return unit.crew != other.crew

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures in play, in the scene's order."""
        return super().units

    @property
    def units(self) -> tuple[Figure, ...]:
        """The figures in play, in the scene's order."""
        return self.figures

    def figure(self, id_: str) -> Figure:
        """Give the figure of that id."""
        return self.by_id[id_]

    def token(self, id_: str) -> Token:
        """Give the loot token of that id."""
        return next(token for token in self.scene.tokens if token.id == id_)

    def profile(self, unit: Figure) -> Profile:
        """Give the profile of a figure, with its own numbers."""
        profile = self.book.profiles[unit.profile]
        return profile if unit.own is None else unit.own.applied(profile)

    def weapons(self, figure: Figure) -> tuple[Weapon, ...]:
        """Give the weapons a figure carries, in the order of its profile, and those built into what it wears."""
        profile = self.profile(figure)
        carried = profile.weapons if figure.weapons is None else figure.weapons
        at_hand = with_built_in((*carried, *profile.worn), self.book.armour)
        return tuple(self.book.weapons[id_] for id_ in at_hand if id_ in self.book.weapons)

    def has(self, figure: Figure, trait: str) -> bool:
        """Check whether a figure has a trait."""
        return trait in self.profile(figure).traits

    def health(self, figure: Figure) -> int:
        """Give the Health a figure has left."""
        return self.profile(figure).health if figure.health is None else figure.health

    def solid(self, figure: Figure) -> shapes.Figure:
        """Give a figure on the table as the geometry takes it."""
        known = self._solids.get(figure.id)
        if known is not None and known[0] is figure:
            return known[1]
        body = solid(figure, self.book.bodies[self.profile(figure).body], self.ground.slack)
        self._solids[figure.id] = figure, body
        return body

    @property
    def bodies(self) -> tuple[shapes.Figure, ...]:
        """The figures in play as the geometry takes them, in the scene's order."""
        return self.layout.bodies

    @held_by_first(PAIRS_KEPT)
    def bodies_between(self, a: shapes.Figure, b: shapes.Figure) -> tuple[shapes.Figure, ...]:
        """List the figures that reach into the strip between two others; a few more may be among them."""
        return vantage.near(self.bodies, a, b)

    @cached_property
    def _solids(self) -> dict[str, tuple[Figure, shapes.Figure]]:
        return {}

    @cached_property
    def layout(self) -> "Layout":
        """Where all who are in play stand, and what they are: what decides which ways lead where."""
        figures = tuple(map(_as_it_stands, self.figures))
        return _layout(self.ground, self.book, Scene(self.scene.board, figures, profiles=self.scene.profiles))

    def put(self, *changed: Figure) -> Self:
        """Give the battlefield with these figures in place of those of the same id; others stay prepared."""
        after = super().put(*changed)
        after.__dict__["_solids"] = self._solids
        if all(_stands_alike(figure, self.by_id[figure.id]) for figure in changed):
            self._hand_on(after, "layout")
        return after

    def with_(self, **changes: Any) -> Self:
        """Give the battlefield with these fields of the scene changed; figures that stay as they are stay prepared."""
        after = super().with_(**changes)
        after.__dict__["_solids"] = self._solids
        if changes.keys() <= NO_MATTER:
            self._hand_on(after, "figures", "layout")
        return after

    def player(self, id_: str) -> str:
        """Give the player who makes the choices of a figure: its crew, or the one who acts for creatures."""
        return self.by_id[id_].crew or CREATURES

    def away(self, id_: str) -> "Battlefield":
        """Give the battlefield with a figure moved that has no place in the scene, to where nothing is known of."""
        return self.put(replace(self.by_id[id_], at=ELSEWHERE))

    def put_token(self, changed: Token) -> "Battlefield":
        """Give the battlefield with this token in place of that of the same id."""
        return self.with_(tokens=tuple(changed if token.id == changed.id else token for token in self.scene.tokens))

    def with_turn(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these facts about the turn changed."""
        return self.with_(turn=replace(self.scene.turn, **changes))

    def with_board(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with the board changed, and its ground prepared anew."""
        board = replace(self.scene.board, **changes)
        return Battlefield(Ground.of(board), self.book, replace(self.scene, board=board), self.by_id)


@dataclass(frozen=True, eq=False)
class Layout(Battlefield):
    """A battlefield without what does not matter to ways: Health, jams, loot, and where the game stands."""

    @property
    def layout(self) -> "Layout":
        """A layout is its own."""
        return self

    @cached_property
    def bodies(self) -> tuple[shapes.Figure, ...]:
        """The figures in play as the geometry takes them, in the scene's order."""
        return tuple(map(self.solid, self.figures))

    @cached_property
    def answers(self) -> dict[Any, Any]:
        """What tables have worked out of it."""
        return {}


# A layout refers to its ground: both go together, when the collector of cycles comes.
@held_by_first(LAYOUTS_KEPT)
def _layout(ground: Ground, book: Book, scene: Scene) -> Layout:
    return Layout.of(ground, book, scene)


@lru_cache(maxsize=FIGURES_KEPT)
def _as_it_stands(figure: Figure) -> Figure:
    return replace(
        figure, health=None, stunned=False, was_stunned=False, wounded=False, jammed=(), carries=None, activated=False
    )


def _stands_alike(one: Figure, other: Figure) -> bool:
    return in_play(one) == in_play(other) and _as_it_stands(one) == _as_it_stands(other)


def placed(scene: Scene) -> Scene:
    """Give the scene with a place for what is in play or lies on the table: without a board it is somewhere."""
    if not scene.is_partial:
        return scene
    figures = tuple(figure if figure.health == 0 else replace(figure, at=NOWHERE) for figure in scene.figures)
    carried = {figure.carries for figure in figures}
    tokens = tuple(token if token.id in carried else replace(token, at=NOWHERE) for token in scene.tokens)
    return replace(scene, figures=figures, tokens=tokens)


def prepare(scene: Scene) -> Battlefield:
    """Give the battlefield of a valid scene; `checks.checked` validates it."""
    scene = placed(scene)
    return Battlefield.of(Ground.of(scene.board), Book.of(scene.profiles), scene)
