"""Wards: the effect of lasting powers on shots: on the target's roll, the damage, and visibility.

Powers stand in the research notes. A gun is a missile weapon; whatever makes a shooting attack counts as a shot.
"""

from msgspec.structs import replace

from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing, Signed
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.geometry.look import look
from services.stargrave.profiles import Weapon
from services.stargrave.rules import combat, lengths, sight
from services.stargrave.rules.harm import under as under
from services.stargrave.rules.shot_rolls import Modifier, Modifiers, Shot

CAMOUFLAGE, DESIGNATION, VOID_BLADE = "camouflage", "target-designation", "void-blade"
SPIKE, PULSE, CRACK_SHOT = "power-spike", "electromagnetic-pulse", "crack-shot"
FORCE_WALL = "wall-of-force"
SHIELD, ABSORBER = "psychic-shield", "energy-shield"

GUNS = ("missile",)
JAMMING = ("missile", "flame", "launcher")
"""The kinds of weapons that are guns, and those that can jam."""

SPIKED = ("carbine", "pistol", "shotgun")
"""The weapons whose next shot a Power Spike makes stronger."""


@rule("wards.unseen", cites="power/camouflage", neutral=False)
def unseen(table: Table, field: Battlefield, looker: str, target: str) -> bool:
    """Decide whether a figure is out of a looker's sight although nothing hides it: camouflaged, and far away."""
    figure = field.figure(target)
    if looker == target or not under(figure, CAMOUFLAGE):
        return False
    inches = float(field.book.powers[CAMOUFLAGE].numbers["unseen_beyond_in"])
    if sight.within(table, field, looker, target, inches):
        return False
    text = "{name} is camouflaged, and unseen from more than {inches}"
    table.find(text, name=field.name(figure), inches=lengths.in_inches(inches))
    return True


def sees(table: Table, field: Battlefield, looker: str, target: str) -> bool:
    """Check whether one figure on the table sees another that may be camouflaged."""
    return sight.sees(table, field, looker, target) and not unseen(table, field, looker, target)


@rule("wards.walled_off", cites="power/wall-of-force", neutral=())
def walled_off(table: Table, field: Battlefield, shooter: str, target: str) -> Reasons:
    """Decide whether a Wall of Force keeps a shot from a target that is seen through it."""
    ids = (piece.id for piece in field.scene.board.pieces if piece.power == FORCE_WALL)
    walls = tuple(replace(field.ground.pieces[id_], sight="blocks") for id_ in ids)
    if not walls:
        return ()
    looker, body = sight.solid(field, shooter), sight.solid(field, target)
    if look(field.ground, walls, looker, body, (), ()).glimpsed("body", "no") != "hidden":
        return ()
    text = "A Wall of Force stands between {name} and {target}"
    return (table.reason(text, name=field.name(shooter), target=field.name(target)),)


# The rolls


@rule("wards.against_shots", cites=("power/target-designation", "power/camouflage"), neutral=())
def against_shots(table: Table, field: Battlefield, target: str, gun: bool) -> Modifiers:
    """Decide what powers on a target add to its combat roll: against any shot, and against guns."""
    powers, figure = field.book.powers, field.figure(target)
    against = {DESIGNATION: "fight_against_shots", **({CAMOUFLAGE: "fight_against_guns"} if gun else {})}
    total = [Modifier(id_, int(powers[id_].numbers[name])) for id_, name in against.items() if under(figure, id_)]
    for each in total:
        text, names = "{power} gives {name} {more} against the shot", {"power": powers[each.id].name}
        table.find(text, cites=f"power/{each.id}", **names, name=field.name(figure), more=Signed(each.value))
    return tuple(total)


@rule("wards.instead_of_cover", cites="power/void-blade", neutral=())
def instead_of_cover(table: Table, field: Battlefield, target: str, cover: int) -> Modifiers:
    """Decide whether a Void Blade takes the place of a target's cover against a gun: it does where it helps more.

    `cover` is what the cover adds, 0 without any; the two do not add up.
    """
    figure, power = field.figure(target), field.book.powers[VOID_BLADE]
    more = int(power.numbers["fight_against_guns"])
    if not under(figure, VOID_BLADE) or more <= cover:
        return ()
    text = "{power} gives {name} {more} against the gun, and cover does not count"
    table.find(text, power=power.name, name=field.name(figure), more=Signed(more))
    return (Modifier(VOID_BLADE, more),)


@rule("wards.sharpened", cites="power/crack-shot", neutral=lambda field, shooter, shot: shot)
def sharpened(table: Table, field: Battlefield, shooter: str, shot: Shot) -> Shot:
    """Decide what Crack Shot makes of a shot: it is critical on more faces, and jams no weapon."""
    figure, power = field.figure(shooter), field.book.powers[CRACK_SHOT]
    if not under(figure, CRACK_SHOT):
        return shot
    least = int(power.numbers["critical_at_least"])
    text = "{power}: shots of {name} are critical from {least} on and never jam"
    table.find(text, power=power.name, name=field.name(figure), least=least)
    return replace(shot, critical_from=least, jams=False)


# The damage


@rule("wards.gun_damage", cites=("power/power-spike", "power/electromagnetic-pulse"), neutral=0)
def gun_damage(table: Table, field: Battlefield, shooter: str, weapon: Weapon) -> int:
    """Decide what powers on a shooter add to the damage of a weapon that it fires."""
    figure, powers = field.figure(shooter), field.book.powers
    works = {SPIKE: weapon.id in SPIKED, PULSE: weapon.kind in JAMMING}
    total = [power_id for power_id, fits in works.items() if fits and under(figure, power_id)]
    for power_id in total:
        text, power = "{power} adds {more} to the damage of the {weapon}", powers[power_id]
        more = Signed(power.damage or 0)
        table.find(text, cites=f"power/{power_id}", weapon=weapon.name, power=power.name, more=more)
    return sum(powers[power_id].damage or 0 for power_id in total)


@rule("wards.spent", cites="power/power-spike", neutral=lambda field, *_: field)
def spent(table: Table, field: Battlefield, shooter: str, weapon: Weapon) -> Battlefield:
    """Decide what becomes of a Power Spike when a weapon is fired that it works on: it was for that one shot."""
    figure = field.figure(shooter)
    if not under(figure, SPIKE) or weapon.id not in SPIKED:
        return field
    table.find("The shot uses up {power}", power=field.book.powers[SPIKE].name)
    return ended(table, field, shooter, SPIKE)


def reduced_by_shields(table: Table, field: Battlefield, target: str, damage: int) -> tuple[Battlefield, int]:
    """Give the battlefield after a target's shields reduce the damage of a shot, and the damage left.

    A Psychic Shield is over with the damage that it has halved, and in combat; of an Energy Shield each spell is a
    point that it still absorbs.
    """
    left, absorbed = through(table, field, target, damage)
    if damage > 0 and under(field.figure(target), SHIELD):
        field = ended(table, field, target, SHIELD)
    return (ended(table, field, target, ABSORBER, absorbed) if absorbed else field), left


@rule(
    "wards.through",
    cites=("power/psychic-shield", "power/energy-shield"),
    neutral=lambda field, target, damage: (damage, 0),
)
def through(table: Table, field: Battlefield, target: str, damage: int) -> tuple[int, int]:
    """Decide how much of the damage of a shot a target's shields let through, and how much of it is absorbed.

    Which of two shields comes first is the reading `shields-together`.
    """
    figure, powers = field.figure(target), field.book.powers
    with table.without_findings():
        shielded = damage > 0 and under(figure, SHIELD) and not combat.in_combat(table, field, target)
    # An Energy Shield is noted on its bearer once for each point that it still absorbs.
    most = sum(spell.power == ABSORBER for spell in figure.spells)
    if damage <= 0 or not (shielded or most):
        return damage, 0
    divisor = int(powers[SHIELD].numbers["damage_divided_by"]) if shielded else 1

    def decided(first: str) -> tuple[int, int]:
        whole = damage // divisor if first == "halved" else damage
        absorbed = min(most, whole)
        left = whole - absorbed
        return (left if first == "halved" else left // divisor), absorbed

    left, absorbed = settled(table, decided, ("shields-together", ("halved", "absorbed")))
    shields = tuple(powers[id_] for id_, works in ((SHIELD, shielded), (ABSORBER, most > 0)) if works)
    text, names = "{name} takes {left} of {damage} damage through {shields}", Listing(each.name for each in shields)
    cites = tuple(f"power/{shield.id}" for shield in shields)
    table.find(text, cites=cites, shields=names, left=left, damage=damage, name=field.name(figure))
    return left, absorbed


def ended(table: Table, field: Battlefield, bearer: str, power_id: str, times: int = 1) -> Battlefield:
    """Give the battlefield after a power has ended on a figure, or so many times of one that is on it several times."""
    figure = field.figure(bearer)
    remaining = list(figure.spells)
    for spell in [each for each in figure.spells if each.power == power_id][:times]:
        remaining.remove(spell)
    table.event("power-ended", figure=bearer, power=power_id)
    return field.put(replace(figure, spells=tuple(remaining)))
