"""Loot: unlocking a token, and picking it up.

Follows "Loot Tokens"; gear that helps stands in the research notes. What a token costs its carrier is in `loads` and
`allowance`.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.dice import D20
from arbiter.facts import Units, fact
from arbiter.geometry.plane import shapes
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish import plane
from arbiter.skirmish.reasons import beside, every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Added, Signed
from services.stargrave.battlefield import Battlefield, Ids
from services.stargrave.book import target_number
from services.stargrave.rules import harm, sight
from services.stargrave.rules.lengths import from_point
from services.stargrave.scene import Place, Token

NEAR = 1.0
"""Inches within which no enemy may be to a token that is unlocked."""


@every_reason
def unlock_violations(table: Table, field: Battlefield, actor: str, token_id: str) -> Iterator[Reason]:
    """List the violations of an attempt to unlock a token."""
    barred = (*creatures(table, field, actor), *animals(table, field, actor), *locked(table, field, token_id))
    yield from barred
    yield from beside(barred, lambda: in_reach(table, field, actor, token_id), ())
    yield from beside(barred, lambda: enemies_near(table, field, actor, token_id), ())


@every_reason
def pick_up_violations(table: Table, field: Battlefield, actor: str, token_id: str) -> Iterator[Reason]:
    """List the violations of picking up a token."""
    barred = (*creatures(table, field, actor), *animals(table, field, actor), *unlocked(table, field, token_id))
    carrying = one_token(table, field, actor)
    yield from barred
    yield from beside((*barred, *carrying), lambda: in_reach(table, field, actor, token_id), ())
    yield from carrying


@violations_rule("loot.animals", cites="creatures/animals-and-loot")
def animals(table: Table, field: Battlefield, actor: str) -> Iterator[Reason]:
    """Decide whether a figure has anything to do with loot: animals have not."""
    figure = field.figure(actor)
    if field.has(figure, "animal"):
        yield table.reason("{name} is an animal and cannot handle loot", name=field.name(figure))


@violations_rule("loot.creatures", cites=("creatures/step-1", "creatures/step-2"))
def creatures(table: Table, field: Battlefield, actor: str) -> Iterator[Reason]:
    """Decide whether a figure has anything to do with loot: a creature that nobody controls has not."""
    figure = field.figure(actor)
    if figure.crew is None:
        yield table.reason("{name} is an uncontrolled creature and ignores loot", name=field.name(figure))


@violations_rule("loot.locked", cites="loot/unlock-action")
def locked(table: Table, field: Battlefield, token_id: str) -> Iterator[Reason]:
    """Decide whether a token can be unlocked: it lies on the table, and has not been unlocked yet."""
    token = field.token(token_id)
    if token.unlocked:
        yield table.reason("{token} is already unlocked", token=token_id)
    elif token.at is None:
        yield table.reason("{token} is carried", token=token_id)


@violations_rule("loot.unlocked", cites=("loot/physical-action", "loot/data-action"))
def unlocked(table: Table, field: Battlefield, token_id: str) -> Iterator[Reason]:
    """Decide whether a token can be picked up: it lies on the table and is unlocked."""
    token = field.token(token_id)
    cites = f"loot/{token.kind}-action"
    if token.at is None:
        yield table.reason("{token} is already carried", cites=cites, token=token_id)
    elif not token.unlocked:
        yield table.reason("{token} is not unlocked", cites=cites, token=token_id)


@violations_rule("loot.in_reach", cites=("loot/unlock-action", "loot/physical-action"))
def in_reach(table: Table, field: Battlefield, actor: str, token_id: str) -> Iterator[Reason]:
    """Decide whether a figure is near enough to a token to unlock it or pick it up: the reading `token-reach`."""
    token = field.token(token_id)
    if token.at is None or touches(table, field, actor, token, token.at):
        return
    if table.read("token-reach") != "one-inch" or actor not in near_token(table, field, token, token.at):
        yield table.reason("{token} is out of reach of {name}", name=field.name(actor), token=token_id)


@fact(
    "touches_token",
    "Does {figure} touch {token}?",
    of=("figure", "token"),
    says=("{figure} touches {token}", "{figure} does not touch {token}"),
    cites=("loot/unlock-action", "loot/physical-action"),
)
def touches(table: Table, field: Battlefield, actor: str, token: Token, at: Place) -> bool:
    """Check whether a figure touches a token that lies on the table."""
    body, height = field.solid(field.figure(actor)), shapes.thousandths(token.elevation_in)
    return from_point(body, plane.point(at), height, "edges", "space") <= body.slack


@violations_rule("loot.enemies_near", cites="loot/no-enemy-near")
def enemies_near(table: Table, field: Battlefield, actor: str, token_id: str) -> Iterator[Reason]:
    """Decide whether an enemy keeps a figure from unlocking a token: one within 1 inch; every such enemy.

    Of the token or of the figure is the reading `enemy-near-whom`; whether creatures are enemies is `loot-enemies`.
    """
    figure, token = field.figure(actor), field.token(token_id)
    enemies = field.enemies(figure)
    if token.at is None or not enemies:
        return
    sources = ("token", "figure") if field.measures(actor, token_id) else (table.read("enemy-near-whom"),)
    near: dict[str, set[str]] = {}
    if "token" in sources:
        near["token"] = set(near_token(table, field, token, token.at))
    if "figure" in sources:
        near["figure"] = {enemy.id for enemy in enemies if sight.within(table, field, actor, enemy.id, NEAR)}

    def hindering(whom: str, who: str) -> Ids:
        counting = (enemy.id for enemy in enemies if who == "all" or enemy.crew is not None)
        return tuple(id_ for id_ in counting if id_ in near[whom])

    hindering_enemies = settled(table, hindering, ("enemy-near-whom", sources), ("loot-enemies", ("all", "crews")))
    for enemy in hindering_enemies:
        text = "{enemy} is within 1 inch of " + ("{token}" if enemy in near.get("token", ()) else "{name}")
        yield table.reason(text, enemy=field.name(enemy), token=token_id, name=field.name(figure))


@fact(
    "near_token",
    "Which figures are within 1 inch of {token}?",
    of=("token",),
    kind=Units(),
    says="Within 1 inch of {token}: {value}",
    cites="loot/no-enemy-near",
)
def near_token(table: Table, field: Battlefield, token: Token, at: Place) -> Ids:
    """List the figures that are near a token that lies on the table."""
    ids, height = (figure.id for figure in field.figures), token.elevation_in
    return tuple(id_ for id_ in ids if sight.near_point(table, field, id_, at, NEAR, height))


def unlock(table: Table, field: Battlefield, actor: str, token_id: str) -> tuple[Battlefield, bool]:
    """Give the battlefield after an attempt to unlock a token, and whether it succeeds."""
    if not table.call(unlocking, field, actor, token_id):
        return field, False
    table.event("unlocked", figure=actor, token=token_id)
    return field.put_token(replace(field.token(token_id), unlocked=True, unlocked_by=actor)), True


def pick_up(
    table: Table, field: Battlefield, actor: str, token_id: str, same_activation: bool
) -> tuple[Battlefield, bool]:
    """Give the battlefield after a figure has picked up a token, and whether it costs an action."""
    costs = not free(table, field, actor, token_id, same_activation)
    table.event("picked-up", figure=actor, token=token_id)
    field = field.put_token(replace(field.token(token_id), at=None, elevation_in=0.0, unlocked_by=None))
    return field.put(replace(field.figure(actor), carries=token_id)), costs


@rule("loot.unlocking", cites=("loot/unlock-action", "loot/unlock-roll"), neutral=False)
def unlocking(table: Table, field: Battlefield, actor: str, token_id: str) -> bool:
    """Decide whether a figure's try unlocks a token: a Will roll against 14, which costs an action."""
    figure, token = field.figure(actor), field.token(token_id)
    will, gear = harm.will(table, field, actor), tools(table, field, actor, token.kind)
    bonus = will + gear
    face = table.roll(D20, f"{actor}: unlock")
    required = target_number("unlocking")
    passed: bool = face + bonus >= required
    text = "{name} spends an action on {token}"
    table.find(text, cites="loot/unlock-action", name=field.name(figure), token=token_id)
    outcome = "unlocked" if passed else "still locked"
    text = "{name} rolls {face} {bonus} = {total} against {wanted}: " + outcome
    parts, total = {"will": will, "gear": gear}, face + bonus
    table.record(f"{actor}: unlock", modifiers=parts, total=total, needed=required, outcome=outcome)
    values = {"face": face, "bonus": Added(bonus), "total": total, "wanted": required}
    table.find(text, cites="loot/unlock-roll", name=field.name(figure), **values)
    return passed


@rule("loot.tools", cites=("gear/deck", "gear/picks", "gear/advanced"), neutral=0)
def tools(table: Table, field: Battlefield, actor: str, kind: str) -> int:
    """Decide what a figure's gear adds to unlocking loot of a kind: that of its best tool for it."""
    figure = field.figure(actor)
    gear = [field.book.gear[item] for item in field.profile(figure).gear if item in field.book.gear]
    fitting = [item for item in gear if item.unlocks == kind]
    if not fitting:
        return 0
    best = max(fitting, key=lambda item: item.bonus or 0)
    cites = f"gear/{best.id}" if best.id in ("deck", "picks") else "gear/advanced"
    text = "{name} uses {gear}: {bonus}"
    table.find(text, cites=cites, gear=best.name, name=field.name(figure), bonus=Signed(best.bonus or 0))
    return best.bonus or 0


@violations_rule("loot.one_token", cites="loot/one-token")
def one_token(table: Table, field: Battlefield, actor: str) -> Iterator[Reason]:
    """Decide whether a figure can carry a token: it carries none yet."""
    figure = field.figure(actor)
    if figure.carries is not None:
        yield table.reason("{name} already carries {token}", name=field.name(figure), token=figure.carries)


@rule("loot.free", cites=("loot/physical-free", "loot/physical-action", "loot/data-action"), neutral=False)
def free(table: Table, field: Battlefield, actor: str, token_id: str, same_activation: bool) -> bool:
    """Decide whether picking up a token costs a figure nothing: a physical one that it has unlocked.

    `same_activation`: it has done so in this activation; whether that is needed is the reading `free-pick-up`.
    """
    token, name = field.token(token_id), field.name(actor)
    if token.kind == "data":
        table.find("Picking up {token} costs {name} an action", cites="loot/data-action", token=token_id, name=name)
        return False
    own = token.unlocked_by == actor
    if own and (same_activation or table.read("free-pick-up") == "any-time"):
        text = "{name} has unlocked {token} and picks it up for free"
        table.find(text, cites="loot/physical-free", name=name, token=token_id)
        return True
    table.find("Picking up {token} costs {name} an action", cites="loot/physical-action", token=token_id, name=name)
    return False
