"""The front page: a description of the service, with a real ruling to try.

The ruling is a step of Stargrave's story. Three links ask the question again: closer, behind a wall, and with other
dice. The page works without a script.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from arbiter.drawing import Line
from arbiter.game import Arbiter
from arbiter.question import Ask, AskOdds, DiceSpec
from arbiter.ruling import Ruling
from arbiter.value import Value
from rendering.pages import templates
from rendering.pictures import ruling_card, scenes
from rendering.pictures.card import Card
from rendering.pictures.svg import svg

SENTENCE = "A referee for tabletop skirmish games: who sees whom, what the dice do, and which rule says so."

GAME, QUESTION, SHOOTER, TARGET = "stargrave", "shoot", "sal", "cy"
SIGHT = "line-of-sight"
CASE = {"shooter": SHOOTER, "weapon": "carbine", "targets": (TARGET,), "moved": "standing"}
"""The shot of the front page: a sniper, and a commando behind a barricade."""

HAND: dict[str, tuple[int | str, ...]] = {f"{SHOOTER}: shooting": (18,), f"{TARGET}: combat": (6,)}

_ACROSS = {SHOOTER: (22.5, 16.0)}
MOVES = {"start": _ACROSS, "closer": {SHOOTER: (24.5, 24.0)}, "wall": {**_ACROSS, TARGET: (18.0, 21.5)}}
"""Positions that differ in each variant: the sniper past the barricade, the commando behind the reactor."""

ROLLS = 20
"""The number of variants with different dice."""

ODDS_PATHS = 3_000

ASKED = {
    "case": {
        "scene": {
            "figures": [
                {"id": "ann", "crew": "red", "profile": "recruit", "weapons": ["carbine"]},
                {"id": "bob", "crew": "blue", "profile": "trooper"},
            ]
        },
        "shooter": "ann",
        "weapon": "carbine",
        "targets": ["bob"],
        "given": {"range_in": 8, "cover": "light", "between": 0},
        "assume": "usual",
    }
}
"""A question to send from a terminal: a table without a board, with facts from the players."""


class Shot(Value, frozen=True):
    """The ruling of the front page: the text next to the picture, the picture's sentence, and the picture.

    `way` says how the line to the target ends, if the shot is forbidden.
    """

    name: str
    card: Card
    sentence: str
    picture: bytes
    way: str


SHOTS = (*MOVES, *(f"roll-{number}" for number in range(ROLLS)))
"""The names of all shots; the page shows the first one."""


def shoot(game: Arbiter, scene: Any, name: str) -> Shot:
    """Decide and draw a shot in the scene that the table of the game opens with, given as JSON."""
    for figure in scene["figures"]:
        figure["at"] = MOVES.get(name, _ACROSS).get(figure["id"], figure["at"])
    case = msgspec.convert({"scene": scene, **CASE}, game.questions[QUESTION].case)
    dice = DiceSpec(seed=name) if name not in MOVES else DiceSpec(hand=HAND)
    ask: Ask[Any] = Ask(case, dice, surplus="ignore")
    made: Ruling[Any] = msgspec.json.decode(game.ask_json(QUESTION, ask, seed=name), type=Ruling[Any])
    drawing = scenes.of_ruling(game, case, made)
    assert drawing is not None, "the scene has a board"
    law = game.odds(QUESTION, AskOdds(case), ODDS_PATHS) if made.allowed else None
    card = ruling_card.of_ruling(game.title, made, drawing, law)
    way = "" if made.allowed else _way(game, scene)
    return Shot(name, card, drawing.description, svg(drawing, "auto", "focus", head=False), way)


def _way(game: Arbiter, scene: Any) -> str:
    """Say what is between the two figures, from the answer of the question about sight."""
    case = msgspec.convert({"scene": scene, "observer": SHOOTER}, game.questions[SIGHT].case)
    made: Ruling[Any] = msgspec.json.decode(game.ask_json(SIGHT, Ask(case), seed=SIGHT), type=Ruling[Any])
    drawing = scenes.of_ruling(game, case, made)
    marks = () if drawing is None else drawing.marks
    return next((mark.how for mark in marks if isinstance(mark, Line) and mark.about == TARGET), "")


def page(games: Iterable[Arbiter], shot: Shot | None, service: str) -> str:
    """Give the page with a shot; `service` is the base address in its curl command."""
    following = 0 if shot is None or shot.name in MOVES else int(shot.name.removeprefix("roll-")) + 1
    return (
        templates()
        .get_template("home.html")
        .render(
            sentence=SENTENCE,
            shot=None if shot is None else {**_members(shot), **_members(shot.card)},
            open=f"/table#g={GAME}&e=story&u={SHOOTER}&q=line-of-sight",
            buttons=(("closer", "Closer"), ("wall", "Behind the wall"), (f"roll-{following % ROLLS}", "Roll again")),
            games=list(games),
            curl=f"curl {service}/v1/games/{GAME}/{QUESTION} -H 'Content-Type: application/json' "
            f"-d '{msgspec.json.encode(ASKED).decode()}'",
        )
    )


def _members(of: Shot | Card) -> dict[str, Any]:
    return {name: getattr(of, name) for name in of.__struct_fields__}
