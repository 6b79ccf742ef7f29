"""Melee: who may be struck, the step before the blows, the exchange of blows, and the result of the combat.

Follows "Melee". Casualties, which are its step 7, stand in `harm`. An attack is measured as it is made: it then has to
be in the field of view and within the range of the weapon. Moving or aligning the attacker comes after that.
"""

from arbiter.geometry import plane
from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.size_skirmish import ways
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.deeds import Blow, Deed, Did, Run
from services.size_skirmish.ground import point
from services.size_skirmish.model import Direction
from services.size_skirmish.profiles import Weapon
from services.size_skirmish.rules import armour, harm, matching, movement, targets, view
from services.size_skirmish.rules.rolling import Outcome, Rolling

Done = tuple[Battlefield, Did]
Blows = tuple[Blow, ...]


# What is against a strike


def reasons(table: Table, field: Battlefield, deed: Deed, run: Run) -> tuple[Reason, ...]:
    """Give all that the book has against a strike now; by redirecting it, another may be struck instead."""
    against = against_strike(table, field, deed.model, deed.target or "")
    return () if against and redirections(table, field, deed) else against


def against_strike(table: Table, field: Battlefield, by: str, against: str) -> tuple[Reason, ...]:
    """Give all that the book has against one model striking another from where it stands."""
    if refused := targets.attackable(table, field, by, against):
        return refused
    weapon = armed(field, by)
    if weapon is None:
        text = "{name} has no melee weapon in hand"
        return (table.reason(text, cites="melee/weapon-range", name=field.title(by)),)
    return (*in_view(table, field, by, against), *in_reach(table, field, by, against))


@rule("melee.in_view", cites="melee/field-of-view", without=lambda field, by, against: ())
def in_view(table: Table, field: Battlefield, by: str, against: str) -> tuple[Reason, ...]:
    """Decide whether a model may be struck for being in the field of view of the one who strikes."""
    if view.ahead(table, field, by, against):
        table.find("{other} is in the field of view of {name}", name=field.title(by), other=field.title(against))
        return ()
    text = "{other} is not in the field of view of {name}"
    return (table.reason(text, name=field.title(by), other=field.title(against)),)


@rule("melee.in_reach", cites=("melee/weapon-range", "melee/distance"), without=lambda field, by, against: ())
def in_reach(table: Table, field: Battlefield, by: str, against: str) -> tuple[Reason, ...]:
    """Decide whether a model may be struck for being within the range of the weapon, just that range included."""
    weapon = armed(field, by)
    reach = plane.thousandths((weapon and weapon.reach) or 0.0)
    away = view.distance(table, field, by, against)
    name, other, far = field.title(by), field.title(against), reach / plane.PER_UNIT
    if view.within(table, field, by, against, reach):
        table.find("{other} is within the range {reach} of {name}", name=name, other=other, reach=far)
        return ()
    text = "{other} is {away:.2f} away from {name}, whose weapon has the range {reach}"
    return (table.reason(text, name=name, other=other, reach=far, away=float(away) / plane.PER_UNIT),)


def armed(field: Battlefield, id_: str) -> Weapon | None:
    """Give the melee weapon that a model has in hand."""
    weapon = field.weapon(field.model(id_))
    return weapon if weapon is not None and weapon.kind == "melee" else None


def joins(table: Table, field: Battlefield, deed: Deed, reaction: Deed) -> bool:
    """Say whether a strike in answer to an attack is held back for its exchange of blows.

    So is one at a model that strikes; of one at a model that charges it is the reading `charge-answered`.
    """
    if reaction.target != deed.model or deed.target != reaction.model:
        return False
    if deed.action == "strike":
        return True
    return deed.movement == "attack" and table.read("charge-answered") == "arrival"


# Carrying it out


def done(table: Table, field: Battlefield, deed: Deed, run: Run) -> Done:
    """Carry out a strike: the target is settled, the attacker moved or aligned, and blows are exchanged."""
    by, against = deed.model, redirected(table, field, deed)
    rear = behind(table, field, by, against)
    field = moved(table, field, deed, against)
    field, blows = exchange(table, field, by, against, run.blows_back, rear)
    return field, Did(deed, distance=run.distance, blows=blows, losers=result(table, field, blows))


def redirections(table: Table, field: Battlefield, deed: Deed) -> tuple[str, ...]:
    """Give the other models against which an attack could be turned, in the order of the scene."""
    with table.hushed():
        return tuple(
            other.id
            for other in field.enemies(field.model(deed.model))
            if other.id != deed.target and not against_strike(table, field, deed.model, other.id)
        )


@rule("melee.redirected", cites="melee/redirected", without=lambda field, deed: deed.target)
def redirected(table: Table, field: Battlefield, deed: Deed) -> str:
    """Decide whom an attack meets: the player may turn it against another; whenever he likes is `redirect-when`."""
    target = deed.target or ""
    with table.hushed():
        open_ = not against_strike(table, field, deed.model, target)
    others = redirections(table, field, deed)
    if not others or (open_ and table.read("redirect-when") == "lost-target"):
        return target
    options = (target, *others) if open_ else others
    found: str = table.choose(field.player(deed.model), f"{deed.model}: target", options, about=field)
    if found != target:
        table.find("{name} turns the attack against {other}", name=field.title(deed.model), other=field.title(found))
        table.event("redirected", model=deed.model, target=found)
    return found


@rule("melee.behind", cites="melee/front-or-back", without=lambda field, by, against: False)
def behind(table: Table, field: Battlefield, by: str, against: str) -> bool:
    """Decide whether an attack comes from behind: from outside the field of view of who is attacked."""
    found = not view.ahead(table, field, against, by)
    side = "behind" if found else "the front"
    table.find("{name} attacks {other} from {side}", name=field.title(by), other=field.title(against), side=side)
    return found


@rule("melee.moved", cites="melee/moved-or-aligned", without=lambda field, deed, against: field)
def moved(table: Table, field: Battlefield, deed: Deed, against: str) -> Battlefield:
    """Decide how the attacker is moved or aligned before the blows, if its player wants it; see `Deed.closing`.

    Moving leads straight into base contact, as far as the way is free; by the reading `melee-step` it is turned only.
    """
    if deed.closing == "stay":
        return field
    id_, name = deed.model, field.title(deed.model)
    way = movement.step(table, field, id_, against) if deed.closing == "contact" else None
    if way is not None and table.read("melee-step") == "to-contact":
        table.find("{name} is moved up to {other}", name=name, other=field.title(against))
        field = movement.put(table, field, id_, way, Deed(id_, deed.action))
    facing = _towards(field, id_, against)
    if facing == field.model(id_).facing:
        return field
    table.find("{name} is aligned with {other}", name=name, other=field.title(against))
    table.event("turned", model=id_, facing=facing)
    return field.changed(id_, facing=facing)


@rule("melee.exchange", cites="melee/exchange", without=lambda field, by, against, back, rear: (field, ()))
def exchange(
    table: Table, field: Battlefield, by: str, against: str, back: tuple[str, ...], rear: bool
) -> tuple[Battlefield, Blows]:
    """Decide the exchange of blows: the attacker strikes, and so do those who strike back, with hit points or without.

    Who strikes back is `blows-back`, and whether one attacked from behind does is `rear`.
    """
    field = begun(table, field, by, against)
    field, first = blow(table, field, by, against, rear)
    blows: Blows = (first,)
    for other in _striking_back(table, field, against, back, rear):
        with table.hushed():
            shut = against_strike(table, field, other, by)
        if shut:
            continue
        enduring(table, field, other)
        field = begun(table, field, other, by)
        field, answer = blow(table, field, other, by, False)
        blows = (*blows, answer)
    return field, blows


def _striking_back(
    table: Table, field: Battlefield, against: str, back: tuple[str, ...], rear: bool
) -> tuple[str, ...]:
    """Give who strikes back, those who are attacked first."""
    announced = against in back
    attacked = armed(field, against) is not None and (announced or table.read("blows-back") == "both")
    if attacked and rear and table.read("rear") == "no-blow-back":
        name = field.title(against)
        table.find("{name} is attacked from behind, and strikes no blow back", cites="melee/front-or-back", name=name)
        attacked = False
    return (*((against,) if attacked else ()), *(other for other in back if other != against))


@rule("melee.enduring", cites="melee/without-hit-points", without=lambda field, id_: None)
def enduring(table: Table, field: Battlefield, id_: str) -> None:
    """Decide whether a model strikes that has no hit points left: in the same exchange it does."""
    if not field.hit_points(field.model(id_)):
        table.find("{name} has no hit points left, and strikes all the same", name=field.title(id_))


@rule("melee.begun", cites="melee/begins", without=lambda field, by, against: field)
def begun(table: Table, field: Battlefield, by: str, against: str) -> Battlefield:
    """Decide who is in melee: who attacks and who is attacked, with each other."""
    if against not in field.opponents(by):
        table.find("{name} and {other} are in melee", name=field.title(by), other=field.title(against))
        table.event("melee_begun", model=by, other=against)
    return field.joined(by, against)


def blow(table: Table, field: Battlefield, by: str, against: str, rear: bool) -> tuple[Battlefield, Blow]:
    """Strike one blow, and give what it did."""
    weapon = armed(field, by)
    if weapon is None:
        return field, Blow(by, against, "melee", rear)
    with_, of = armour.attacking(table, field, by, weapon), armour.defending(table, field, against)
    outcome = table.call(struck, with_, of)
    field = harm.suffered(table, field, against, outcome.damage, by)
    return field, Blow(by, against, "melee", rear, outcome.hits, outcome.damage)


def struck(table: Table, who: Rolling, against: Rolling) -> Outcome:
    """Ask what comes of a blow."""
    return table.call(matching.attacked, who, against, "melee")


def _towards(field: Battlefield, id_: str, other: str) -> Direction:
    """Give the direction from one model to another; its own where nobody is elsewhere."""
    here, there = field.model(id_), field.model(other).at
    if here.at is None or there is None or here.at == there:
        return here.facing
    return ways.towards(point(here.at), point(there))


# The result


@rule("melee.result", cites="melee/result", without=lambda field, blows: ())
def result(table: Table, field: Battlefield, blows: Blows) -> tuple[str, ...]:
    """Decide who has the worse of a combat: who suffered more damage in it; both, if they suffered the same."""
    suffered = {id_: 0 for each in blows for id_ in (each.by, each.against)}
    for each in blows:
        suffered[each.against] += each.damage
    most = max(suffered.values(), default=0)
    found = tuple(id_ for id_, damage in suffered.items() if damage == most) if most else ()
    names = ", ".join(field.title(id_) for id_ in found) or "nobody"
    table.find("the worse of the combat has {names}", names=names, damage=most)
    return found


def striking(table: Table, field: Battlefield, id_: str) -> tuple[str, ...]:
    """Give whom a model could strike from where it stands."""
    if not in_play(field.model(id_)):
        return ()
    return redirections(table, field, Deed(id_, "strike"))
