"""What powers do to loot tokens: unlock them, move them, and hand them over.

Powers stand in the research notes. Where a token may be moved is checked before any roll.
"""

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.nowhere import Nowhere
from arbiter.rule import rule
from arbiter.skirmish import plane
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield
from services.stargrave.book import Power
from services.stargrave.geometry import footing
from services.stargrave.rules import harm, power_aims
from services.stargrave.scene import Place

BAIT = "bait-and-switch"


def moves(power: Power) -> bool:
    """Check whether a power moves a token."""
    return power.id in (BAIT, power_aims.DATA_SKIP)


def token_of(field: Battlefield, aim: power_aims.PowerAim) -> str | None:
    """Give the token of a power: its aim, or the one that its target carries."""
    return aim.token if aim.token is not None or aim.target is None else field.figure(aim.target).carries


@rule("power_tokens.opened", cites=("power/break-lock", "power/data-knock"), neutral=lambda field, *_: field)
def opened(table: Table, field: Battlefield, user: str, power: Power, token_id: str) -> Battlefield:
    """Decide what becomes of a token that a power unlocks: anybody may pick it up."""
    table.find("{power} unlocks {token}", cites=f"power/{power.id}", power=power.name, token=token_id)
    table.event("unlocked", figure=user, token=token_id)
    return field.put_token(replace(field.token(token_id), unlocked=True))


@rule("power_tokens.moved", cites=("power/bait-and-switch", "power/data-skip"), neutral=lambda field, *_: field)
def moved(table: Table, field: Battlefield, power: Power, token_id: str, to: Place) -> Battlefield:
    """Decide where a token is that a power has moved: at the place that was picked, and nobody carries it any more."""
    carrier = power_aims.carrier(field, token_id)
    if carrier is not None:
        field = harm.drop(table, field, carrier.id)
    height = 0.0
    if not isinstance(to, Nowhere):
        height = float(shapes.units(footing.support(field.ground.impassable, plane.point(to))))
    table.find("{power} moves {token}", cites=f"power/{power.id}", power=power.name, token=token_id, to=to)
    table.event("token-moved", token=token_id, to=to)
    return field.put_token(replace(field.token(token_id), at=to, elevation_in=height))


@rule("power_tokens.handed_over", cites="power/data-jump", neutral=lambda field, *_: field)
def handed_over(table: Table, field: Battlefield, token_id: str, target: str) -> Battlefield:
    """Decide who carries a token that jumps: the figure it jumps to."""
    carrier = power_aims.carrier(field, token_id)
    table.find("{token} jumps to {name}", token=token_id, name=field.name(target))
    table.event("handed-over", token=token_id, figure=target)
    if carrier is not None:
        field = field.put(replace(carrier, carries=None))
    return field.put(replace(field.figure(target), carries=token_id))


def out_of_reach(field: Battlefield, token_id: str, to: Place, inches: float) -> bool:
    """Check whether a place is further than so many inches from where a token lies, or its carrier stands, in plan."""
    here = power_aims.carrier(field, token_id) or field.token(token_id)
    if here.at is None:
        return False
    (x, y), (u, v) = plane.point(here.at), plane.point(to)
    return (x - u) ** 2 + (y - v) ** 2 > shapes.thousandths(inches) ** 2
