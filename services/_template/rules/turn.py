"""The turn: who begins a round, what a fighter does in it, and when the battle is over."""

from functools import partial

from msgspec.structs import replace

from arbiter.dice import D6
from arbiter.option import Option, place
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing, UnitName
from services._template.ground import within
from services._template.rules.movement import reach
from services._template.rules.shooting import attack
from services._template.rules.sight import line
from services._template.scene import Fighter, Move, Scene, Shot, Side, Sight


@rule("turn.refresh", cites="turn/refresh", neutral=lambda scene: scene)
def refresh(table: Table, scene: Scene) -> Scene:
    """Decide what a new round gives back: every fighter may dodge again."""
    tired = [fighter.id for fighter in scene.fighters if fighter.dodged]
    if tired:
        table.find("{fighters} may dodge again", fighters=Listing(tired))
    return replace(scene, fighters=tuple(replace(fighter, dodged=False) for fighter in scene.fighters))


@rule("turn.initiative", cites=("turn/initiative", "turn/tie"), neutral=("red", "blue"))
def initiative(table: Table) -> tuple[Side, Side]:
    """Decide the order of the sides in a round: each rolls a die, the higher begins, and red when they are equal."""
    red, blue = table.roll(D6, "initiative of red"), table.roll(D6, "initiative of blue")
    table.record("initiative of red", total=red)
    table.record("initiative of blue", total=blue)
    order: tuple[Side, Side] = ("blue", "red") if blue > red else ("red", "blue")
    table.find("red rolls {red}, blue rolls {blue}: {first} begins", red=red, blue=blue, first=order[0])
    return order


@rule("turn.move_first", cites="turn/move-then-shoot", neutral=lambda move: move.scene)
def move_first(table: Table, move: Move) -> Scene:
    """Decide where a fighter goes before it shoots: its player picks its own hex or any that it can get to."""
    fighter = move.fighter
    hexes = (fighter.hex, *table.once(reach, move))
    chosen = table.choose(fighter.side, f"move of {fighter.id}", hexes, about=move, means=place("hex", "hex {}"))
    if chosen == fighter.hex:
        table.find("{fighter} stays at {hex}", fighter=fighter.name, hex=chosen)
        return move.scene
    table.find("{fighter} moves from {start} to {hex}", fighter=fighter.name, start=fighter.hex, hex=chosen)
    table.event("moved", fighter=fighter.id, to=chosen)
    return move.scene.changed(replace(fighter, hex=chosen))


@rule("turn.then_shoot", cites="turn/move-then-shoot", neutral=lambda scene, fighter: scene)
def then_shoot(table: Table, scene: Scene, fighter: Fighter) -> Scene:
    """Decide whom a fighter shoots at after its move: an enemy in range and sight that its player picks, if any is."""
    near = [enemy for enemy in scene.enemies(fighter) if within(fighter.hex, enemy.hex, fighter.numbers.range_hexes)]
    # Whom it shoots at is found below; who sees whom of all the others would bury that.
    with table.without_findings():
        seen = tuple(enemy.id for enemy in near if table.once(line, Sight(scene, fighter, enemy)))
    if not seen:
        table.find("{fighter} has no enemy in range and sight", fighter=fighter.name)
        return scene
    chosen = table.choose(fighter.side, f"target of {fighter.id}", seen, about=scene, means=partial(_fighter, scene))
    table.find("{fighter} shoots at {target}", fighter=fighter.name, target=UnitName(chosen))
    after: Scene = attack(table, Shot(scene, fighter, scene.fighter(chosen))).after
    return after


@rule("turn.winner", cites="turn/end", neutral=None)
def winner(table: Table, scene: Scene) -> Side | None:
    """Decide whether a side has won: the other one has no fighter left."""
    sides = {fighter.side for fighter in scene.fighters}
    if len(sides) > 1:
        return None
    (side,) = sides
    table.find("{side} is alone on the table", side=side)
    return side


def _fighter(scene: Scene, id_: str) -> Option:
    """Give what an option means that is a fighter."""
    name = scene.fighter(id_).name
    return Option(id_, str(name), {"fighter": name})
