"""What stands between a looker and a target and what covers the target, by every reading at once. No rules stand here.

Everything is worked out once for the same table, and looked up by the options of the readings.
"""

from fractions import Fraction
from typing import Literal, NamedTuple

from arbiter.caching import held_by_first
from arbiter.geometry.plane.shapes import Piece
from services.stargrave.geometry import vantage
from services.stargrave.geometry.look import OPTIONS, Look

Cover = Literal["none", "light", "heavy"]

HOWS = ("hiding", "centre-line", "corridor")
"""The options of the reading `intervening`."""

HALF = Fraction(1, 2)
PARTS = {"any": Fraction(0), "tenth": Fraction(1, 10)}
"""What is a part of a target, by the options of the reading `cover-part`: for 0 all that is more than nothing."""

FIGURES_AROUND = 4
"""Sets of figures around a target of which a look remembers what the target touches, in each of two generations."""


@held_by_first(OPTIONS)
def between(look: Look, how: str, origin: str, figures: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the pieces of terrain, and the figures, that lie between looker and target by the options of three readings.

    They are `intervening`, `sight-from` and `figures-block-sight`; the latter two matter for what is hidden alone.
    """
    ids = look.hiding(origin, figures) if how == "hiding" else look.on_the_plan(how)
    return (
        tuple(piece.id for piece in look.terrain if piece.id in ids),
        tuple(body.id for body in look.bodies if body.id in ids),
    )


class _Touched(NamedTuple):
    """What a target touches, what of that the looker touches, too, and what cover has been found to be by readings."""

    pieces: tuple[Piece, ...]
    by_both: frozenset[str]
    covers: dict[tuple[str, ...], Cover]
    helps: dict[tuple[str, ...], bool]


@held_by_first(FIGURES_AROUND)
def _touched(look: Look, around: tuple[Piece, ...]) -> _Touched:
    terrain = [piece for piece in look.terrain if vantage.touches(look.target, piece)]
    by_both = frozenset(piece.id for piece in terrain if vantage.touches(look.looker, piece))
    return _Touched((*terrain, *around), by_both, {}, {})


def shelter(look: Look, around: tuple[Piece, ...]) -> "Shelter":
    """Give what a target touches on the side of a looker; `around` are the figures that are cover for it."""
    return Shelter(look, _touched(look, around))


class Shelter:
    """What a target touches on the side of a looker, and what cover that is by each reading.

    The ground holds what was found, and not the shelter, whose look refers to the ground.
    """

    def __init__(self, look: Look, covers: _Touched) -> None:
        self.look = look
        self.touched, self.by_both, self._covers, self._helps = covers

    def cover(self, part: str, share: str, together: str, both: str, origin: str, figures: str) -> Cover:
        """Give the cover by one option of each reading."""
        options = (part, share, together, both, origin, figures)
        if options not in self._covers:
            self._covers[options] = self._cover(*options)
        return self._covers[options]

    def helps(self, id_: str, *options: str) -> bool:
        """Check whether a piece that the target touches is cover, alone or as far as pieces are taken together."""
        asked = (id_, *options)
        if asked not in self._helps:
            self._helps[asked] = self._help(*asked)
        return self._helps[asked]

    def _sheltering(self, both: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """Give the pieces of solid cover, and those of solid and soft cover."""
        pieces = tuple(
            piece
            for piece in self.touched
            if piece.cover != "none" and not (both == "ignored" and piece.id in self.by_both)
        )
        return tuple(piece for piece in pieces if piece.cover == "solid"), pieces

    def _hide(
        self, pieces: tuple[Piece, ...], least: Fraction, share: str, together: str, origin: str, figures: str
    ) -> bool:
        """Check whether the pieces hide so much of the target or more, all together or the best of them."""
        eye = self.look.eye(origin, figures)
        sets = [pieces] if together == "together" else [(piece,) for piece in pieces]
        return any(self.look.hides(eye, each, least, in_plan=share == "width") for each in sets)

    def _cover(self, part: str, share: str, together: str, both: str, origin: str, figures: str) -> Cover:
        solids, every = self._sheltering(both)
        how = (share, together, origin, figures)
        if self._hide(solids, HALF, *how):
            return "heavy"
        return "light" if self._hide(solids, PARTS[part], *how) or self._hide(every, HALF, *how) else "none"

    def _help(self, id_: str, part: str, share: str, together: str, both: str, origin: str, figures: str) -> bool:
        solids, every = self._sheltering(both)
        how = (share, together, origin, figures)
        own = tuple(piece for piece in every if piece.id == id_)
        if own and own[0] in solids:
            return self._hide(own, PARTS[part], *how)
        return bool(own) and self._hide(every if together == "together" else own, HALF, *how)
