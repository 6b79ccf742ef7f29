"""The page of a question from the registry, with a worked example: the first with ground on its board, if there is one.

The example is decided and drawn like the permalink of its ruling.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import msgspec

from arbiter.asking.short_forms import forms_of
from arbiter.drawing import Shape
from arbiter.facts import FactCase
from arbiter.game import ENGINE, Arbiter
from arbiter.json import encode, read_custom
from arbiter.question import Ask
from arbiter.ruling import Ruling
from arbiter.sources import examples as sources_examples
from arbiter.sources.catalogue import GameCatalogue
from arbiter.sources.lookup.entries import Kind
from rendering.docs_page import Example, Passage, QuestionPage, Rests, TypeTable
from rendering.pictures import answers, scenes
from rendering.pictures.svg import svg
from rendering.stored_ruling import StoredRuling
from rendering.view import body_lines, view_of

MOST_OF_BODY = 20_000
"""Characters of an example's body that its page shows."""


class Documented(NamedTuple):
    """The documentation of a question: its page, the body of its example, and the picture of that."""

    page: QuestionPage
    body: bytes
    picture: bytes


def document(
    catalogue: GameCatalogue, name: str, posted: Sequence[TypeTable], answered: Sequence[TypeTable], *, opens: bool
) -> Documented:
    """Document a question whose types have these tables; `opens` says whether the table can open scenes of the game."""
    game, question, examples = catalogue.game, catalogue.game.questions[name], catalogue.examples[name]
    index = _index(game, examples)
    body = encode(examples[index].ready_body()) if examples else b""
    table = f"/table#g={game.name}&e={name}.{index}" if opens else ""
    shown, picture = _example(game, name, examples[index].title, body, table) if examples else (None, b"")
    forms = forms_of(game)
    page = QuestionPage(
        name=name,
        gist=question.gist,
        dice=question.dice,
        facts=issubclass(question.case, FactCase),
        short=forms is not None and name in forms.questions,
        example=shown,
        examples=tuple(each.title for each in examples),
        posted=tuple(posted),
        answered=tuple(answered),
        rests=_rests(catalogue, name),
    )
    return Documented(page, body, picture)


def _index(game: Arbiter, examples: Sequence[sources_examples.Example]) -> int:
    """Choose the example that a page shows: the first with ground on its board, else with a board, else the first."""
    with_board: int | None = None
    for index, example in enumerate(examples):
        case = msgspec.convert(example.case, game.questions[example.question].case)
        drawing = scenes.of_scene(game, case.scene) if hasattr(case, "scene") else None
        if drawing is not None:
            if any(isinstance(mark, Shape) for mark in drawing.marks):
                return index
            with_board = index if with_board is None else with_board
    return with_board or 0


def _example(game: Arbiter, question: str, title: str, body: bytes, table: str) -> tuple[Example, bytes]:
    """Decide an example; give the content of its page, and its picture if there is a board."""
    ask_type = cast(Any, Ask)[game.questions[question].case]
    ask = msgspec.json.decode(body, type=ask_type, dec_hook=read_custom)
    scene = msgspec.json.decode(body)["case"].get("scene")
    answer = game.ask_json(question, ask, seed=sources_examples.SEED, posted=lambda: scene)
    stored = StoredRuling("ruling", game.name, question, game.edition, ENGINE, 0.0, body, answer)
    view, made = view_of(stored, {game.name: game}), answers.read(Ruling[Any], answer)
    assert view is not None, "this version has made the ruling"
    drawing = answers.draw(game, ask.case, made)
    shared, table = answers.preview(drawing, made, view.verdict, ""), "" if scene is None else table
    shown = Example(title, shared.said, shared.sentence, shared.picture, view, body_lines(stored, MOST_OF_BODY), table)
    return shown, b"" if drawing is None else svg(drawing, "auto", "focus", head=False)


def _rests(catalogue: GameCatalogue, question: str) -> Rests:
    kinds: dict[Kind, list[Passage]] = {"rule": [], "unit": [], "reading": []}
    for entry in catalogue.grounds(question):
        kinds[entry.kind].append(Passage(entry.id, entry.gist))
    return Rests(*map(tuple, (kinds["rule"], kinds["unit"], kinds["reading"])))
