"""NPCs: whom one goes for, which way, when it attacks, and all of its turn by that pattern."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from operator import add

from msgspec import structs

from arbiter.option import Option, place
from arbiter.readings import Options, settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.warleague.battlefield import Battlefield, elsewhere
from services.warleague.ground import Metric
from services.warleague.rules import ammo, attack, damage, movement, observed, points, reach, striking, targeting
from services.warleague.rules.happenings import Strike
from services.warleague.scene import Tile

DISTANCE: Options = ("npc-distance", ("path", "tiles"))
APPROACH: Options = ("npc-approach", ("reach", "adjacent"))
CONCEALED: Options = ("npc-concealed", ("walks", "avoids"))

MOST_FAR = 100
"""More action points than any NPC has in a turn, for where no way leads."""

MOST_ACTIONS = 200
"""More steps and attacks than the action points of one turn pay for."""


class NpcAttack(Value, frozen=True):
    """An attack of an NPC: its target, the tile, the hands used, and the damage to others."""

    target: str
    to: Tile | None
    hands: tuple[int, ...]
    damage: int


@dataclass(frozen=True)
class NpcTurn:
    """The turn of an NPC so far: its target, all its targets, its way and its attacks.

    `reached` is whom it has come to attack, where only the players see the way.
    """

    field: Battlefield
    unit: str
    target: str | None = None
    targets: tuple[str, ...] = ()
    way: tuple[Tile, ...] = ()
    attacks: tuple[NpcAttack, ...] = ()
    over: bool = False
    reached: str | None = None


@violations_rule("npc.violations", cites="npc/patterns")
def violations(table: Table, field: Battlefield, unit: str) -> Iterator[Reason]:
    """Decide whether a unit follows a pattern: NPCs do, for others their player decides."""
    if field.profile(field.unit(unit)).role != "npc":
        text = "{unit} is not an NPC: {side} decides for it"
        yield table.reason(text, unit=field.name(unit), side=field.player(unit))


@rule("npc.acted", cites="npc/patterns", neutral=lambda field, unit: NpcTurn(field, unit, over=True))
def acted(table: Table, field: Battlefield, unit: str) -> NpcTurn:
    """Decide what an NPC does in its turn: it goes for the closest enemy and attacks it, while its points last."""
    table.find("{unit} follows its pattern with {left} AP", unit=field.name(unit), left=points.left(field, unit))
    return table.iterate(_next, NpcTurn(field, unit), lambda acting: acting.over, MOST_ACTIONS)


def _next(table: Table, acting: NpcTurn) -> NpcTurn:
    """Do the next thing of a turn: an attack, or a step."""
    field, unit = acting.field, acting.unit
    if not field.stands(unit):
        return replace(acting, over=True)
    goal = acting.target
    if goal is None or not field.stands(goal):
        if goal is not None and observed.is_somewhere(field.at(unit)):
            if not _able(table, field, unit):
                return replace(acting, over=True)
            # What players have seen of the first target does not hold for the next.
            field = field.put(structs.replace(field.unit(unit), at=elsewhere(field.at(unit))))
            acting = replace(acting, field=field)
        goal = target(table, field, unit)
        if goal is None:
            return replace(acting, over=True)
        acting = replace(acting, target=goal, targets=(*acting.targets, goal))
    if table.facts is not None and acting.reached != goal:
        return _approached(table, acting, goal)
    attacks = strikes(table, field, unit, goal)
    if observed.is_somewhere(field.at(unit)):
        way: tuple[Tile, ...] = ()
    else:
        way = onward(table, field, unit, goal) if not attacks or _nears(table, field, unit, goal) else ()
    if not (attacks or way) or (acting.attacks and table.read("npc-attacks") == "once"):
        return replace(acting, over=True)
    if way:
        return _went(table, acting, way)
    return _attacked(table, acting, goal, weapon(table, field, unit, attacks))


def _attacked(table: Table, acting: NpcTurn, goal: str, strike: Strike) -> NpcTurn:
    field, unit = acting.field, acting.unit
    with table.without_findings():
        free = not attack.price(table, field, strike)
    made = striking.resolve(table, field, strike)
    own = field.player(unit)
    harm = sum(loss.points for loss in made.losses if field.player(loss.unit) != own)
    row = NpcAttack(goal, strike.to, strike.hands, harm)
    # What costs nothing would never end.
    return replace(acting, field=made.field, attacks=(*acting.attacks, row), over=free)


def _went(table: Table, acting: NpcTurn, way: tuple[Tile, ...]) -> NpcTurn:
    field = movement.walk(table, acting.field, acting.unit, way)
    at = field.unit(acting.unit).at
    gone = way[: way.index(at) + 1] if at in way else way
    return replace(acting, field=field, way=(*acting.way, *gone))


def _able(table: Table, field: Battlefield, unit: str) -> bool:
    """Say whether an NPC can still do something: it has points left, or a weapon that costs none."""
    strike = (Strike(unit, (hand,), field.at(unit)) for hand in range(len(field.hands(unit))))
    return points.left(field, unit) > 0 or not all(attack.unfit(table, field, each) for each in strike)


def _approached(table: Table, acting: NpcTurn, goal: str) -> NpcTurn:
    """Let an NPC come to where it attacks an enemy, if players say what that costs; a board shows its steps."""
    field, unit = acting.field, acting.unit
    price = observed.approach(table, field, unit, goal, partial(_far, table, field, unit, goal))
    acting = replace(acting, reached=goal)
    if not price or not observed.is_somewhere(field.at(unit)):
        return acting
    return replace(acting, field=came(table, field, unit, goal, price), over=price > points.left(field, unit))


def _far(table: Table, field: Battlefield, unit: str, goal: str) -> int:
    """Give how many points it costs an NPC to come to where it can attack an enemy; more than it has without a way."""
    if strikes(table, field, unit, goal):
        return 0
    return min(MOST_FAR, _ahead(table, field, unit, goals(table, field, unit, goal)).get(field.at(unit), MOST_FAR))


@rule("npc.came", cites="npc/closest", neutral=unchanged)
def came(table: Table, field: Battlefield, unit: str, enemy: str, price: int) -> Battlefield:
    """Decide how far an NPC comes whose way only the players see: to where it attacks, if its points last."""
    has = points.left(field, unit)
    words = {"unit": field.name(unit), "enemy": field.name(enemy)}
    if price > has:
        table.find("{unit} moves towards {enemy} as far as its AP last", **words)
    else:
        table.find("{unit} moves to where it can attack {enemy}", **words)
    return points.paid(table, field, unit, min(price, has), "the way")


# Whom it goes for


@rule("npc.target", cites="npc/closest", neutral=None)
def target(table: Table, field: Battlefield, unit: str) -> str | None:
    """Decide whom an NPC goes for: the closest enemy that is not downed.

    What is close is `npc-distance`, and who of those equally close `npc-tie`.
    """
    enemies = tuple(enemy.id for enemy in field.enemies(field.unit(unit)) if not enemy.downed)
    if not enemies:
        return None
    equal = enemies
    if len(enemies) > 1:
        near = observed.closest(table, field, unit, partial(_closest, table, field, unit, enemies))
        equal = tuple(enemy for enemy in enemies if enemy in near) or enemies
    closest = equal[0] if len(equal) == 1 else _of_equal(table, field, unit, equal)
    table.find("The closest enemy of {unit} is {enemy}", unit=field.name(unit), enemy=field.name(closest))
    return closest


def _closest(table: Table, field: Battlefield, unit: str, enemies: tuple[str, ...]) -> tuple[str, ...]:
    """Give the closest of several enemies: by the way to where each can be attacked, or by tiles."""
    where = {enemy: spots(table, field, unit, enemy) for enemy in enemies}
    costs, hidden = movement.prices(table, field), field.hidden

    def far(metric: Metric) -> dict[str, int]:
        return {enemy: field.ground.distance(field.at(unit), field.at(enemy), metric) for enemy in enemies}

    def on_foot(friends: str, squeeze: str, concealed: str) -> dict[str, int]:
        shut = hidden if concealed == "avoids" else ()
        reached = movement.reached_by(field, unit, movement.FAR, costs, friends, squeeze, shut)
        ways = {enemy: [reached[at] for at in where[enemy] if at in reached] for enemy in enemies}
        return {enemy: min(distances) for enemy, distances in ways.items() if distances}

    def closest(how: str, metric: Metric, *options: str) -> tuple[str, ...]:
        measured = (on_foot(*options) if how == "path" else {}) or far(metric)
        return tuple(enemy for enemy in enemies if measured.get(enemy) == min(measured.values()))

    return settled(table, closest, DISTANCE, targeting.METRIC, *_readings(field, unit, hidden))


def _readings(field: Battlefield, unit: str, hidden: frozenset[Tile]) -> tuple[Options, ...]:
    """Give the readings on which the ways of an NPC depend, with those options between which they could differ."""
    concealed = CONCEALED if hidden else (CONCEALED[0], CONCEALED[1][:1])
    return (*movement.open_readings(field, unit), concealed)


def _of_equal(table: Table, field: Battlefield, unit: str, equal: tuple[str, ...]) -> str:
    how = table.read("npc-tie")
    if how == "chosen":
        chosen: str = table.choose("players", f"{unit}: goes for", equal, about=field, means=field.option)
        return chosen
    if how == "listed":
        return equal[0]
    strengths = {enemy: damage.strengths(table, field, enemy) for enemy in equal}
    weakest: str = settled(table, lambda by: min(equal, key=lambda enemy: strengths[enemy][by]), damage.WEAKEST)
    return weakest


# Where it goes


def spots(table: Table, field: Battlefield, unit: str, enemy: str) -> frozenset[Tile]:
    """Give the free tiles from which an NPC could attack an enemy; without a weapon for it, those next to it.

    Lines and ranges are the same both ways, so these are the tiles that it would reach from the enemy's.
    """
    there, most = field.at(enemy), field.full(unit, "ap")
    with table.without_findings():
        reached = [
            reach.tiles(table, field, unit, card, here=there)
            for hand, card in enumerate(field.weapons(unit))
            if card.ap <= most and not ammo.violations(table, field, unit, hand)
        ]
    return _free(field, unit, frozenset().union(*reached) if reached else field.ground.neighbours(there))


def _free(field: Battlefield, unit: str, tiles: Iterable[Tile]) -> frozenset[Tile]:
    """Give those of some tiles on which a unit could stand."""
    others = field.tiles_of_enemies if field.scene.shared_tiles else field.tiles_of_others
    return field.ground.tiles.intersection(tiles) - field.closed - others(field.unit(unit))


def goals(table: Table, field: Battlefield, unit: str, enemy: str) -> frozenset[Tile]:
    """Give the tiles to which an NPC wants to come: how near it goes is `npc-approach`."""
    far = spots(table, field, unit, enemy)
    near = _free(field, unit, field.ground.neighbours(field.at(enemy)))
    return settled(table, lambda how: near if how == "adjacent" else far, APPROACH)


def _nears(table: Table, field: Battlefield, unit: str, enemy: str) -> bool:
    """Say whether an NPC goes nearer to an enemy that it could attack where it stands: `npc-approach`."""
    apart = not field.ground.adjacent(field.at(unit), field.at(enemy))
    return apart and table.read("npc-approach") == "adjacent"


def _ahead(table: Table, field: Battlefield, unit: str, to: frozenset[Tile]) -> dict[Tile, int]:
    """Give what the cheapest way to some tiles costs, from every tile; over what is hidden is `npc-concealed`."""
    at, costs = field.at(unit), movement.prices(table, field)
    near, hidden = (at, *field.ground.neighbours(at)), field.hidden

    def ways(friends: str, squeeze: str, concealed: str) -> dict[Tile, int]:
        shut = hidden if concealed == "avoids" else frozenset[Tile]()
        blocked = movement.blocked(field, unit, friends) | shut
        costs_from = field.ground.routes(to - shut, costs, blocked, squeeze == "yes")
        # A way may begin on a tile that is shut, but leads over none.
        if not shut:
            return costs_from
        return {tile: cost for tile, cost in costs_from.items() if tile == at or tile not in shut}

    def first_steps(costs_from: dict[Tile, int]) -> dict[Tile, int]:
        return {tile: costs_from[tile] for tile in near if tile in costs_from}

    return movement.by_readings(table, ways, first_steps, *_readings(field, unit, hidden))


@rule("npc.onward", cites="npc/closest", neutral=())
def onward(table: Table, field: Battlefield, unit: str, enemy: str) -> tuple[Tile, ...]:
    """Decide which step an NPC takes next towards an enemy: the next of a shortest way, as far as its points last.

    It is more than one where it passes a tile on which it cannot stop. Which of several shortest ways it is, is
    `npc-way`, and what if there is none `npc-no-way`.
    """
    at, to = field.at(unit), goals(table, field, unit, enemy)
    if at in to:
        return ()
    ahead = _ahead(table, field, unit, to)
    way = _followed(table, field, unit, ahead) if at in ahead else _nearest(table, field, unit, enemy)
    step: tuple[Tile, ...] = ()
    with table.without_findings():
        parts = accumulate(((to,) for to in way), add)
        step = next((part for part in parts if not movement.way_violations(table, field, unit, part)), ())
    if step:
        text = "{unit} moves to {tile} on its way to {enemy}"
        table.find(text, unit=field.name(unit), tile=targeting.tile(step[-1]), enemy=field.name(enemy))
    return step


def _followed(table: Table, field: Battlefield, unit: str, ahead: dict[Tile, int]) -> Iterator[Tile]:
    """Give a shortest way step by step, of which only the first step may be a matter of choice."""
    here, left = field.at(unit), points.left(field, unit)
    # Steps beyond the points left are no choice.
    following = tuple(to for to in _following(table, field, unit, here, ahead) if ahead[here] - ahead[to] <= left)
    if len(following) > 1 and table.read("npc-way") == "chosen":
        here = table.choose("players", f"{unit}: steps to", following, about=field, means=place("to", "tile {}"))
        following = (here,)
    while following:
        here = following[0]
        yield here
        following = _following(table, field, unit, here, ahead) if ahead[here] else ()


def _following(table: Table, field: Battlefield, unit: str, here: Tile, ahead: dict[Tile, int]) -> tuple[Tile, ...]:
    """Give the next tiles of all shortest ways, in the order of the directions."""
    with table.without_findings():
        return tuple(
            to
            for to in field.ground.neighbours(here)
            if to in ahead
            and ahead[to] + movement.cost(table, field, to) == ahead[here]
            and not movement.squeezed(table, field, unit, here, to)
            and (not ahead[to] or not movement.closed(table, field, unit, to, False))
        )


def _nearest(table: Table, field: Battlefield, unit: str, enemy: str) -> tuple[Tile, ...]:
    """Give the way to the tile in reach that is nearest to an enemy, or none: `npc-no-way`."""
    costs, hidden = movement.prices(table, field), field.hidden
    at, there, left = field.at(unit), field.at(enemy), points.left(field, unit)

    def nearest(metric: Metric, friends: str, squeeze: str, concealed: str) -> tuple[Tile, ...]:
        shut = hidden if concealed == "avoids" else ()
        reach = movement.reached_by(field, unit, left, costs, friends, squeeze, shut)
        far = {to: field.ground.distance(to, there, metric) for to in reach}
        best = min(far, key=lambda to: (far[to], reach[to], to[1], to[0]))
        return reach.path(best) if far[best] < far[at] else ()

    way: tuple[Tile, ...] = settled(table, nearest, targeting.METRIC, *_readings(field, unit, hidden))
    return () if not way or table.read("npc-no-way") == "stays" else way


# How it attacks


def strikes(table: Table, field: Battlefield, unit: str, enemy: str) -> tuple[Strike, ...]:
    """Give the attacks on an enemy that are open to an NPC, in the order of its hands, both last."""
    held = range(len(field.hands(unit)))
    both = [tuple(held)] if len(held) > 1 else []
    every = [Strike(unit, hands, field.at(enemy)) for hands in (*((hand,) for hand in held), *both)]
    with table.without_findings():
        if observed.is_somewhere(field.at(unit)):
            every = [strike for strike in every if not attack.unfit(table, field, strike)]
            if len(every) == 1:
                return tuple(every)  # it has come to where it can attack
        return tuple(strike for strike in every if not attack.violations(table, field, strike))


def _armed(field: Battlefield, unit: str, strikes: Mapping[str, Strike], word: str) -> Option:
    hands = strikes[word].hands
    weapons = field.weapons(unit, hands)
    names, ids = Listing(weapon.title for weapon in weapons), [weapon.id for weapon in weapons]
    return Option(word, f"the {names}", {"hands": hands, "weapons": ids, "at": strikes[word].to})


@rule("npc.weapon", cites=("npc/patterns", "npc/closest"), neutral=lambda field, unit, attacks: attacks[0])
def weapon(table: Table, field: Battlefield, unit: str, attacks: tuple[Strike, ...]) -> Strike:
    """Decide with which of several weapons in reach an NPC attacks: `npc-weapon`."""
    strike = attacks[0]
    if len(attacks) > 1:
        how = table.read("npc-weapon")
        words = [" and ".join(f"hand {hand}" for hand in each.hands) for each in attacks]
        if how == "chosen":
            by_words = dict(zip(words, attacks, strict=True))
            means = partial(_armed, field, unit, by_words)
            strike = by_words[table.choose("players", f"{unit}: attacks with", words, about=field, means=means)]
        elif how == "both":
            strike = max(attacks, key=lambda each: len(each.hands))
    used = Listing(card.title for card in field.weapons(unit, strike.hands))
    text, tile = "{unit} attacks {tile} with {weapons}", targeting.tile(strike.to)
    table.find(text, unit=field.name(unit), tile=tile, weapons=used)
    return strike
