"""Combat: who is in combat with whom, who supports, what both fighters add, the fight, and who is pushed back.

Follows "Combat" and "Multiple Combats". The combat rolls and the damage are in `clash`, pushing back in `pushing`.
"""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import Facts, Units, YesNo, fact
from arbiter.geometry.plane import measure, shapes
from arbiter.nowhere import NOWHERE
from arbiter.option import Option
from arbiter.rule import rule
from arbiter.skirmish.contacts_given import contact_checks, friends_of, opponents_of
from arbiter.table import Table
from arbiter.text import Quantity, Signed
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Ids, Reasons, in_play
from services.stargrave.book import row
from services.stargrave.profiles import Weapon
from services.stargrave.rules import clash, harm, loads, pushing, sight
from services.stargrave.rules.clash import Side
from services.stargrave.rules.pushing import pushed as pushed
from services.stargrave.rules.shot_rolls import More
from services.stargrave.scene import Figure

NEAR = 1.0
"""Inches within which figures are in combat by one of the readings."""

UNARMED, NATURAL, HAND_WEAPON = "unarmed", "natural-weapons", "hand-weapon"

BLADES = ("void-blade", "toxic-claws")
"""Powers that add their damage to that of a hand weapon while they last."""

After = Literal["stay", "push-self", "push-opponent", "over"]


class Extra(Value, frozen=True):
    """What the players know of that the scene does not say: more on the roll, more damage, and its multiplier."""

    fight: More = 0
    damage: More = 0
    multiplier: Annotated[int, Meta(ge=1, le=10)] = 1


class Means(Value, frozen=True):
    """The weapon of a fighter in one fight, and modifiers that the players supply."""

    weapon: str | None = None
    extra: Extra = Extra()


class FightOutcome(Value, frozen=True):
    """The outcome of a fight: both bonuses, the winner, the damage to both, and the winner's choice."""

    winner: str | None
    fighter_bonus: int
    opponent_bonus: int
    to_fighter: int
    to_opponent: int
    critical: bool
    after: After


PLAIN = Means()


# By one reading an inch is near enough, and players measure to half of one; by another they measure from the middles of
# bases, which are ten inches across at most.
COMBAT_WITHIN_IN = 1.5
MIDDLES_WITHIN_IN = 11.5


_against_pair, _against_list = contact_checks("in_combat", "in_combat_with", "range_in", MIDDLES_WITHIN_IN)


def _listed_by(facts: Facts, field: Battlefield, fighter: str) -> Ids | None:
    """Give the enemies of whom players say that they are in combat with a figure, where it is usual in none else."""
    if not facts.assumes:
        return None
    enemies = opponents_of(field, fighter)
    return tuple(id_ for id_ in enemies if fighter in (facts.value(opponents, field, id_) or ())) or None


@fact(
    "in_combat",
    "Which enemies is {fighter} in combat with?",
    of=("fighter",),
    kind=Units(),
    says="{fighter} is in combat with {value}",
    cites=("movement/in-combat", "in-combat/within-one-inch"),
    follows=_listed_by,
    against=_against_list,
    among=opponents_of,
)
@rule("combat.opponents", cites=("movement/in-combat", "in-combat/within-one-inch"), neutral=())
def opponents(table: Table, field: Battlefield, fighter: str) -> Ids:
    """Decide with whom a figure is in combat: enemies in contact with it, in the scene's order.

    How near that is, is the reading `in-combat`, and what terrain in between does is the reading
    `combat-across-terrain`.
    """
    figure = field.figure(fighter)
    if not in_play(figure):
        return ()
    body = field.solid(figure)
    enemies = tuple(other for other in field.enemies(figure) if _engaged(table, field, body, field.solid(other)))
    for other in enemies:
        table.find("{name} is in combat with {other}", name=field.name(figure), other=field.name(other))
    return tuple(other.id for other in enemies)


def engaged_with(table: Table, field: Battlefield, fighter: str) -> Ids:
    """Give with whom a figure is in combat, without those that this ruling has taken out of the game or away."""
    if table.facts is None:
        return table.held(opponents.function, field.layout, fighter) if in_play(field.figure(fighter)) else ()
    enemies = {enemy.id: enemy for enemy in field.enemies(field.figure(fighter))}
    if not (enemies and in_play(field.figure(fighter))):
        return ()
    engaged = tuple(id_ for id_ in opponents(table, field, fighter) if id_ in enemies)
    if field.place(fighter) is not NOWHERE:
        return engaged
    return tuple(id_ for id_ in engaged if enemies[id_].at is NOWHERE or still_in_combat(table, field, fighter, id_))


def _opposes(facts: Facts, field: Battlefield, fighter: str, opponent: str) -> bool | None:
    """Decide whether two figures are in combat by how far apart players say they are, or by whom they list."""
    if (facts.value(sight.range_in, field, fighter, opponent) or 0) > COMBAT_WITHIN_IN:
        return False
    lists = [facts.value(opponents, field, one) for one in (fighter, opponent)]
    if all(found is None for found in lists):
        return None
    return any(other in (found or ()) for found, other in zip(lists, (opponent, fighter), strict=True))


@fact(
    "in_combat_with",
    "Is {fighter} in combat with {opponent}?",
    of=("fighter", "opponent"),
    says=("{fighter} is in combat with {opponent}", "{fighter} is not in combat with {opponent}"),
    cites=("movement/in-combat", "in-combat/within-one-inch"),
    follows=_opposes,
    against=_against_pair,
)
def opposes(table: Table, field: Battlefield, fighter: str, opponent: str) -> bool:
    """Give whether two figures are in combat with each other."""
    return opponent in engaged_with(table, field, fighter)


@fact(
    "still_in_combat",
    "Are they still in combat with each other after the push?",
    of=(),
    kind=YesNo(usual=False),
    says=("They are still in combat with each other", "They are no longer in combat with each other"),
    cites=("movement/in-combat", "combat/push"),
)
def still_in_combat(table: Table, field: Battlefield, fighter: str, opponent: str) -> bool:
    """Give whether two figures are in combat with each other, of which one may have been pushed back."""
    with table.without_findings():
        return opponent in engaged_with(table, field, fighter)


def remains(table: Table, field: Battlefield, fighter: str, opponent: str, choice: After) -> bool:
    """Give whether two figures are in combat with each other after a fight and what the winner chose."""
    if not all(in_play(field.figure(id_)) for id_ in (fighter, opponent)):
        return False
    return (choice == "stay" and not field.measures()) or still_in_combat(table, field, fighter, opponent)


def in_combat(table: Table, field: Battlefield, fighter: str) -> bool:
    """Give whether a figure is in combat."""
    return bool(engaged_with(table, field, fighter))


def touching(a: shapes.Figure, b: shapes.Figure) -> bool:
    """Check whether two bases touch: side by side, up to the tolerance of the table, and at some common height."""
    level = a.elevation < b.elevation + b.height and b.elevation < a.elevation + a.height
    return level and measure.are_within(a, b, a.slack)


def _engaged(table: Table, field: Battlefield, a: shapes.Figure, b: shapes.Figure) -> bool:
    if not measure.are_within(a, b, shapes.PER_UNIT):
        return False
    if not touching(a, b):
        if table.read("in-combat") == "contact":
            return False
        with table.without_findings():
            near = sight.within(table, field, a.id, b.id, NEAR)
        if not near:
            return False
    # Just above the ground, for a line along the very foot of a wall would only graze it.
    parted = field.ground.uncrossable.stops((*a.at, a.elevation + 1), (*b.at, b.elevation + 1), "cross")
    return not parted or table.read("combat-across-terrain") == "yes"


@rule("combat.violations", cites=("actions/fight", "movement/in-combat"), neutral=())
def violations(table: Table, field: Battlefield, fighter: str, opponent: str | None) -> Reasons:
    """Decide whether a figure may fight another, or anybody: they must be in combat; lists the violations."""
    both = tuple(field.figure(id_) for id_ in (fighter, opponent) if id_ is not None)
    absent = tuple(figure for figure in both if not in_play(figure))
    if absent:
        return tuple(table.reason("{name} is not in play", name=field.name(figure)) for figure in absent)
    if opponent is None:
        fights = in_combat(table, field, fighter)
    else:
        fights = field.are_enemies(*both) and opposes(table, field, fighter, opponent)
    if fights:
        return ()
    other = "anybody" if opponent is None else field.name(opponent)
    return (table.reason("{name} is not in combat with {other}", name=field.name(both[0]), other=other),)


@fact(
    "supporters",
    "Which friends of {fighter} are in combat with {opponent}, and with nobody else?",
    of=("fighter", "opponent"),
    kind=Units(),
    says="{fighter} has the support of {value} against {opponent}",
    cites="multiple-combats/also-in-combat",
    among=friends_of,
)
@rule("combat.supporters", cites=("multiple-combats/also-in-combat", "multiple-combats/not-otherwise"), neutral=())
def supporters(table: Table, field: Battlefield, fighter: str, opponent: str) -> Ids:
    """Decide which friends support a figure: those in combat with its opponent, and with nobody else."""
    supporting = []
    for friend in field.friends(field.figure(fighter)):
        engaged = engaged_with(table, field, friend.id)
        if engaged == (opponent,):
            supporting.append(friend.id)
            text, cites = "{friend} supports {name}", "multiple-combats/also-in-combat"
            table.find(text, cites=cites, friend=field.name(friend), name=field.name(fighter))
        elif opponent in engaged:
            text = "{friend} is also in another combat and supports nobody"
            table.find(text, cites="multiple-combats/not-otherwise", friend=field.name(friend))
    return tuple(supporting)


@rule(
    "combat.support",
    cites=(
        "multiple-combats/bonus",
        "multiple-combats/cumulative",
        "multiple-combats/one-side",
        "multiple-combats/cap",
    ),
    neutral=(0, 0),
)
def support(table: Table, field: Battlefield, fighter: str, opponent: str) -> tuple[int, int]:
    """Decide what supporting figures add to both combat rolls of a fight, after both sides have been set off.

    Where the cap applies is the reading `support-cap`.
    """
    supporting = row("modifiers", "supporting-figure")
    each, cap = int(supporting["modifier"]), int(supporting["most"])
    sides = (fighter, opponent), (opponent, fighter)
    counts = [len(supporters(table, field, *pair)) if field.friends(field.figure(pair[0])) else 0 for pair in sides]
    names = field.name(fighter), field.name(opponent)
    for name, count in zip(names, counts, strict=True):
        if count:
            cites = ("multiple-combats/bonus", *(("multiple-combats/cumulative",) if count > 1 else ()))
            total, figures = Signed(each * count), Quantity(count, "figure")
            table.find("Support for {name}: {total} from {count}", cites=cites, name=name, total=total, count=figures)
    if not any(counts):
        return 0, 0
    claims = each * counts[0], each * counts[1]
    before = min(claims[0], cap) - min(claims[1], cap)
    after = max(-cap, min(cap, claims[0] - claims[1]))
    lead = before if before == after or table.read("support-cap") == "before" else after
    if max(claims) > cap:
        table.find("Supporting figures give {cap} at most", cites="multiple-combats/cap", cap=Signed(cap))
    if all(counts):
        text = "Support on both sides cancels out: {more} for {name} and {other_more} for {other}"
        more, less = Signed(max(0, lead)), Signed(max(0, -lead))
        unit, (name, other) = "multiple-combats/one-side", names
        table.find(text, cites=unit, name=name, more=more, other=other, other_more=less)
    return max(0, lead), max(0, -lead)


@rule("combat.weapon", cites=("weapons/unarmed-fight", "weapons/natural"), neutral=Weapon(HAND_WEAPON, "Hand Weapon"))
def weapon(table: Table, field: Battlefield, fighter: str, weapon_id: str | None = None) -> Weapon:
    """Decide with which weapon a figure fights: the one that is named, else the one that does the most damage.

    Without any it is unarmed; whether an animal is, is the reading `animal-weapons`.
    """
    figure = field.figure(fighter)
    at_hand = melee(field, figure)
    if weapon_id is not None:
        return at_hand[weapon_id]
    own = {key: held for key, held in at_hand.items() if key != UNARMED}
    if field.has(figure, "animal") and not set(own) - {NATURAL}:
        armed = NATURAL if table.read("animal-weapons") == "natural" else UNARMED
        text = "{name} has no weapon but its own body: {weapon}"
        table.find(text, cites="weapons/natural", name=field.name(figure), weapon=field.book.weapons[armed].name)
        return field.book.weapons[armed]
    if own:
        return max(own.values(), key=lambda held: held.fight + (held.damage or 0))
    table.find("{name} is unarmed", cites="weapons/unarmed-fight", name=field.name(figure))
    return at_hand[UNARMED]


def melee(field: Battlefield, figure: Figure) -> dict[str, Weapon]:
    """Map the ids of a figure's melee weapons to their rows: its weapons, claws by a power, and unarmed."""
    claws = (field.book.weapons[HAND_WEAPON] for spell in figure.spells if spell.power == "toxic-claws")
    held = {each.id: each for each in (*field.weapons(figure), *claws) if each.kind == "melee"}
    return {**held, UNARMED: field.book.weapons[UNARMED]}


@rule("combat.fight_bonus", cites=("combat/rolls", "combat/other-modifiers", "weapons/unarmed-fight"), neutral=0)
def fight_bonus(
    table: Table, field: Battlefield, fighter: str, opponent: str, held: Weapon, supported: int, more: int
) -> int:
    """Decide what a figure adds to its combat roll in a fight: Fight, powers, support, load, wounds and weapon.

    `supported` is the bonus for supporting figures, `more` the modifiers that the players supply.
    """
    figure = field.figure(fighter)
    name = field.name(figure)
    bonus = stat(table, field, fighter)
    if held.fight:
        table.find("{name} is unarmed: {more}", cites="weapons/unarmed-fight", name=name, more=Signed(held.fight))
    if supported or more:
        text = "{name} has {more} from support and other modifiers"
        table.find(text, cites="combat/other-modifiers", name=name, more=Signed(supported + more))
    hunting = 0
    if field.figure(opponent).crew is None and field.has(figure, "beast-fighter"):
        hunting = field.book.traits["beast-fighter"].fight
        table.find("{name} is a beast fighter: {more}", cites="traits/beast-fighter", name=name, more=Signed(hunting))
    return bonus + held.fight + supported + more + hunting


@rule("combat.stat", cites=("combat/rolls", "combat/other-modifiers", "shooting/combat-roll"), neutral=0)
def stat(table: Table, field: Battlefield, fighter: str, shot_at: bool = False) -> int:
    """Decide what a figure adds to any combat roll: Fight, powers on it, what it carries, and what wounds cost it.

    It makes one in a fight, and another where it is shot at.
    """
    figure = field.figure(fighter)
    fight_, powers = field.profile(figure).fight, sum(spell.fight for spell in figure.spells)
    units = ("shooting/combat-roll", "shooting/combat-roll") if shot_at else ("combat/rolls", "combat/other-modifiers")
    table.find("{name} has Fight {fight}", cites=units[0], name=field.name(figure), fight=Signed(fight_))
    if powers:
        text = "Powers add {more} to the Fight of {name}"
        table.find(text, cites=units[1], name=field.name(figure), more=Signed(powers))
    return fight_ + powers + loads.penalty(table, field, fighter, "fight") + harm.roll_penalty(table, field, fighter)


def side(table: Table, field: Battlefield, fighter: str, opponent: str, supported: int, means: Means = PLAIN) -> Side:
    """Give the numbers of a fighter in a fight."""
    figure = field.figure(fighter)
    held = weapon(table, field, fighter, means.weapon)
    blades = 0
    if held.id == HAND_WEAPON:
        blades = sum(field.book.powers[spell.power].damage or 0 for spell in figure.spells if spell.power in BLADES)
    return Side(
        fighter,
        field.name(figure),
        fight_bonus(table, field, fighter, opponent, held, supported, means.extra.fight),
        (held.damage or 0) + blades + means.extra.damage,
        harm.armour(field, figure),
        means.extra.multiplier,
        field.has(figure, harm.IMMUNE),
    )


def fight(table: Table, field: Battlefield, fighter: str, opponent: str) -> Battlefield:
    """Give the battlefield after a fight between two figures in combat with each other."""
    return resolve_fight(table, field, fighter, opponent)[0]


def resolve_fight(
    table: Table, field: Battlefield, fighter: str, opponent: str, means: Means = PLAIN, opponents_means: Means = PLAIN
) -> tuple[Battlefield, FightOutcome]:
    """Give the battlefield after a fight, and the outcome: rolls, damage, and the winner's choice."""
    supported = support(table, field, fighter, opponent)
    own = side(table, field, fighter, opponent, supported[0], means)
    other = side(table, field, opponent, fighter, supported[1], opponents_means)
    result = clash.clash(table, own, other)
    to_fighter = harm.lost(field, fighter, result.to_fighter)
    to_opponent = harm.lost(field, opponent, result.to_opponent)
    field = harm.harm(table, field, opponent, to_opponent, fighter)
    field = harm.harm(table, field, fighter, to_fighter, opponent)
    winner = {"fighter": fighter, "opponent": opponent, "nobody": None}[result.winner]
    choice: After = "stay"
    if winner is not None:
        field, choice = after(table, field, winner, opponent if winner == fighter else fighter)
    elif not (in_play(field.figure(fighter)) and in_play(field.figure(opponent))):
        choice = "over"
    return field, FightOutcome(winner, own.bonus, other.bonus, to_fighter, to_opponent, result.critical, choice)


@rule("combat.after", cites=("combat/stay", "combat/push"), neutral=lambda field, *_: (field, "stay"))
def after(table: Table, field: Battlefield, winner: str, loser: str) -> tuple[Battlefield, After]:
    """Decide what the winner of a fight does: remain in combat, or push itself or the other back by 1 inch.

    A push that cannot go its whole way may be none to choose: the reading `push-into-obstacle`.
    """
    if not in_play(field.figure(loser)):
        return field, "over"
    name, player = field.name(winner), field.player(winner)
    options: dict[After, str] = {"stay": "remain in combat"}
    if not stays(table, field, winner):
        if pushing.may_be_pushed(table, field, winner, loser):
            options["push-self"] = "go back 1 inch"
        if pushing.may_be_pushed(table, field, loser, winner):
            options["push-opponent"] = "drive the other back 1 inch"

    def means(option: After) -> Option:
        moved = {"push-self": {"figure": name}, "push-opponent": {"figure": field.name(loser)}}.get(option, {})
        return Option(option, options[option], {"after": option, **moved})

    choice: After = table.choose(player, f"{winner}: after the fight", tuple(options), about=field, means=means)
    if choice == "stay":
        table.find("{name} remains in combat", cites="combat/stay", name=name)
        return field, choice
    back, other = (winner, loser) if choice == "push-self" else (loser, winner)
    table.find("{name} is pushed back", cites="combat/push", name=field.name(back))
    return pushing.pushed(table, field, back, other, player), choice


@rule("combat.stays", cites="creatures/stays", neutral=False)
def stays(table: Table, field: Battlefield, winner: str) -> bool:
    """Decide whether the winner of a fight has no choice but to remain in combat: a creature that nobody controls."""
    if field.figure(winner).crew is not None:
        return False
    table.find("{name} is a creature and stays in combat", name=field.name(winner))
    return True
