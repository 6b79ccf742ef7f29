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
            name="moves",
            gist="Where may this fighter move?",
            case=questions.MovesCase,
            answer=questions.MovesAnswer,
            prepare=questions.prepare_moves,
            rule=movement.moves,
            dice=False,
        ),
        Question(
            name="line-of-sight",
            gist="Does this fighter see that one?",
            case=questions.SightCase,
            answer=questions.SightAnswer,
            prepare=questions.prepare_sight,
            rule=sight.line_of_sight,
            dice=False,
        ),
        Question(
            name="attack",
            gist="What happens when this fighter shoots at that one?",
            case=questions.AttackCase,
            answer=questions.AttackAnswer,
            prepare=questions.prepare_attack,
            rule=shooting.attack,
            dice=True,
        ),
        Question(
            name="battle",
            gist="How does the fight go on from here, and who wins it?",
            case=questions.BattleCase,
            answer=questions.BattleAnswer,
            prepare=questions.prepare_battle,
            rule=battle.play,
            dice=True,
        ),
    ],
)
