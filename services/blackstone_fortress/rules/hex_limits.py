"""Hex limits: whether there is room for one more miniature in a hex.

Only miniatures of the same side are counted, for enemies never share a hex (see `movement` and `deployment`).
"""

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield, Unit
from services.blackstone_fortress.book import disputed_fit, fits
from services.blackstone_fortress.scene import Explorer, Hex


@rule(
    "hex_limits.room",
    cites=("hex-limits/hostiles", "hex-limits/explorers", "hex-limits/twins", "hex-limits/size-on-card"),
    neutral=True,
)
def room(table: Table, field: Battlefield, hex_: Hex, unit: Unit) -> bool:
    """Decide whether the friends of a unit who stand in a hex leave room for it there."""
    others = tuple([other for other in field.at(hex_) if other.id != unit.id and type(other) is type(unit)])
    if not others:
        return True
    free = _free(table, (*[field.kind(friend) for friend in others], field.kind(unit)))
    table.explain(_record_room, field, hex_, unit, others, free)
    return free


def _record_room(table: Table, field: Battlefield, hex_: Hex, unit: Unit, others: tuple[Unit, ...], free: bool) -> None:
    if isinstance(unit, Explorer):
        cites: tuple[str, ...] = ("hex-limits/explorers",)
        if any(field.kind(one) == "twin" for one in (*others, unit)):
            cites = (*cites, "hex-limits/twins")
    else:
        cites = ("hex-limits/hostiles", "hex-limits/size-on-card")
    text = "{hex} has room for {unit} beside {others}" if free else "{hex} has no room for {unit} beside {others}"
    table.find(text, cites=cites, hex=hex_, unit=field.name(unit), others=Listing(map(field.name, others)), room=free)


def _free(table: Table, kinds: tuple[str, ...]) -> bool:
    """Say whether these kinds fit together by the table, or by a wider reading of it where one is taken."""
    if fits(kinds):
        return True
    disputed = disputed_fit(kinds)
    return disputed is not None and table.read(disputed[0]) == disputed[1]
