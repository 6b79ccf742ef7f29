"""Shelter: which hexes the explorers see, and which of several hexes a hostile has to prefer for their cover."""

from collections.abc import Collection, Sequence

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.rules import sight
from services.blackstone_fortress.scene import Hex


@rule(
    "shelter.seen_hexes",
    cites=("sight/centre-to-centre", "sight/blocked-by"),
    neutral=lambda field, among: frozenset(among),
)
def seen_hexes(table: Table, field: Battlefield, among: Collection[Hex]) -> frozenset[Hex]:
    """Decide which of these hexes at least one explorer sees."""
    places = dict.fromkeys(explorer.hex for explorer in field.explorers if explorer.hex is not None)
    # A line that is free however edges and contacts are read needs no word; only the others are worth a ruling each.
    strictest = field.ground.edged("rim")
    seen = set().union(*(strictest.visible_from(place, "touch") for place in places)).intersection(among)
    laxest = field.ground.edged("listed-only")
    doubtful = {place: laxest.visible_from(place, "cross") for place in places}
    with table.without_findings():
        for hex_ in among:
            if hex_ not in seen and any(
                hex_ in perhaps and sight.visible(table, field, place, hex_) for place, perhaps in doubtful.items()
            ):
                seen.add(hex_)
    unseen = [hex_ for hex_ in among if hex_ not in seen]
    table.find("out of every explorer's sight: {unseen}", unseen=Listing(unseen) or "none of these hexes")
    return frozenset(seen)


@rule(
    "shelter.preferred",
    cites=("hostile-move/prefer-cover", "deploy/prefer-cover"),
    neutral=lambda field, hexes, unit_of_source: tuple(hexes),
)
def preferred(table: Table, field: Battlefield, hexes: Sequence[Hex], unit_of_source: str) -> tuple[Hex, ...]:
    """Decide which of several equally good hexes a hostile has to take for the cover they give from explorers.

    `unit_of_source` is the passage that asks for it. All hexes are left when cover does not tell them apart. The
    readings are `prefer-cover-from` (one explorer who sees the hex, or all) and `unseen-as-cover` (one out of sight).
    """
    if len(hexes) < 2:
        return tuple(hexes)
    sheltering = sight.sheltering(field)
    cover = {hex_: table.once(_cover, field.ground, sheltering, field.explorers_in, hex_) for hex_ in hexes}

    def best_hexes(unseen: bool, partly: bool) -> tuple[Hex, ...]:
        good = {"every": True, "unseen": unseen, "some": partly, "none": False}
        return tuple(hex_ for hex_ in hexes if good[cover[hex_]]) or tuple(hexes)

    unseen = partly = True
    if best_hexes(False, True) != best_hexes(True, True) or best_hexes(False, False) != best_hexes(True, False):
        unseen = table.read("unseen-as-cover") == "counts"
    if best_hexes(unseen, False) != best_hexes(unseen, True):
        partly = table.read("prefer-cover-from") == "any"
    best = best_hexes(unseen, partly)
    if len(best) < len(hexes):
        table.find(
            "cover makes {best} better than {others}",
            cites=unit_of_source,
            best=Listing(best),
            others=Listing(hex_ for hex_ in hexes if hex_ not in best),
        )
    return best


def _cover(table: Table, ground: Ground, sheltering: bool, explorers: frozenset[Hex], hex_: Hex) -> str:
    """Say from how many of the explorers who see a hex it is in cover: `every`, `some` or `none`; or it is `unseen`."""
    with table.without_findings():
        covered = [
            sight.covered(table, ground, place, hex_, sheltering)
            for place in sorted(explorers)
            if table.always(sight.line_is_free, ground, place, hex_)
        ]
    if not covered:
        return "unseen"
    return "every" if all(covered) else "some" if any(covered) else "none"


class Exposure(Value, frozen=True):
    """How a hex lies to the enemies of a unit: who sees it, and from whom of these it is in cover."""

    seen_by: tuple[str, ...]
    in_cover_from: tuple[str, ...]


@rule("shelter.exposure", cites=("sight/centre-to-centre", "cover/cover-hexside"), neutral=Exposure((), ()))
def exposure(table: Table, field: Battlefield, unit_id: str, hex_: Hex) -> Exposure:
    """Decide which enemies would see a unit in a hex, and from which of them it would be in cover there."""
    enemies = [(enemy.id, enemy.hex) for enemy in field.enemies(field.units[unit_id]) if enemy.hex is not None]
    with table.without_findings():
        seen = [(id_, place) for id_, place in enemies if sight.visible(table, field, place, hex_)]
        covered = [id_ for id_, place in seen if sight.in_cover(table, field, place, hex_)]
    return Exposure(tuple(id_ for id_, _ in seen), tuple(covered))
