"""The operations that `posted.yaml` describes: questions of games, odds, simulations, boards."""

from pathlib import Path

import msgspec

from api.caching.board_library import board_type
from api.openapi.components import prefix, title
from api.openapi.operations import Schema
from api.schemas import codec
from api.schemas.bodies import scene_type
from api.schemas.json_schema import component_name
from api.web.services import PICTURE
from arbiter.game import Arbiter
from arbiter.sources.yaml_file import load_yaml

_ITEMS = load_yaml(Path(__file__).with_name("posted.yaml"))
_POSTED = {name: codec.encode(item).decode() for name, item in _ITEMS.items()}


def posted(name: str, **words: str) -> Schema:
    """Describe a path that takes a body, with the placeholders in angle brackets replaced."""
    text = _POSTED[name]
    for word, value in words.items():
        text = text.replace(f"<{word}>", value)
    item: Schema = msgspec.json.decode(text)
    return item


def paths(game: Arbiter) -> dict[str, Schema]:
    """Give the paths of a game, each with its operations by method."""
    root, name = f"/v1/games/{game.name}", prefix(game)
    words = {"game": game.name, "Game": name, "id": name[0].lower() + name[1:]}
    items = {f"{root}/{asked}": posted("question", Question=title(asked), **words) for asked in game.questions}
    for asked, question in game.questions.items():
        items[f"{root}/{asked}"]["post"]["summary"] = question.gist
    if any(question.dice for question in game.questions.values()):
        items[f"{root}/{{question}}/odds"] = posted("odds", **words)
        items[f"{root}/{{question}}/simulations"] = posted("simulations", **words)
    if game.drawing is not None:
        items[f"{root}/{PICTURE}"] = posted("picture", Scene=component_name(scene_type(game)), **words)
    if (board := board_type(game)) is not None:
        items[f"{root}/boards/{{digest}}"] = posted("boards", Board=component_name(board), **words)
    return items
