"""Reinforcements: the roll when a group's card comes up, who returns, where, and what each does on arrival."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from arbiter.dice import D20
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield, Unit, hex_option
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.profiles import Size
from services.blackstone_fortress.rules import behaviour, deployment, hostile_attacks, overwatch, shelter
from services.blackstone_fortress.rules.hostile_actions import StepResult, attack_in, carry_out, move_closer
from services.blackstone_fortress.rules.hostile_attacks import PLAIN
from services.blackstone_fortress.rules.turn import group_name
from services.blackstone_fortress.scene import Hex, Hostile

SIZES: tuple[Size, ...] = ("small", "large", "huge")


class ReinforcementRoll(Value, frozen=True):
    """A reinforcement roll: the size whose column was used, what was rolled, and how many come back.

    `again` is the second roll, where a twist had the first one rolled again.
    """

    size: Size
    roll: int
    number: int
    again: int | None = None


def slain_of(field: Battlefield, group: str) -> tuple[Hostile, ...]:
    """Give the hostiles of a group that are slain and off the battlefield, in the scene's order."""
    return tuple(hostile for hostile in field.scene.hostiles if hostile.group == group and hostile.slain)


def _ever_slain(field: Battlefield, group: str) -> tuple[Hostile, ...]:
    """Give those of a group that were slain at some time in the combat, come back or not."""
    happened = field.scene.turn.happened
    return tuple(
        hostile
        for hostile in field.scene.hostiles
        if hostile.group == group and (hostile.slain or hostile.reinforcement or f"returned:{hostile.id}" in happened)
    )


@rule("reinforcements.counted", cites="reinforcement/when", neutral=())
def counted(table: Table, field: Battlefield, group: str) -> tuple[Hostile, ...]:
    """Decide which slain hostiles of a group count for its roll: none, and there is no roll.

    Whether those count who have come back since is the reading `reinforcement-slain-count`.
    """
    slain, ever = slain_of(field, group), _ever_slain(field, group)
    if _smallest(field, slain) != _smallest(field, ever) and table.read("reinforcement-slain-count") == "ever-slain":
        slain = ever
    name = group_name(group)
    if slain:
        table.find("slain of {name}: {count}; a reinforcement roll is made", count=len(slain), name=name, group=group)
    else:
        table.find("no hostile of {name} is slain; no reinforcement roll is made", count=0, name=name, group=group)
    return slain


def _smallest(field: Battlefield, hostiles: Iterable[Hostile]) -> Size | None:
    sizes = {field.card(hostile).size for hostile in hostiles}
    return next((size for size in SIZES if size in sizes), None)


@rule("reinforcements.size", cites="reinforcement/smallest-size", neutral="huge")
def size(table: Table, field: Battlefield, slain: tuple[Hostile, ...]) -> Size:
    """Decide which column of the table is used: that of the smallest slain hostile."""
    smallest = _smallest(field, slain) or "huge"
    table.find("the smallest slain hostile is {size}", size=smallest)
    return smallest


@rule(
    "reinforcements.number",
    cites=("reinforcement/table", "reinforcement/table-summary", "reinforcement/returned", "reinforcement/fewer"),
    neutral=0,
)
def number(table: Table, of: Size, roll: int, slain: int) -> int:
    """Decide how many hostiles a roll brings back: what the table says, or all the slain if they are fewer."""
    full, back = (_look_up(option, of, roll) for option in ("full-rule", "back-page"))
    cites, count = "reinforcement/table", full
    if min(full, slain) != min(back, slain) and table.read("reinforcement-table") == "back-page":
        cites, count = "reinforcement/table-summary", back
    text = "a roll of {roll} in the column for {size} hostiles brings back {found}"
    table.find(text, cites=(cites, "reinforcement/returned"), roll=roll, found=count, size=of)
    if count > slain:
        are = "is" if slain == 1 else "are"
        table.find(
            f"only {{slain}} of the group {are} slain, and no more can return", cites="reinforcement/fewer", slain=slain
        )
    return min(count, slain)


def _look_up(option: str, of: Size, roll: int) -> int:
    row = next(row for row in rows("reinforcements") if row["option"] == option)
    return int(next(band[of] for band in row["rows"] if band["rolls"][0] <= roll <= band["rolls"][1]))


@rule("reinforcements.rolled", cites="reinforcement/roll", neutral=None)
def rolled(table: Table, field: Battlefield, group: str) -> ReinforcementRoll | None:
    """Make the reinforcement roll of a group, if any of it are slain, and decide how many come back."""
    slain = counted(table, field, group)
    if not slain:
        return None
    of = size(table, field, slain)
    most = len(slain_of(field, group))
    roll: int = table.roll(D20, f"{group}: reinforcements")
    table.find("the reinforcement roll of {name} is {roll}", name=group_name(group), group=group, roll=roll)
    count = number(table, of, roll, most)
    table.record(f"{group}: reinforcements", total=roll, outcome=f"{count} return")
    if count or "reroll-reinforcements" not in field.scene.twists:
        return ReinforcementRoll(of, roll, count)
    return rolled_again(table, group, ReinforcementRoll(of, roll, count), most)


@rule("reinforcements.rolled_again", cites="twists/reroll-reinforcements", neutral=lambda group, first, most: first)
def rolled_again(table: Table, group: str, first: ReinforcementRoll, most: int) -> ReinforcementRoll:
    """Decide what a twist makes of a roll that brought nobody: it is rolled once more."""
    roll: int = table.roll(D20, f"{group}: reinforcements")
    table.find("a twist makes the group roll {first} again: the new roll is {roll}", first=first.roll, roll=roll)
    count = number(table, first.size, roll, most)
    table.record(f"{group}: reinforcements", total=roll, outcome=f"{count} return")
    return replace(first, again=roll, number=count)


@rule(
    "reinforcements.returning",
    cites=("reinforcement/returned", "reinforcement/smallest-size"),
    neutral=lambda field, group, of, slain: slain[0].id if slain else None,
)
def returning(table: Table, field: Battlefield, group: str, of: Size, slain: tuple[Hostile, ...]) -> str | None:
    """Decide which of the hostiles that were slain when the roll was made returns next; None when nobody can.

    Which sizes may is the reading `reinforcement-sizes`; among hostiles that differ in nothing the first is taken.
    """
    if {field.card(hostile).size for hostile in slain} - {of}:
        option = table.read("reinforcement-sizes")
        smallest = _smallest(field, slain)
        if option == "smallest-first":
            slain = tuple(hostile for hostile in slain if field.card(hostile).size == smallest)
        elif option == "only-smallest":
            slain = tuple(hostile for hostile in slain if field.card(hostile).size == of)
    kinds = {(hostile.profile, hostile.weapon): hostile.id for hostile in reversed(slain)}
    if not kinds:
        return None
    alike = tuple(hostile.id for hostile in slain if kinds[hostile.profile, hostile.weapon] == hostile.id)
    chosen: str = table.choose("hostiles", f"{group}: returning", alike, about=field, means=field.option)
    table.find("{hostile} returns", hostile=field.name(chosen))
    return chosen


@rule(
    "reinforcements.portal_hexes",
    cites="reinforcement/next-to-portal",
    neutral=lambda field: tuple(sorted(field.ground.open)),
)
def portal_hexes(table: Table, field: Battlefield) -> tuple[Hex, ...]:
    """Decide where reinforcements arrive: in the hexes adjacent to a portal."""
    hexes = tuple(dict.fromkeys(hex_ for portal in field.scene.board.portals for hex_ in portal.beside))
    table.find("reinforcements arrive next to a portal: {hexes}", hexes=Listing(hexes) or "there is none")
    return hexes


@rule(
    "reinforcements.near_group",
    cites=("reinforcement/near-group", "reinforcement/near-explorer"),
    neutral=lambda field, hostile_id, hexes, earlier: hexes,
)
def near_group(
    table: Table, field: Battlefield, hostile_id: str, hexes: Sequence[Hex], earlier: frozenset[str]
) -> tuple[Hex, ...]:
    """Decide which of the hexes that could take a hostile it may take: the closest to another of its group.

    If none of its group is on the battlefield, it is the closest to an explorer. Whether those count who came by the
    same roll, and so are not among the `earlier`, is the reading `reinforcement-near-whom`.
    """
    hostile = field.hostile(hostile_id)
    group = tuple(other for other in field.hostiles if other.group == hostile.group and other.id != hostile_id)
    before = tuple(other for other in group if other.id in earlier)
    best = _closest(table, field, hostile_id, hexes, group)
    strict = best if group == before else _closest(table, field, hostile_id, hexes, before)
    if strict != best and table.read("reinforcement-near-whom") == "only-earlier":
        best, group = strict, before
    if group:
        table.find("as close as possible to its group: {hexes}", cites="reinforcement/near-group", hexes=Listing(best))
    else:
        text = "nobody of its group is there, so as close as possible to an explorer: {hexes}"
        table.find(text, cites="reinforcement/near-explorer", hexes=Listing(best))
    return best


def _closest(
    table: Table, field: Battlefield, hostile_id: str, hexes: Sequence[Hex], group: tuple[Hostile, ...]
) -> tuple[Hex, ...]:
    targets: tuple[Unit, ...] = group or field.explorers
    return deployment.closest_hexes(table, field, hostile_id, hexes, targets) if targets else tuple(hexes)


@rule("reinforcements.deployed", cites="deployment/where", neutral=unchanged)
def deployed(table: Table, field: Battlefield, hostile_id: str, earlier: frozenset[str]) -> Battlefield:
    """Deploy one reinforcement next to a portal, or leave it slain where there is no hex for it.

    Whether it may come in elsewhere then is the reading `reinforcement-no-portal`, and whether it prefers cover among
    equally close hexes, as hostiles do at set-up, the reading `reinforcement-cover`.
    """
    if field.scene.is_partial:
        text = "the players put {hostile} next to a portal, where it triggers overwatch and acts at once"
        table.find(text, hostile=field.name(hostile_id))
        return deployment.deploy(table, field, hostile_id, ())
    hexes = deployment.open_hexes(table, field, hostile_id, portal_hexes(table, field))
    if not hexes and table.read("reinforcement-no-portal") == "anywhere":
        everywhere = sorted(field.ground.open)
        hexes = [hex_ for hex_ in everywhere if not deployment.violations(table, field, hostile_id, hex_)]
    if not hexes:
        return deployment.undeployed(table, field, hostile_id)
    best = near_group(table, field, hostile_id, hexes, earlier)
    if len(best) > 1 and table.read("reinforcement-cover") == "preferred":
        best = shelter.preferred(table, field, best, "deploy/prefer-cover")
    hex_ = table.choose("hostiles", f"{hostile_id}: deploy", best, about=field, means=hex_option)
    return deployment.deploy(table, field, hostile_id, (hex_,))


@rule("reinforcements.held_back", cites="reinforcement/not-activated", neutral=unchanged)
def held_back(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Decide that a hostile is not activated in the turn in which it comes back."""
    hostile = field.hostile(hostile_id)
    table.find("{hostile} is not activated in this turn", hostile=field.name(hostile))
    return field.change(hostile, reinforcement=True)


@rule(
    "reinforcements.act",
    cites=("reinforcement/acts-when-deployed", "reinforcement/attack", "reinforcement/move"),
    neutral=unchanged,
)
def act(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Decide what a reinforcement does on arrival, before the next one comes: it attacks, or it moves.

    It attacks the closest explorer whom it sees in range of its weapons, and moves towards the closest one if it sees
    nobody. What it does when it sees somebody but nobody in range is the reading `reinforcement-act`.
    """
    name = field.name(hostile_id)
    if hostile_attacks.targets(table, field, hostile_id, PLAIN):
        text = "{hostile} attacks at once"
        table.find(text, cites=("reinforcement/acts-when-deployed", "reinforcement/attack"), hostile=name)
        return carry_out(table, field, hostile_id, (attack_in(PLAIN),))[0]
    if behaviour.seen_by(table, field, hostile_id):
        option = table.read("reinforcement-act")
        if option == "strict":
            text = "{hostile} sees explorers, but none is in range: it does nothing"
            table.find(text, cites="reinforcement/acts-when-deployed", hostile=name)
            return field
    table.find(
        "{hostile} moves at once", cites=("reinforcement/acts-when-deployed", "reinforcement/move"), hostile=name
    )
    return carry_out(table, field, hostile_id, (move_closer, _attack_after_all))[0]


def _attack_after_all(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    """Attack after the move, where the reading `reinforcement-act` allows it."""
    targets = hostile_attacks.targets(table, field, hostile_id, PLAIN)
    if targets and table.read("reinforcement-act") == "move-then-attack":
        return attack_in(PLAIN)(table, field, hostile_id, before)
    return StepResult(field)


def arrive(
    table: Table, field: Battlefield, group: str, roll: ReinforcementRoll | None
) -> tuple[Battlefield, tuple[str, ...]]:
    """Give the battlefield after a roll's reinforcements have come, one after another, and who has really returned.

    Each is deployed and has acted before the next comes; for whom there is no hex stays slain and has not returned.
    """
    if roll is None:
        return field, ()
    returned: tuple[str, ...] = ()
    earlier = frozenset(hostile.id for hostile in field.hostiles)
    slain = slain_of(field, group)
    for _ in range(roll.number):
        hostile_id = returning(table, field, group, roll.size, slain)
        if hostile_id is None:
            break
        slain = tuple(hostile for hostile in slain if hostile.id != hostile_id)
        field = deployed(table, field, hostile_id, earlier)
        if field.hostile(hostile_id).slain:
            continue
        returned = (*returned, hostile_id)
        field = held_back(table, field, hostile_id)
        if field.scene.is_partial:
            continue
        field = overwatch.triggered(table, field, hostile_id, "deployment")
        if not field.hostile(hostile_id).slain:
            field = act(table, field, hostile_id)
    return field, returned
