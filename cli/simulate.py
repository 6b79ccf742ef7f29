"""`arbiter simulate` and `arbiter sweep`: one question played many times, in local processes or by a service."""

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from api.auth import keys
from api.schemas import codec
from arbiter.fault import UnknownName
from arbiter.game import Arbiter
from cli import inputs
from cli.inputs import Unreadable
from rendering import csv_table, simulation_text

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

KEY = "ARBITER_KEY"
"""The variable with the key for a service."""

SETTLES_ONE_GAME = ("dice", "choices", "heads")
"""Members of a body that decide one game and do not apply to a simulation."""


def add_arguments(parser: argparse.ArgumentParser, *, sweep: bool) -> None:
    """Add the arguments of the two commands."""
    parser.add_argument("game", help="name of the game, as `arbiter games` lists it")
    parser.add_argument("question", help="name of the question")
    parser.add_argument("case", help="file with the case, or the whole body, as JSON or YAML; - reads standard input")
    parser.add_argument("--count", type=int, help="games to play, at each point of a sweep (1000)")
    again = "to replay game 12 of seed 7, ask with --seed 7/12 and the same policies"
    parser.add_argument("--seed", help=f"seed of the games (0); {again}")
    parser.add_argument("--readings", nargs="+", action="extend", default=[], metavar="ID=OPTION")
    parser.add_argument("--policies", nargs="+", action="extend", default=[], metavar="WHO=POLICY")
    parser.add_argument("--metrics", nargs="+", action="extend", default=[], help="count these alone")
    parser.add_argument(
        "--vary", nargs="+", action="extend", default=[], metavar="PLACE=VALUE,VALUE", help=inputs.VARY_HELP
    )
    mirror = "play every seed twice, the second time with the positions of the two sides swapped"
    parser.add_argument("--mirror", action="store_true", help=mirror)
    against = "the point that all others are compared with, by its values: /case/turns=20"
    parser.add_argument("--reference", nargs="+", action="extend", default=[], metavar="PLACE=VALUE", help=against)
    parser.add_argument("--processes", type=int, help="processes to use here (one for each core)")
    parser.add_argument("--url", help=f"address of a service that does the work instead, with the key in {KEY}")
    parser.add_argument("--csv", action="store_true", help="print a table as CSV")
    parser.add_argument("--svg", metavar="FILE", help="draw a plot into this file")
    parser.set_defaults(sweep=sweep)


def simulate(arguments: argparse.Namespace, games: Mapping[str, Arbiter]) -> Iterable[str]:
    """Run the command; give the lines to print."""
    if arguments.csv and arguments.json:
        raise Unreadable("--csv and --json cannot both be printed")
    if arguments.processes is not None and arguments.processes < 1:
        raise Unreadable("--processes takes 1 or more")
    body = _body(arguments)
    with Bar() as bar:
        if arguments.url is None:
            done = _here(arguments, games, codec.encode(body), bar)
        else:
            # Only work for a service needs its client.
            from cli import client

            done = client.simulate(
                arguments.url, arguments.game, arguments.question, codec.encode(body), bar.at, _key()
            )
    result = msgspec.json.decode(done)
    note = _write_plot(arguments.svg, result)
    if arguments.json:
        return [msgspec.json.format(done, indent=2).decode()]
    if arguments.csv:
        # Lines end as usual on this machine.
        return [csv_table.csv(result).decode().replace("\r\n", "\n").removesuffix("\n")]
    return [*simulation_text.simulation(result), *note]


def _key() -> str | None:
    """Give the key for a service, if there is one."""
    text = os.environ.get(KEY, "").strip()
    if not text:
        return None
    try:
        return keys.parse(text).written
    except keys.Malformed as wrong:
        raise Unreadable(f"{KEY} holds no key: {wrong}") from None


def _body(arguments: argparse.Namespace) -> dict[str, Any]:
    body = {name: part for name, part in inputs.body(arguments).items() if name not in SETTLES_ONE_GAME}
    if arguments.count is not None:
        body["count"] = arguments.count
    if arguments.seed is not None:
        body["seed"] = inputs.face(arguments.seed)
    if arguments.metrics:
        body["metrics"] = arguments.metrics
    inputs.add(body, "vary", inputs.varied_places(arguments.vary))
    named = {place: inputs.values(value)[0] for place, value in inputs.pairs(arguments.reference)}
    inputs.add(body, "reference", named)
    if arguments.mirror:
        body["mirror"] = True
    if arguments.sweep and not body.get("vary"):
        raise Unreadable("nothing is varied; add --vary /case/turns=10,20, or use `arbiter simulate`")
    return body


def _here(arguments: argparse.Namespace, games: Mapping[str, Arbiter], body: bytes, bar: "Bar") -> bytes:
    from api.jobs import sweeps
    from cli import pool
    from workers.jobs.work import Work

    if arguments.game not in games:
        raise UnknownName("game", arguments.game, games)
    game = games[arguments.game]
    question = game.question(arguments.question)
    if not question.dice:
        raise Unreadable(f"{question.name} is decided without dice; ask it for its answer")
    parsed = sweeps.read(game, question, body, codec.DEEPEST)
    work = Work("simulation", game.name, question.name, parsed.body)
    return pool.simulate(work, parsed.estimate_ms, arguments.processes or os.cpu_count() or 1, bar.at)


def _write_plot(file: str | None, result: Any) -> list[str]:
    if file is None:
        return []
    from rendering import plots

    try:
        Path(file).write_bytes(plots.svg(result))
    except OSError as wrong:
        raise Unreadable(f"{file} cannot be written: {wrong}") from None
    return ["", f"Drawn: {file}"]


class Bar:
    """A progress bar on standard error, if that is a terminal."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._bar: ProgressBar[Any] | None = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *raised: object) -> None:
        self._open.close()

    def at(self, done: int, total: int) -> None:
        """Show the number of finished games."""
        if not sys.stderr.isatty():
            return
        if self._bar is None:
            import click

            self._bar = self._open.enter_context(click.progressbar(length=total, label="games", file=sys.stderr))
        self._bar.update(done - self._bar.pos)
