"""After the game: who survives, powers out of the game, experience and levels, and the loot.

Follows "Post-Game Sequence". The loot tables are not in the text: the players give their results.
"""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any

from msgspec import Meta

from arbiter.dice import D20
from arbiter.rule import Reason, rule
from arbiter.skirmish.fields import Id
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Ids
from services.stargrave.book import table as rows
from services.stargrave.rules import powers
from services.stargrave.rules.officers import reward_of
from services.stargrave.scene import OFFICERS, Figure, Loot

MOST_POINTS = 300
POINTS_A_LEVEL = 100
MOST_LEVELS = 3
LEAST_GAP, MOST_GAP = 5, 20

STEPS = (
    ("injuries", "post-game/injuries", "check for injuries and deaths"),
    ("powers", "post-game/powers", "use out-of-game powers"),
    ("experience", "post-game/experience", "work out experience and levels"),
    ("loot", "post-game/loot", "roll for the loot"),
    ("spending", "post-game/spending", "spend the loot"),
)

Count = Annotated[int, Meta(ge=0, le=200)]


@rule("after_game.steps", cites=("post-game/each-player", "post-game/experience"), neutral=())
def steps(table: Table, crew: str) -> Ids:
    """Decide what a player does after a game, and in which order; every player does the same."""
    table.find("{crew} takes these steps in this order, as every player does", crew=crew)
    for number, (_, unit, what) in enumerate(STEPS, 1):
        table.find("Step {number}: {what}", cites=unit, number=number, what=what)
    return tuple(step for step, _, _ in STEPS)


class Survival(Value, frozen=True):
    """What becomes of a figure that was reduced to no Health, and the Health with which it starts the next game.

    A figure that is dead or misses the next game has none.
    """

    figure: Id
    result: str
    dead: bool = False
    misses_next_game: bool = False
    next_health: int | None = None


@violations_rule("after_game.not_hurt", cites="post-game/injuries")
def not_hurt(table: Table, field: Battlefield, casualty: str) -> Iterator[Reason]:
    """Decide whether a figure needs no survival roll: it has Health left, or belongs to no crew; lists the reasons."""
    figure = field.figure(casualty)
    if field.health(figure):
        text = "{name} has {health} Health left and needs no roll"
        yield table.reason(text, name=field.name(figure), health=field.health(figure))
    if figure.crew is None:
        yield table.reason("{name} belongs to no crew", name=field.name(figure))


@rule(
    "after_game.survival",
    cites=("survival/soldier", "survival/officer"),
    neutral=lambda field, casualty: Survival(
        casualty, "Recovered", next_health=field.profile(field.figure(casualty)).health
    ),
)
def survival(table: Table, field: Battlefield, casualty: str) -> Survival:
    """Decide by a die what becomes of a figure that was reduced to no Health.

    What a close call costs is not known; it counts as a recovery and is named.
    """
    figure = field.figure(casualty)
    face = table.roll(D20, f"{casualty}: survival")
    who = "officer" if figure.role in OFFICERS else "soldier"
    row = next(row for row in rows("survival") if row["who"] == who and row["rolls"][0] <= face <= row["rolls"][1])
    name, result, outcome = field.name(figure), row["name"], row["name"].lower()
    table.find("{name} rolls {face}: {result}", cites=f"survival/{who}", name=name, face=face, result=outcome)
    table.record(f"{casualty}: survival", total=face, outcome=outcome)
    table.event("survival", figure=casualty, result=outcome)
    if row["dead"]:
        return Survival(casualty, result, dead=True)
    if row["misses_next_game"] and misses(table, name):
        return Survival(casualty, result, misses_next_game=True)
    whole = field.profile(figure).health
    return Survival(casualty, result, next_health=weakened(table, name, whole) if row["half_health"] else whole)


@rule("after_game.misses", cites="survival/barely-alive", neutral=False)
def misses(table: Table, name: str) -> bool:
    """Decide whether a barely alive figure misses the next game."""
    table.find("{name} misses the next game", name=name)
    return True


@rule("after_game.weakened", cites="survival/badly-wounded", neutral=lambda name, whole: whole)
def weakened(table: Table, name: str, whole: int) -> int:
    """Decide with how much Health a badly wounded figure starts the next game: half, rounded down."""
    half = whole // 2
    table.find("{name} starts the next game with {half} Health of {whole}", name=name, half=half, whole=whole)
    return half


class Usable(Value, frozen=True):
    """A power that a figure may use out of the game, after it; `activation` is its number as one of its background."""

    figure: Id
    power: Id
    activation: int


@rule("after_game.usable", cites="post-game/powers", neutral=())
def usable(table: Table, field: Battlefield, figures: tuple[Figure, ...]) -> tuple[Usable, ...]:
    """Decide which powers of the figures are used after a game; their rolls are those of any power."""
    usable_powers = []
    for user in figures:
        for power in (field.book.powers[known.id] for known in field.profile(user).powers):
            if "after" in power.classes:
                with table.without_findings():
                    number = powers.activation_number(table, field, user.id, power, of_background=True)
                usable_powers.append(Usable(user.id, power.id, number))
                table.find("{figure} may use {power} now", figure=field.name(user), power=power.name)
    return tuple(usable_powers)


class CrewRecord(Value, frozen=True):
    """The achievements of a crew that bring experience; its own losses are counted separately.

    `extras` are points of the scenario, `beyond` are points of a power that stand outside the limit of a game.
    """

    tokens: Count = 0
    powers: Count = 0
    rivals: Count = 0
    creatures: Count = 0
    extras: Annotated[int, Meta(ge=0, le=1000)] = 0
    beyond: Annotated[int, Meta(ge=0, le=100)] = 0


class Entry(Value, frozen=True):
    """One entry of a game's experience: how often it counts, and the points."""

    id: Id
    counted: int
    points: int


def own_losses(table: Table, fates: tuple[Survival, ...]) -> int:
    """Give how many of its own a crew has lost: all who were reduced to no Health, or the dead, by `own-loss`.

    The reading is used only where it matters, for the entry counts once.
    """
    dead = any(fate.dead for fate in fates)
    return 0 if fates and not dead and table.read("own-loss") == "dead" else len(fates)


@rule("after_game.counted", cites="experience/limits", neutral=lambda most, entry, happened: happened)
def counted(table: Table, most: int, entry: str, happened: int) -> int:
    """Decide how often something counts for experience: no more than its limit."""
    if happened <= most:
        return happened
    text = "{entry}: limited to {most}, although it happened {happened} times"
    table.find(text, entry=entry, most=most, happened=happened)
    return most


@rule("after_game.entries", cites="experience/table", neutral=())
def entries(table: Table, record: CrewRecord, own_losses: int) -> tuple[Entry, ...]:
    """Decide what each entry of the table of experience brings."""
    happened = {"game": 1, "own-loss": own_losses, "token": record.tokens, "power": record.powers}
    happened |= {"rival": record.rivals, "creature": record.creatures}
    counted_entries = []
    for row in rows("experience"):
        often = happened[row["id"]]
        counts = often if row["most"] is None else counted(table, row["most"], row["name"], often)
        if counts:
            points = Quantity(counts * row["points"], "point")
            text = "{name}: {counts} × {each} = {points}"
            table.find(text, name=row["name"], counts=counts, each=row["points"], points=points)
        counted_entries.append(Entry(row["id"], counts, counts * row["points"]))
    return tuple(counted_entries)


@rule(
    "after_game.experience",
    cites="experience/cap",
    neutral=lambda record, entries: sum(entry.points for entry in entries) + record.extras + record.beyond,
)
def experience(table: Table, record: CrewRecord, entries: tuple[Entry, ...]) -> int:
    """Decide how many points a game brings: all entries and the extras of the scenario, up to 300.

    Points of a power that stand outside this limit come on top.
    """
    total = sum(entry.points for entry in entries) + record.extras
    points = min(total, MOST_POINTS)
    text = "The game brings {points}" if total == points else "The game brings {points} instead of {total}"
    table.find(text, total=total, points=Quantity(points, "point"))
    if record.beyond:
        text, beyond = "Not counted toward the limit: {beyond} more", Quantity(record.beyond, "point")
        table.find(text, cites="experience/study-prey", beyond=beyond)
    return points + record.beyond


@rule("after_game.affordable", cites="levels/points", neutral=lambda points: 2 * MOST_LEVELS)
def affordable(table: Table, points: int) -> int:
    """Decide how many levels points buy: one for each 100."""
    levels = points // POINTS_A_LEVEL
    text = "With {points} an officer gains {levels}"
    table.find(text, points=Quantity(points, "point"), levels=Quantity(levels, "level"))
    return levels


@violations_rule("after_game.too_many_levels", cites="levels/three-per-game")
def too_many_levels(table: Table, who: str, levels: int) -> Iterator[Reason]:
    """Decide why an officer cannot gain so many levels: three a game at most."""
    values: dict[str, Any] = {"who": who, "levels": levels, "most": MOST_LEVELS}
    if levels > MOST_LEVELS:
        yield table.reason("The {who} gains {levels} levels, but may gain {most} per game", **values)
    else:
        table.find("The {who} gains {levels} of at most {most} levels per game", **values)


@violations_rule("after_game.gap", cites="levels/gap")
def gap(table: Table, captain: int, mate: int) -> Iterator[Reason]:
    """Decide why two levels do not go together: a captain stays 5 to 20 levels above the first mate."""
    apart, least, most = captain - mate, LEAST_GAP, MOST_GAP
    text = "The captain at level {captain} is {gap} levels above the first mate"
    if least <= apart <= most:
        table.find(text, captain=captain, mate=mate, gap=apart, least=least, most=most)
    else:
        text += " at level {mate}, not {least} to {most}"
        yield table.reason(text, captain=captain, mate=mate, gap=apart, least=least, most=most)


class Gain(Value, frozen=True):
    """The levels that captain and first mate gain together."""

    captain: Annotated[int, Meta(ge=0, le=20)] = 0
    first_mate: Annotated[int, Meta(ge=0, le=20)] = 0


class Levels(Value, frozen=True):
    """The levels of `captain` and `first_mate` before the game's experience is spent, and points left from before."""

    captain: Annotated[int, Meta(ge=0, le=200)]
    first_mate: Annotated[int, Meta(ge=0, le=200)]
    points_before: Annotated[int, Meta(ge=0, le=10_000)] = 0


@every_reason
def gain_violations(table: Table, points: int, levels: Levels, gain: Gain) -> Iterator[Reason]:
    """List the violations of a gain of levels, by officers of these levels with these points to spend.

    A gain of nothing is always allowed.
    """
    if gained := gain.captain + gain.first_mate:
        yield from too_dear(table, affordable(table, points), gained)
        yield from too_many_levels(table, "captain", gain.captain)
        yield from too_many_levels(table, "first mate", gain.first_mate)
        yield from gap(table, levels.captain + gain.captain, levels.first_mate + gain.first_mate)


@violations_rule("after_game.too_dear", cites="levels/points")
def too_dear(table: Table, levels: int, gained: int) -> Iterator[Reason]:
    """Decide why levels cannot be gained: the points do not buy as many."""
    if gained > levels:
        yield table.reason("Levels claimed: {wanted}; the points buy {levels}", wanted=gained, levels=levels)


def possible_gains(table: Table, points: int, levels: Levels) -> tuple[Gain, ...]:
    """List the gains of levels that are allowed, the captain's rising last."""
    gains = (Gain(*pair) for pair in product(range(MOST_LEVELS + 1), repeat=2))
    with table.without_findings():
        return tuple(gain for gain in gains if not gain_violations(table, points, levels, gain))


class Reward(Value, frozen=True):
    """What a new level brings, and to whom."""

    who: Id
    level: int
    reward: Id


@rule("after_game.rewards", cites="levels/rewards", neutral=())
def rewards(table: Table, who: str, level: int, gained: int) -> tuple[Reward, ...]:
    """Decide what each new level brings, by its last digit; `level` is the one before."""
    gained_rewards = []
    for reached in range(level + 1, level + gained + 1):
        reward, name = reward_of(reached), who.replace("-", " ")
        table.find("The {who} reaches level {level}: {reward}", level=reached, who=name, reward=reward["name"])
        gained_rewards.append(Reward(who, reached, reward["id"]))
    return tuple(gained_rewards)


class BroughtToken(Value, frozen=True):
    """A token that the crew has, its possible categories in the loot tables, and the players' roll, if given.

    `credits` is what it is worth, where that is rolled too.
    """

    token: Id
    kind: Loot
    categories: tuple[Id, ...]
    category: Id | None = None
    credits: int | None = None


class Rolled(Value, frozen=True):
    """The players' roll for a `token` on the loot tables of their book: its `category`, and `credits` if any."""

    token: Id
    category: Id
    credits: Annotated[int, Meta(ge=0, le=10_000)] | None = None


@rule("after_game.loot", cites="post-game/loot", neutral=())
def loot(
    table: Table, field: Battlefield, figures: tuple[Figure, ...], rolled: tuple[Rolled, ...]
) -> tuple[BroughtToken, ...]:
    """Decide for which tokens the crew rolls: for those that its figures carry who are not out of the game."""
    rolls = {one.token: one for one in rolled}
    tokens = []
    for figure in figures:
        if figure.carries is None or field.health(figure) == 0:
            continue
        token = field.token(figure.carries)
        categories = tuple(row["id"] for row in rows("loot") if row["kind"] == token.kind)
        text, cites = "{name} brings back {token}, {kind} loot", ("post-game/loot", f"loot-table/{token.kind}")
        table.find(text, cites=cites, name=field.name(figure), token=token.id, kind=token.kind)
        one = rolls.get(token.id)
        result = (one.category, one.credits) if one else (None, None)
        tokens.append(BroughtToken(token.id, token.kind, categories, *result))
    return tuple(tokens)


@rule("after_game.spending", cites="post-game/spending", neutral=0)
def spending(table: Table, tokens: tuple[BroughtToken, ...]) -> int:
    """Decide how many credits the loot is worth by the players' rolls; it is spent last."""
    total = sum(one.credits or 0 for one in tokens)
    table.find("The loot is worth {total} credits", total=total)
    return total
