"""Pictures from the command line: draws a ruling into a file."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from api.schemas import codec
from api.schemas.bodies import ask_type
from arbiter.game import Arbiter
from arbiter.ruling import Ruling
from cli.inputs import Unreadable, file


def draw(game: Arbiter, case: Any, ruling: bytes, path: str) -> None:
    """Draw a ruling, given as JSON, into a file; raises `Unreadable` if there is no board."""
    # Only pictures need the pen.
    from rendering.pictures.scenes import of_ruling
    from rendering.pictures.svg import svg

    drawing = of_ruling(game, case, msgspec.json.decode(ruling, type=Ruling[Any]))
    if drawing is None:
        raise Unreadable("there is no board to draw")
    try:
        Path(path).write_bytes(svg(drawing))
    except OSError as wrong:
        raise Unreadable(f"{path} cannot be written: {wrong}") from None


def draw_answer(answer: Any, arguments: argparse.Namespace, games: Mapping[str, Arbiter]) -> None:
    """Draw a ruling of a service, with its case from a separate file."""
    if arguments.case is None:
        raise Unreadable("a ruling alone has no board: name the file with its case with --case")
    if not isinstance(answer, dict) or answer.get("game") not in games or "status" not in answer:
        raise Unreadable("that is not a ruling of a known game, and only rulings are drawn")
    game = games[answer["game"]]
    body = body_of(arguments.case)
    case = codec.decode_object(ask_type(game.question(str(answer.get("question")))), {"case": body["case"]}).case
    draw(game, case, codec.encode(answer), arguments.svg)


def body_of(path: str) -> dict[str, Any]:
    """Read the body of a question from a file with the whole body, or only its case."""
    held = file(path)
    return held if isinstance(held, dict) and "case" in held else {"case": held}
