"""Where everything begins: `/`, as JSON for programs, for browsers as a page with a real ruling to be asked again.

The ruling is that of a step of Stargrave's story, decided and drawn when it is first asked for. Three links ask it
again: closer, behind a wall, and with other dice. The page works without a script.
"""

from functools import lru_cache
from typing import Any

import msgspec
from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from api.openapi.operations import Operation
from api.resources.front.table import HTML, opening_scene, page_response, tagged_response
from api.schemas import codec
from api.schemas.responses import JSON, SVG, accept, json_response
from api.web.services import services
from arbiter.drawing import Line
from arbiter.game import ENGINE, Arbiter
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
"""Who stands elsewhere when it is asked again: the sniper past the barricade, the commando behind the reactor."""

ROLLS = 20
"""Different dice that can be had; their pictures are in memory."""

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
"""A question to be sent from a terminal: a table without a board, of which the players say what matters."""


class Home(Value, frozen=True):
    """Where everything begins."""

    service: str
    engine: str
    links: dict[str, str]


HOME = Home(
    "Arbiter: rulings for tabletop skirmish games, with their reasons, dice, effects and exact odds",
    ENGINE,
    {
        "games": "/v1/games",
        "board_import": "/v1/boards/import",
        "batch": "/v1/batch",
        "keys": "/.well-known/arbiter-keys.json",
        "limits": "/v1/limits",
        "problems": "/problems",
        "contract": "/openapi.json",
        "documentation": "/docs",
        "table": "/table",
        "health": "/healthz",
        "readiness": "/readyz",
        "metrics": "/metrics",
    },
)


class Shot(Value, frozen=True):
    """The ruling of the front page: what stands beside the picture, the picture's sentence, and the picture.

    `way` says how the line to the target ends, where the shot is forbidden.
    """

    name: str
    card: Card
    sentence: str
    picture: bytes
    way: str


pages = Blueprint("home", __name__)


@pages.get("/")
@Operation("home", Home, forms=(JSON, HTML))
def home() -> Response:
    """Say what this is and where to go on."""
    if accept(JSON, HTML) == JSON:
        answer = json_response(HOME)
        answer.vary.add("Accept")
        return answer
    return page_response(_page(request.args.get("shot", "start")))


@pages.get("/front/<name>.svg")
def picture(name: str) -> Response:
    """Draw the ruling of the front page."""
    if not _is_shot(name) or GAME not in services().games:
        raise NotFound
    return tagged_response(_shot(services().games[GAME], name).picture, SVG)


def _is_shot(name: str) -> bool:
    return name in MOVES or name in {f"roll-{number}" for number in range(ROLLS)}


def _page(name: str) -> str:
    name = name if _is_shot(name) else "start"
    number = int(name.removeprefix("roll-")) + 1 if name.startswith("roll-") else 0
    game = services().games.get(GAME)
    shot = None if game is None else _shot(game, name)
    return (
        templates()
        .get_template("home.html")
        .render(
            sentence=SENTENCE,
            shot=None if shot is None else {**_members(shot), **_members(shot.card)},
            open=f"/table#g={GAME}&e=story&u={SHOOTER}&q=line-of-sight",
            buttons=(("closer", "Closer"), ("wall", "Behind the wall"), (f"roll-{number % ROLLS}", "Roll again")),
            games=list(services().games.values()),
            curl=f"curl {request.url_root}v1/games/{GAME}/{QUESTION} -H 'Content-Type: application/json' "
            f"-d '{codec.encode(ASKED).decode()}'",
        )
    )


def _members(of: Shot | Card) -> dict[str, Any]:
    return {name: getattr(of, name) for name in of.__struct_fields__}


@lru_cache(maxsize=len(MOVES) + ROLLS)
def _shot(game: Arbiter, name: str) -> Shot:
    scene: Any = opening_scene(game)["scene"]
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
    """Say what is between the two, as the question who sees whom answers it."""
    case = msgspec.convert({"scene": scene, "observer": SHOOTER}, game.questions[SIGHT].case)
    made: Ruling[Any] = msgspec.json.decode(game.ask_json(SIGHT, Ask(case), seed=SIGHT), type=Ruling[Any])
    drawing = scenes.of_ruling(game, case, made)
    marks = () if drawing is None else drawing.marks
    return next((mark.how for mark in marks if isinstance(mark, Line) and mark.about == TARGET), "")
