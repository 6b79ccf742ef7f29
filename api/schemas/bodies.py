"""The types of the bodies that are posted to a question, to its odds and to its simulations."""

from collections.abc import Callable
from functools import cache
from typing import Any, Generic, TypeVar, cast, get_type_hints

import msgspec

from api.schemas import codec
from api.schemas.sweep_points import DEEPEST_VARIED, count_points, read_points
from arbiter.game import Arbiter
from arbiter.question import Ask, AskOdds, Question
from arbiter.simulation.simulate import Simulate
from arbiter.value import Value
from workers.jobs.work import Kind
from workers.webhooks.callback import Callback

C = TypeVar("C")


class Simulation(Simulate[C], Generic[C], frozen=True):
    """A question to play `count` times: the case, and how choices and unclear passages are decided.

    `metrics` names what is counted, by default everything that the question counts. With `vary`, a sweep: JSON Pointers
    into this body (below `/case`, `/policies` or `/readings`), each with the values to take there; every combination is
    a point, and each point plays the same `count` games from the same seeds. `callback` is called when the job ends; it
    does not affect the result.
    """

    callback: Callback | None = None


class AskLater(Ask[C], Generic[C], frozen=True):
    """A question from a client that prefers a job; `callback` is called when the job ends."""

    callback: Callback | None = None


class AskOddsLater(AskOdds[C], Generic[C], frozen=True):
    """Odds from a client that prefers a job; `callback` is called when the job ends."""

    callback: Callback | None = None


class AskPicture(Value, Generic[C], frozen=True):
    """A scene to draw: a case with only a scene."""

    case: C


def without_callback(posted: bytes) -> bytes:
    """Give a body without its callback, which is not part of the question."""
    body = msgspec.json.decode(posted)
    if "callback" not in body:
        return posted
    return msgspec.json.encode({name: part for name, part in body.items() if name != "callback"})


def ask_type(question: Question[Any, Any, Any]) -> Any:
    """Give the type of the body of a question."""
    return cast(Any, Ask)[question.case]


def odds_type(question: Question[Any, Any, Any]) -> Any:
    """Give the type of the body of a question's odds."""
    return cast(Any, AskOdds)[question.case]


def odds_points(
    game: Arbiter, question: str, ask: AskOdds[Any], body: bytes, watch: Callable[[], None] = lambda: None
) -> list[AskOdds[Any]]:
    """Give the body of a table of odds at each of its points, each prepared; raises `Faults`.

    `watch` is called before each point.
    """
    if codec.deeper(msgspec.json.decode(body)["vary"], DEEPEST_VARIED):
        codec.decode(odds_type(game.question(question)), body, deepest=DEEPEST_VARIED)
    count_points(ask.vary)

    def point(at_point: AskOdds[Any]) -> AskOdds[Any]:
        watch()
        game.refuse_odds(question, at_point)
        return at_point

    posted = msgspec.json.decode(without_callback(body))
    return read_points(odds_type(game.question(question)), posted, ask.vary, point)


def later_type(question: Question[Any, Any, Any], kind: Kind) -> Any:
    """Give the type of the body of a question, or of its odds, from a client that prefers a job."""
    return cast(Any, AskLater if kind == "ruling" else AskOddsLater)[question.case]


def simulation_type(question: Question[Any, Any, Any]) -> Any:
    """Give the type of the body of a question's simulations."""
    return cast(Any, Simulation)[question.case]


@cache
def picture_type(game: Arbiter) -> Any:
    """Give the type of the body that requests a picture of a game's scene."""
    case = msgspec.defstruct("PictureCase", [("scene", scene_type(game))], bases=(Value,), frozen=True)
    return cast(Any, AskPicture)[case]


def scene_type(game: Arbiter) -> Any:
    """Give the type of a game's scenes; `LookupError` if its questions have none."""
    for question in game.questions.values():
        if (scene := get_type_hints(question.case).get("scene")) is not None:
            return scene
    raise LookupError(f"{game.name} has no scenes")
