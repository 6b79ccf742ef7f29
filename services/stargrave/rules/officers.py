"""Captains and first mates: their stats, powers and levels from base, background and what their player chose.

What they carry is decided in `kit`, the crew as a whole in `crews`. Profiles of officers count the Armour of what is
worn, but not what it costs of Move: `allowance` does.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import Meta

from arbiter.rule import Reason, rule
from arbiter.skirmish.fields import Id, Text
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity, UnitName
from arbiter.value import Value
from services.stargrave.battlefield import Ids, Reasons
from services.stargrave.book import row
from services.stargrave.book import table as rows
from services.stargrave.profiles import KnownPower

Office = Literal["captain", "first-mate"]
StatName = Literal["move", "fight", "shoot", "armour", "will", "health"]
Stats = tuple[tuple[str, int], ...]
"""Stats by name, or what is added to them."""

STATS: tuple[StatName, ...] = ("move", "fight", "shoot", "armour", "will", "health")


class ChosenPower(Value, frozen=True):
    """A power of a new officer, and whether its Activation Number is one of those that are lowered by 1."""

    id: Id
    lowered: bool = False


class Officer(Value, frozen=True, kw_only=True):
    """A captain or first mate as a player builds one, of a `background`, with `gear`.

    `raised` are the stats chosen to rise by 1 for the background. `advances` says what each level above the first one
    has brought: the stat that rose, the power that was learnt, or the power whose Activation Number was lowered.
    """

    id: Id
    name: Text = ""
    background: Id
    raised: Annotated[tuple[StatName, ...], Meta(max_length=6)] = ()
    powers: Annotated[tuple[ChosenPower, ...], Meta(max_length=12)] = ()
    gear: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    advances: Annotated[tuple[Id, ...], Meta(max_length=60)] = ()


def _named(id_: str) -> str:
    """Give the name of a stat or power for players."""
    return id_.capitalize() if id_ in STATS else str(row("powers", id_)["name"])


def title(office: Office, officer: Officer) -> str:
    """Give the name of an officer in rulings."""
    return UnitName(officer.id, officer.name or office.replace("-", " ").title())


def level(office: Office, officer: Officer) -> int:
    """Give the level of an officer: that of a new one, and one for each advance."""
    start: int = row("officers", office)["level"]
    return start + len(officer.advances)


@rule("officers.increases", cites="crew/background-choices", neutral=())
def increases(table: Table, office: Office, officer: Officer) -> Stats:
    """Decide what a background adds to the stats: its fixed increases, and 1 for each stat that was chosen."""
    background = row("backgrounds", officer.background)
    added = {**background["fixed"]}
    for stat in officer.raised:
        added[stat] = added.get(stat, 0) + 1
    words = Listing(f"{stat.capitalize()} +{more}" for stat, more in added.items())
    text = "{who} has the background {background}: {added}"
    table.find(text, who=title(office, officer), background=background["name"], added=words)
    return tuple(added.items())


@violations_rule("officers.wrong_increases", cites="crew/background-choices")
def wrong_increases(table: Table, office: Office, officer: Officer) -> Iterator[Reason]:
    """Decide why the chosen increases are not those of the background: too many or few, one twice, or a wrong stat."""
    background = row("backgrounds", officer.background)
    values = {"who": title(office, officer), "background": background["name"]}
    if len(officer.raised) != background["choose"]:
        text, seen = "{who} chooses {seen}, but the background {background} gives {asked}", len(officer.raised)
        yield table.reason(text, seen=Quantity(seen, "increase"), asked=background["choose"], **values)
    for stat in dict.fromkeys(officer.raised):
        if officer.raised.count(stat) > 1:
            yield table.reason("{who} raises {stat} twice", stat=_named(stat), **values)
        if stat not in background["from"]:
            text = "{who} cannot raise {stat} by the background {background}, which offers {asked}"
            asked = Listing(map(_named, background["from"]))
            yield table.reason(text, stat=_named(stat), asked=asked, **values)


@violations_rule("officers.too_high", cites="crew/stat-caps")
def too_high(table: Table, office: Office, officer: Officer, stats: Stats, worn: int) -> Iterator[Reason]:
    """Decide which stats are above the highest that an officer may ever have.

    `stats` are those without gear, `worn` is the Armour that gear adds; whether that counts is `armour-cap`.
    """
    highest = {stat: row("stat_caps", stat)["highest"] for stat in STATS}
    counted = dict(stats)
    if counted["armour"] <= highest["armour"] < counted["armour"] + worn and table.read("armour-cap") == "worn":
        counted["armour"] += worn
    text, who = "{who} has {stat} {seen}, but the maximum is {most}", title(office, officer)
    above = [stat for stat in STATS if counted[stat] > highest[stat]]
    for stat in above:
        yield table.reason(text, who=who, stat=stat.capitalize(), seen=counted[stat], most=highest[stat])
    if not above:
        table.find("No stat of {who} is above its maximum", who=who)


@violations_rule("officers.wrong_powers", cites=("crew/powers-known", "crew/core-powers"))
def wrong_powers(table: Table, office: Office, officer: Officer) -> Iterator[Reason]:
    """Decide why a new officer's powers are not as they have to be: how many, and how many of the background."""
    base = row("officers", office)
    core = row("backgrounds", officer.background)["core_powers"]
    count, of_background = len(officer.powers), sum(power.id in core for power in officer.powers)
    least, most = base["core_powers"]
    known, own = Quantity(count, "power"), Quantity(of_background, "power")
    values: dict[str, Any] = {"who": title(office, officer), "known": known, "core": own, "own": of_background}
    if count != base["powers_known"]:
        text = "{who} has {known} instead of {asked}"
        yield table.reason(text, cites="crew/powers-known", asked=base["powers_known"], **values)
    if not least <= of_background <= most:
        text = "{who} has {core} from the background instead of {least} or {most}"
        yield table.reason(text, cites="crew/core-powers", least=least, most=most, **values)
    elif count == base["powers_known"]:
        table.find("{who} has {known}, {own} of them from the background", **values)


@violations_rule("officers.wrongly_lowered", cites="crew/lowered-powers")
def wrongly_lowered(table: Table, office: Office, officer: Officer) -> Iterator[Reason]:
    """Decide why the lowered Activation Numbers are too many: a new captain lowers two, a first mate none."""
    most: int = row("officers", office)["lowered_powers"]
    lowered = [power.id for power in officer.powers if power.lowered]
    count = Quantity(len(lowered), "Activation Number")
    values: dict[str, Any] = {"who": title(office, officer), "lowered": count, "most": most}
    if len(lowered) > most:
        yield table.reason("{who} lowers {lowered}, but may lower {most}", **values)
    elif lowered:
        table.find("{who} lowers {lowered}, and may lower {most}", **values)


class Growth(Value, frozen=True):
    """What levels have brought an officer: stats risen, powers learnt, Activation Numbers lowered, in their order."""

    stats: Ids = ()
    learnt: Ids = ()
    lowered: Ids = ()


@rule("officers.growth", cites="levels/rewards", neutral=(Growth(), ()))
def growth(table: Table, office: Office, officer: Officer) -> tuple[Growth, Reasons]:
    """Decide what the advances bring, and which of them are not what their level offers."""
    brought: dict[str, list[str]] = {"stat": [], "learn": [], "lower": []}
    reasons = []
    start: int = row("officers", office)["level"]
    own_powers = [power.id for power in officer.powers]
    for reached, advance in enumerate(officer.advances, start + 1):
        reward = reward_of(reached)
        kind = "stat" if advance in STATS else "lower" if advance in (*own_powers, *brought["learn"]) else "learn"
        values = {"who": title(office, officer), "level": reached, "reward": reward["name"], "advance": _named(advance)}
        if kind not in OFFERS[reward["id"]]:
            reasons.append(table.reason("{who} takes {advance} at level {level}, which offers only {reward}", **values))
            continue
        table.find("{who} takes {advance} at level {level}: {reward}", **values)
        brought[kind].append(advance)
    return Growth(*map(tuple, brought.values())), tuple(reasons)


OFFERS = {
    "lower-activation": ("lower",),
    "improve-stat": ("stat",),
    "new-power": ("learn",),
    "power-or-stat": ("learn", "stat"),
}


def reward_of(reached: int) -> dict[str, Any]:
    """Give what a level brings, by its last digit."""
    return next(reward for reward in rows("levels") if reached % 10 in reward["last_digits"])


@rule(
    "officers.activation_number", cites="crew/activation-penalty", neutral=lambda office, officer, power, number: number
)
def activation_number(table: Table, office: Office, officer: Officer, power: str, number: int) -> int:
    """Decide an officer's Activation Number for a power: that of the power, and more if it is not of the background.

    `number` is that of the power, with what has been lowered taken off.
    """
    base = row("officers", office)
    core = power in row("backgrounds", officer.background)["core_powers"]
    more: int = base["activation_core" if core else "activation_other"]
    if more:
        text = "{power} is {kind} the background of {who}: its Activation Number rises by {more}"
        name, kind = row("powers", power)["name"], "from" if core else "not from"
        table.find(text, power=name, kind=kind, who=title(office, officer), more=more)
    return number + more


def powers(table: Table, office: Office, officer: Officer, grown: Growth) -> tuple[KnownPower, ...]:
    """Give the powers of an officer with their Activation Numbers, those learnt with levels last."""
    known = {power.id: int(power.lowered) for power in officer.powers} | dict.fromkeys(grown.learnt, 0)
    numbers = []
    for id_, lowered in known.items():
        printed: int = resolved_row(table, row("powers", id_))["activation"]
        number = activation_number(table, office, officer, id_, printed - lowered - grown.lowered.count(id_))
        numbers.append(KnownPower(id_, number))
    return tuple(numbers)


def resolved_row(table: Table, disputed: dict[str, Any]) -> dict[str, Any]:
    """Give a data row with its disputed numbers settled by the readings."""
    settled = dict(disputed)
    for dispute in disputed["disputed"]:
        if table.read(dispute["reading"]) == dispute["option"]:
            if "field" in dispute:
                settled[dispute["field"]] = dispute["value"]
            else:
                settled |= {name: value for name, value in dispute.items() if name not in ("reading", "option")}
    return settled


def stats(table: Table, office: Office, officer: Officer, grown: Growth) -> Stats:
    """Give the stats of an officer without gear: the base, what the background adds, and what levels brought."""
    base = row("officers", office)
    values: dict[str, int] = {stat: base["move_in" if stat == "move" else stat] for stat in STATS}
    for stat, more in increases(table, office, officer):
        values[stat] += more
    for stat in grown.stats:
        values[stat] += 1
    return tuple(values.items())
