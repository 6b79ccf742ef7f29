"""The table of contents: what this game is, and what its arbiter can be asked."""

from arbiter.game import Arbiter
from arbiter.question import Question
from services._template import battle, drawing, questions
from services._template.rules import movement, shooting, sight

ARBITER = Arbiter(
    package="services._template",
    name="template-skirmish",
    title="Template Skirmish",
    edition="invented-1",
    gist="Two small sides of fighters move and shoot on a board of hexes.",
    policies={"bold": battle.bold},
    players=lambda scene: ("red", "blue"),
    drawing=drawing.drawing,
    undrawn=drawing.UNDRAWN,
    questions=[
        Question(
            "moves", questions.MovesCase, questions.prepare_moves, movement.moves, gist="Where may this fighter move?"
        ),
        Question(
            "line-of-sight",
            questions.SightCase,
            questions.prepare_sight,
            sight.line_of_sight,
            gist="Does this fighter see that one?",
        ),
        Question(
            "attack",
            questions.AttackCase,
            questions.prepare_attack,
            shooting.attack,
            dice=True,
            gist="What happens when this fighter shoots at that one?",
        ),
        Question(
            "battle",
            questions.BattleCase,
            questions.prepare_battle,
            battle.play,
            dice=True,
            gist="How does the fight go on from here, and who wins it?",
        ),
    ],
)
