"""One game's own service with one command: `arbiter serve-game stargrave`.

The command replaces itself with gunicorn, as in the compose file; signals and exit code are gunicorn's.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from api.settings import Settings
from arbiter.fault import UnknownName
from infra.settings import WrongSettings, variable

OPTIONS = {
    "host": ("host", str, "address to listen on; 127.0.0.1 unless ARBITER_HOST says otherwise"),
    "port": ("port", int, "port to listen on; 8000 unless PORT says otherwise"),
    "workers": ("gateway_workers", int, "processes"),
    "threads": ("gateway_threads", int, "threads of each process"),
}
"""Each option with its setting."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", help="name of the game, as `arbiter games` lists it")
    for option, (_, kind, gist) in OPTIONS.items():
        parser.add_argument(f"--{option}", type=kind, help=gist)


def serve_game(arguments: argparse.Namespace, games: Mapping[str, object]) -> NoReturn:
    """Become the service of a game; exit code 1 if the settings are wrong."""
    if arguments.game not in games:
        raise UnknownName("game", arguments.game, games)
    variables = {variable(name): getattr(arguments, option) for option, (name, _, _) in OPTIONS.items()}
    environment = {**os.environ, **{name: str(value) for name, value in variables.items() if value is not None}}
    try:
        Settings.from_environment(environment)
    except WrongSettings as wrong:
        raise SystemExit(str(wrong)) from None
    os.execve(sys.executable, [sys.executable, "-m", *command(arguments.game)], environment)


def command(game: str) -> Sequence[str]:
    """Give the program that serves a game, with its arguments."""
    configuration = Path(__file__).parents[1] / "deploy" / "gunicorn.conf.py"
    return ("gunicorn", "--config", str(configuration), f"api:create_game_app({game!r})")
