"""`arbiter import`: a board of a game from a map that was drawn for a virtual tabletop."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from api.schemas import codec
from arbiter.game import Arbiter
from cli.inputs import Unreadable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("map", help="map file: Universal VTT, or a scene of Foundry VTT; - reads standard input")
    parser.add_argument("--game", required=True, help="name of the game of the board")
    parser.add_argument("--square", type=float, default=1.0, help="side of a square, in the game's unit of length (1)")
    parser.add_argument("--thickness", type=float, default=0.1, help="thickness of walls on the table (0.1)")


def board(arguments: argparse.Namespace, games: Mapping[str, Arbiter]) -> Iterable[str]:
    """Give the board as JSON, line by line; warnings go to standard error."""
    # The reader of posted maps loads a web framework, which other commands do not need.
    from api.resources.board_import import board_from, game_for
    from api.schemas.queries import MapQuery, load_parameters

    scale = {"square": arguments.square, "thickness": arguments.thickness}
    game = game_for(load_parameters(MapQuery, {"game": arguments.game, **scale})["game"], games)
    made = board_from(_file(arguments.map), game, **scale)
    for note in made.warnings:
        print(f"{note.message} ({note.count})", file=sys.stderr)
    return [msgspec.json.format(codec.encode(made.board), indent=2).decode()]


def _file(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as wrong:
        raise Unreadable(f"{name} cannot be read: {wrong}") from None
