"""The command line `arbiter`: asks any question of any game in this process, with no server.

Exit code 0 for an answer, even if the book forbids the action; 1 if a service cannot answer; 2 for an invalid question;
130 after Ctrl-C. `arbiter verify` has its own codes.
"""

import argparse
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec

from api.schemas import codec
from api.schemas.bodies import ask_type, odds_points, odds_type
from arbiter import registry
from arbiter.fault import Faults, UnknownName
from arbiter.game import Arbiter
from arbiter.odds.best_play import BEST
from arbiter.odds.exact import PathBudgetExceeded
from arbiter.ruling import Odds, Ruling
from arbiter.simulation.statistics import Simulated
from cli import import_map, keys, pictures, serve_game, simulate, verify
from cli.client_problems import Away, Problem
from cli.inputs import (
    ASSUME_HELP,
    GIVEN_HELP,
    VARY_HELP,
    Unreadable,
    add,
    body_at_table,
    face,
    file,
    option,
    pairs,
    varied_places,
)
from infra.startup import staying
from rendering import simulation_text
from rendering import text as rendering_text

PATHS = 1_000_000
"""Paths that the odds may walk."""

Games = Mapping[str, Arbiter]


class StayingGames(registry.Games):
    """The games by name; collecting garbage among them would take a tenth of the time of a command."""

    def __getitem__(self, name: str) -> Arbiter:
        with staying():
            return super().__getitem__(name)


def main(arguments: Sequence[str] | None = None, games: Games | None = None) -> int:
    """Run the command line; give the exit code."""
    options, rest = _parser().parse_known_args(arguments)
    if rest and (options.run not in (_ask, _odds) or options.case is not None):
        _parser().error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    try:
        for text in options.run(options, StayingGames() if games is None else games):
            print(text)
        sys.stdout.flush()
    except verify.Verdict as verdict:
        return verdict.code
    except BrokenPipeError:
        # The reader has closed the pipe, like `head`; the rest is discarded, so that Python does not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt as interrupted:
        _complain(str(interrupted) or "Interrupted; nothing is kept.")
        return 130
    except Faults as refusal:
        _complain(*rendering_text.cannot_be_asked(refusal.faults))
        return 2
    except Problem as problem:
        _complain(*rendering_text.problem(problem.title, problem.detail, problem.faults))
        return 1 if problem.status >= 500 else 2
    except (UnknownName, Unreadable) as wrong:
        _complain(str(wrong))
        return 2
    except Away as away:
        _complain(f"No answer: {away}")
        return 1
    except PathBudgetExceeded as exceeded:
        _complain(
            f"The law has more than {exceeded.budget:,} paths; count a crowd of games with --heads 10000, "
            f"and with another policy than {BEST} if you named it."
        )
        return 2
    return 0


@cache
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="arbiter", description="Rulings for tabletop skirmish games.")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, run: Callable[..., Iterable[str]], gist: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=gist, description=gist)
        made.set_defaults(run=run)
        if run not in (_serve, serve_game.serve_game, import_map.board, keys.run):
            made.add_argument("--json", action="store_true", help="print JSON")
        return made

    command("games", _games, "List the games and their questions.")

    for name, run, gist in (
        ("ask", _ask, "Ask a question: what happens, why, and what changes on the table."),
        ("odds", _odds, "Give the odds of every answer to a question."),
    ):
        made = command(name, run, gist)
        made.add_argument("game", help="name of the game, as `arbiter games` lists it")
        made.add_argument("question", help="name of the question")
        made.add_argument(
            "case",
            nargs="?",
            help="file with the case, or the whole body, as JSON or YAML; - reads standard input; without it the case "
            "is made from options such as --shooter recruit:carbine --target trooper",
        )
        made.add_argument("--given", nargs="+", action="extend", default=[], metavar="FACT=VALUE", help=GIVEN_HELP)
        made.add_argument("--assume", choices=("nothing", "usual"), help=ASSUME_HELP)
        made.add_argument("--seed", help="seed of the dice")
        made.add_argument("--readings", nargs="+", action="extend", default=[], metavar="ID=OPTION")
        by_best = f"; {BEST} takes the option of the best expected worth" if name == "odds" else ""
        made.add_argument(
            "--policies",
            nargs="+",
            action="extend",
            default=[],
            metavar="WHO=POLICY",
            help=f"the policy that chooses for a side, * for all sides{by_best}",
        )
        if name == "ask":
            made.add_argument("--dice", nargs="+", action="extend", default=[], metavar="LABEL=FACE,FACE")
            made.add_argument("--choose", nargs="+", action="extend", default=[], metavar="LABEL=OPTION")
            made.add_argument("--svg", metavar="FILE", help="draw the ruling into this file")
            made.add_argument("--odds", action="store_true", help="give the odds, as `arbiter odds` does")
        else:
            made.add_argument("--heads", type=int, help="count a crowd of this many games instead of the exact law")
            made.add_argument(
                "--vary", nargs="+", action="extend", default=[], metavar="PLACE=VALUE,VALUE", help=VARY_HELP
            )

    for name, gist in (
        ("simulate", "Play a question many times, and count the results."),
        ("sweep", "Simulate at several points: what changes with the case, policies or readings?"),
    ):
        made = command(name, simulate.simulate, gist)
        simulate.add_arguments(made, sweep=name == "sweep")

    made = command("show", _show, "Show an answer of the service: rulings, odds, simulations, jobs, problems.")
    made.add_argument("answer", nargs="?", default="-", help="file with the answer; - or nothing reads standard input")
    made.add_argument("--svg", metavar="FILE", help="draw a ruling into this file; needs its case")
    made.add_argument(
        "--case", help="file with the case, or the whole body, of the ruling: for its names and its picture"
    )

    for name, run, gist in (
        ("rules", _rules, "Look a question up in the rules, in your own words, or a rule by its id."),
        ("readings", _readings, "List the unclear passages of a text, and their readings."),
    ):
        made = command(name, run, gist)
        made.add_argument("game", help="name of the game")
        if name == "rules":
            made.add_argument("query", help="a question, or the id of a unit, rule or reading")
    made = command(
        "import", import_map.board, "Make a board from a map that was drawn for a virtual tabletop, as JSON."
    )
    import_map.add_arguments(made)
    made = command("verify", verify.verify, "Check a signed ruling: its signature, its dice, and the ruling itself.")
    verify.add_arguments(made)
    command("signing-key", verify.signing_key, "Make the secrets with which a service signs and commits to dice.")
    keys.add_arguments(command("keys", keys.run, "Make, list and revoke the keys of callers."))
    command("serve", _serve, "Start the whole service: gateway, worker and store.")
    made = command("serve-game", serve_game.serve_game, "Start one game as a separate service, behind a gateway.")
    serve_game.add_arguments(made)
    return parser


def _games(arguments: argparse.Namespace, games: Games) -> Iterable[str]:
    if arguments.json:
        return [
            _json(
                [{"name": each.name, "title": each.title, "questions": list(each.questions)} for each in games.values()]
            )
        ]
    return rendering_text.games(games.values())


def _ask(arguments: argparse.Namespace, games: Games) -> Iterable[str]:
    game = _game(arguments.game, games)
    question = game.question(arguments.question)
    if arguments.odds:
        arguments.heads, arguments.vary = None, []
        return _odds(arguments, games)
    posted = body_at_table(arguments, game)
    hand = {label: [face(each) for each in faces.split(",")] for label, faces in pairs(arguments.dice)}
    seed = {} if arguments.seed is None else {"seed": arguments.seed}
    add(posted, "dice", {**seed, **({"hand": hand} if hand else {})})
    choices: dict[str, list[Any]] = {}
    for label, chosen in pairs(arguments.choose):
        choices.setdefault(label, []).append(option(chosen))
    add(posted, "choices", choices)
    ask = codec.decode_object(ask_type(question), posted)
    made = game.ask(question.name, ask, seed=secrets.token_hex(8), posted=lambda: posted["case"]["scene"])
    if arguments.svg:
        pictures.draw(game, ask.case, codec.encode(made), arguments.svg)
    if arguments.json:
        return [_json(made)]
    return [*_drawing(game, ask.case), *rendering_text.ruling(made, game, posted["case"].get("scene"))]


def _odds(arguments: argparse.Namespace, games: Games) -> Iterable[str]:
    game = _game(arguments.game, games)
    question = game.question(arguments.question)
    if not question.dice:
        raise Unreadable(f"{question.name} is decided without dice; ask it for its answer")
    # The dice of one game do not affect odds. Choices would, and are refused as unknown.
    posted = {name: part for name, part in body_at_table(arguments, game, usual=True).items() if name != "dice"}
    if arguments.heads is not None:
        posted["heads"] = arguments.heads
    if arguments.seed is not None:
        posted["seed"] = face(arguments.seed)
    add(posted, "vary", varied_places(arguments.vary))
    ask = codec.decode_object(odds_type(question), posted)
    if ask.vary:
        law = game.odds_table(question.name, ask, odds_points(game, question.name, ask, codec.encode(posted)), PATHS)
    else:
        law = game.odds(question.name, ask, PATHS)
    return [_json(law)] if arguments.json else rendering_text.odds(law)


def _show(arguments: argparse.Namespace, games: Games) -> Iterable[str]:
    answer = file(arguments.answer)
    if arguments.svg:
        pictures.draw_answer(answer, arguments, games)
    if arguments.json:
        return [_json(answer)]
    game = games.get(str(answer.get("game"))) if isinstance(answer, dict) else None
    scene = None if arguments.case is None else pictures.body_of(arguments.case)["case"].get("scene")
    ruling: Callable[[Any], Iterable[str]] = partial(rendering_text.ruling, game=game, scene=scene)
    for type_, shown in ((Ruling[Any], ruling), *_SHOWN):
        try:
            return shown(msgspec.convert(answer, type_))
        except msgspec.ValidationError:
            continue
    if isinstance(answer, dict) and {"id", "state", "progress", "kind"} <= answer.keys():
        return simulation_text.job(answer)
    if isinstance(answer, dict) and "errors" in answer:
        raise Problem(answer)
    raise Unreadable("that is not a ruling, odds, a simulation or a job; `--json` shows it as it is")


_SHOWN: tuple[tuple[Any, Callable[[Any], Iterable[str]]], ...] = (
    (Odds[Any], rendering_text.odds),
    (Simulated[Any], simulation_text.simulation),
)


def _rules(arguments: argparse.Namespace, games: Games) -> Iterable[str]:
    # Only a look-up needs the index, numpy and templates, whose import takes as long as all the rest.
    from arbiter.sources.catalogue import catalogue_of, look_up
    from arbiter.sources.lookup.words import MOST_CHARACTERS
    from rendering import lookup_text

    catalogue = catalogue_of(_game(arguments.game, games))
    if entry := catalogue.by_id.get(arguments.query):
        card = catalogue.cards.card(entry)
        return [_json(card) if arguments.json else lookup_text.plain(lookup_text.card(card)).rstrip()]
    if len(arguments.query) > MOST_CHARACTERS:
        raise Unreadable(
            f"a question has at most {MOST_CHARACTERS:,} characters; this one has {len(arguments.query):,}"
        )
    answer = look_up([catalogue], arguments.query)
    return [_json(answer) if arguments.json else lookup_text.plain(lookup_text.answer(answer)).rstrip()]


def _readings(arguments: argparse.Namespace, games: Games) -> Iterable[str]:
    readings = tuple(_game(arguments.game, games).readings.by_id.values())
    return [_json(readings)] if arguments.json else rendering_text.readings(readings)


def _serve(arguments: argparse.Namespace, games: Games) -> Iterable[str]:
    # Only this command needs the programs of the service.
    from cli.serve import main as serve

    raise SystemExit(serve())


def _game(name: str, games: Games) -> Arbiter:
    if name not in games:
        raise UnknownName("game", name, games)
    return games[name]


def _drawing(game: Arbiter, case: Any) -> Iterable[str]:
    """Draw the table of a case, for a game that can draw."""
    module = f"{game.package}.board_text"
    return [str(import_module(module).draw(case.scene)), ""] if find_spec(module) else []


def _json(value: Any) -> str:
    return msgspec.json.format(codec.encode(value), indent=2).decode()


def _complain(*lines: str) -> None:
    for text in lines:
        print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
