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


class How(NamedTuple):
    """How cover is judged: the options of the readings that begin with `cover`, of `touched-by-both` and of lines."""

    part: str
    share: str
    together: str
    both: str
    origin: str
    figures: str


COVERS_KEPT = 64
"""What a target touches, and what cover that is by some options, which a look remembers in each of two generations."""


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


@held_by_first(COVERS_KEPT)
def touched(look: Look, around: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """List what a target touches on the side of a looker; `around` are the figures that are cover for it."""
    return (*(piece for piece in look.terrain if vantage.touches(look.target, piece)), *around)


@held_by_first(COVERS_KEPT)
def cover(look: Look, around: tuple[Piece, ...], *options: str) -> Cover:
    """Give the cover that a target has by one option of each reading, in the order of `How`."""
    how = How(*options)
    solids, every = _sheltering(look, around, how)
    if _hide(look, solids, HALF, how):
        return "heavy"
    return "light" if _hide(look, solids, PARTS[how.part], how) or _hide(look, every, HALF, how) else "none"


@held_by_first(COVERS_KEPT)
def helps(look: Look, around: tuple[Piece, ...], id_: str, *options: str) -> bool:
    """Check whether a piece that a target touches is cover, alone or as far as pieces are taken together."""
    how = How(*options)
    solids, every = _sheltering(look, around, how)
    own = tuple(piece for piece in every if piece.id == id_)
    if own and own[0] in solids:
        return _hide(look, own, PARTS[how.part], how)
    return bool(own) and _hide(look, every if how.together == "together" else own, HALF, how)


def _sheltering(look: Look, around: tuple[Piece, ...], how: How) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Give the pieces of solid cover, and those of solid and soft cover."""
    pieces = tuple(
        piece
        for piece in touched(look, around)
        if piece.cover != "none"
        and not (how.both == "ignored" and piece not in around and vantage.touches(look.looker, piece))
    )
    return tuple(piece for piece in pieces if piece.cover == "solid"), pieces


def _hide(look: Look, pieces: tuple[Piece, ...], least: Fraction, how: How) -> bool:
    """Check whether pieces hide so much of the target or more, all together or the best of them."""
    eye = look.eye(how.origin, how.figures)
    sets = [pieces] if how.together == "together" else [(piece,) for piece in pieces]
    return any(look.hides(eye, each, least, in_plan=how.share == "width") for each in sets)
