"""A whole battle, played on the same rules as single questions, and a policy that can play it."""

from typing import Any

from arbiter.question import Decided
from arbiter.table import Choice, Table
from services._template.ground import distance
from services._template.questions import BattleAnswer, BattleCase
from services._template.rules.turn import initiative, move_first, refresh, then_shoot, winner
from services._template.scene import Move, Scene, Shot


def play(table: Table, battle: BattleCase) -> Decided[BattleAnswer]:
    """Answer the question `battle`: round after round until one side is alone or the last round is over."""
    scene, done, won = battle.scene, 0, winner(table, battle.scene)
    while won is None and done < battle.rounds:
        scene = _round(table, scene)
        done, won = done + 1, winner(table, scene)
    return Decided(BattleAnswer(won, done, tuple(fighter.id for fighter in scene.fighters)), scene)


def _round(table: Table, scene: Scene) -> Scene:
    """Let every fighter of the side that begins move and shoot, then every fighter of the other."""
    scene = refresh(table, scene)
    for side in initiative(table):
        for id_ in [fighter.id for fighter in scene.fighters if fighter.side == side]:
            scene = move_first(table, Move(scene, scene.fighter(id_)))
            scene = then_shoot(table, scene, scene.fighter(id_))
    return scene


def bold(choice: Choice) -> Any:
    """Go as near to an enemy as can be, always dodge, and shoot at whom the text names first."""
    if isinstance(choice.about, Move):
        enemies = choice.about.scene.enemies(choice.about.fighter)
        return min(choice.options, key=lambda hex_: min((distance(hex_, enemy.hex) for enemy in enemies), default=0))
    return "dodge" if isinstance(choice.about, Shot) else choice.options[0]
