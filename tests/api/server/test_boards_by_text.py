"""Boards known by their text: whoever asks cannot tell, whatever is written around a board or in its place."""

import json
from hashlib import sha256
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from api.arbiters.local import LocalArbiter
from api.caching.board_store import InMemory
from api.caching.etags import tag_of
from api.resources.boards import BoardLibrary
from api.schemas.bodies import ask_type
from api.schemas.scenes import Bodies
from api.server.boards_by_text import MOST_ALIKE, BoardTexts
from api.settings import Settings
from arbiter import registry
from arbiter.fault import Faults
from arbiter.game import Arbiter
from arbiter.sources.catalogue import asked, shelf_for

GAME = registry.alone("blackstone-fortress")
SETTINGS = Settings(log_level="error")
BOARD = {"hexes": [[q, r] for q in range(6) for r in range(4)], "walls": [[[2, 1], [3, 1]]]}
K = json.dumps(BOARD)
MANY, LEAST = 1_000_000, 64


def texts(*known: str, most: int = MANY) -> BoardTexts:
    found = BoardTexts(most, least_bytes=LEAST)
    for each in known:
        found.learn(each.encode())
    return found


def arbiter(known: BoardTexts | None, game: Arbiter = GAME) -> LocalArbiter:
    shelf = BoardLibrary(InMemory(SETTINGS), SETTINGS)
    return LocalArbiter(game, SETTINGS, Bodies(game, shelf, SETTINGS, texts=known or BoardTexts(0)))


def sight(board: str = K, observer: str = "[0, 0]") -> str:
    return f'{{"case": {{"scene": {{"board": {board}}}, "observer": {observer}, "targets": [[5, 3]]}}}}'


def told(here: LocalArbiter, body: str, question: str = "line-of-sight") -> Any:
    try:
        return here.ask(question, body.encode(), "").body
    except Faults as wrong:
        return wrong.faults


def read(here: LocalArbiter, body: str) -> Any:
    """What is understood of a body, which may hold more than the ruling shows."""
    try:
        return here.bodies.read(ask_type(GAME.questions["line-of-sight"]), body.encode()).ask
    except Faults as wrong:
        return wrong.faults


def test_every_example_is_answered_alike_with_its_board_known(game: Arbiter) -> None:
    known = BoardTexts(MANY, least_bytes=LEAST)
    knowing, plain = arbiter(known, game), arbiter(None, game)
    for name, examples in shelf_for(game).examples.items():
        for each in examples[:6]:
            body = asked(each)
            spellings = [json.dumps(body).encode(), json.dumps(body, indent=1).encode()]
            first, again, otherwise = (knowing.ask(name, text, "").body for text in (*spellings[:1] * 2, spellings[1]))
            assert first == again == otherwise == plain.ask(name, spellings[0], "").body, (name, each.title)
            if len(json.dumps(body["case"].get("scene", {}).get("board", ""))) >= LEAST:
                assert known.lean(spellings[0]) is not None


def test_a_ruling_that_changes_the_board_says_so_in_its_patch(game: Arbiter) -> None:
    """Where some question of the game changes a board; the patch needs it as it was written."""
    knowing = arbiter(BoardTexts(MANY, least_bytes=LEAST), game)
    for name, examples in shelf_for(game).examples.items():
        for each in examples:
            body = json.dumps(asked(each)).encode()
            ruling = json.loads(knowing.ask(name, body, "").body)
            if any(step["path"].startswith("/board") for step in ruling["effects"]["patch"]):
                assert json.loads(knowing.ask(name, body, "").body) == ruling
                return


def test_it_is_known_in_another_scene_and_spelling_of_the_rest() -> None:
    known = texts()
    here = arbiter(known)
    assert known.lean(sight().encode()) is None
    first = told(here, sight())
    lean = known.lean(sight().encode())
    assert lean is not None
    assert len(lean.text) < len(sight()) - len(K) + 100
    assert told(here, sight()) == first
    assert told(here, sight(observer="[1, 2]")) == told(arbiter(None), sight(observer="[1, 2]")) != first
    blanks = sight().replace('"board": ', '"board"\n\t:  ')
    assert told(here, blanks) == first


@pytest.mark.parametrize(
    "body",
    [
        # The board somewhere else, or twice, or not whole, or with more behind it.
        sight().replace('"case"', f'"board": {K}, "case"'),
        sight().replace('"scene": ', f'"scene": {{"board": {K}}}, "scene": '),
        sight().replace('"scene": {', f'"scene": {{"board": {{}}, "board": {K}, "x": 1, '),
        sight().replace(f'"board": {K}', f'"board": {K}, "board": {{"hexes": [[0, 0], [5, 3]]}}'),
        sight().replace(f'"board": {K}', f'"board": {{"hexes": [[0, 0], [5, 3]]}}, "board": {K}'),
        sight().replace('"case"', f'"choices": {{"x": [{{"board": {K}}}]}}, "case"'),
        sight().replace('"case"', f'"choices": {{"board": {K}}}, "case"'),
        sight().replace('"case"', f'"choices": {{"x": [{"[" * 58}{{"board": {K}}}{"]" * 58}]}}, "case"'),
        sight()[:-1] + f', "choices": {{"x": [{{"board": {K}}}]}}}}',
        sight().replace('"observer"', f'"deep": [{{"board": {K}}}], "observer"'),
        sight().replace('"targets"', f'"explain": {{"board": {K}}}, "targets"'),
        sight(K[:-1]),
        sight(K + "}"),
        sight(K + "x"),
        sight(f"[{K}]"),
        sight(f'"{K}"'),
        sight(json.dumps(K)),
        sight(json.dumps(f'"board": {K}')),
        sight(observer=json.dumps(f'x "board": {K}')),
        sight(observer=f'"x "board": {K}"'),
        sight(K.replace("[2, 1]", "[2, 2]")),
        sight(K.replace('"walls"', '"wells"')),
        sight().replace(K, "null"),
        sight() + " ",
        sight() + "{}",
        sight()[:-1],
        sight() + "\x00",
        sight().replace("[[5, 3]]", '["nobody"]'),
        sight().replace("[[5, 3]]", "[[9, 9]]"),
    ],
)  # fmt: skip
def test_whatever_is_written_around_it_the_answer_is_that_of_who_knows_nothing(body: str) -> None:
    assert told(arbiter(texts(K)), body) == told(arbiter(None), body)
    assert read(arbiter(texts(K)), body) == read(arbiter(None), body)
    # Nor does it matter that scene and board have been seen together, whole and with the board known.
    seasoned = arbiter(texts())
    for _ in range(3):
        told(seasoned, sight())
    for _ in range(3):
        assert told(seasoned, body) == told(arbiter(None), body)
        assert read(seasoned, body) == read(arbiter(None), body)


def test_whoever_writes_a_mark_is_refused_like_anybody_who_writes_nonsense() -> None:
    known = texts(K)
    lean = known.lean(sight().encode())
    assert lean is not None
    mark = lean.board.marked.decode()
    # Nobody can know it; and if they did: no board is put in the place of a mark that we did not write.
    knowing = arbiter(known)
    told(knowing, sight())
    assert known.short(lean.text) != known.short(sight().encode())
    for body in (sight(mark), sight().replace('"case"', f'"board": {K}, "case"').replace(K, mark, 1)):
        faults = told(knowing, body)
        assert faults == told(arbiter(None), body)
        assert faults[0].pointer


def test_marks_are_never_the_same() -> None:
    marks = set()
    for _ in range(3):
        lean = texts(K).lean(sight().encode())
        assert lean is not None
        marks.add(lean.text)
    assert len(marks) == 3


def test_a_text_that_is_a_board_of_one_game_is_none_of_another() -> None:
    known = texts(K)
    other = registry.alone("warleague")
    (question, example), *_ = ((name, found[0]) for name, found in shelf_for(other).examples.items() if found)
    body = asked(example)
    body["case"]["scene"]["board"] = BOARD
    text = json.dumps(body)
    assert known.lean(text.encode()) is not None
    assert told(arbiter(known, other), text, question) == told(arbiter(None, other), text, question)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["board", "case", "scene", "a"]), inner)
    ),
    max_leaves=8,
)


@given(JSON, JSON, JSON, st.booleans(), st.booleans())
def test_a_tag_does_not_depend_on_what_is_known(
    board: Any, scene: Any, rest: Any, known_before: bool, elsewhere_too: bool
) -> None:
    # Shorter ones are never known.
    board = {**board, "padding": "-" * LEAST} if isinstance(board, dict) else board
    inside = {**(scene if isinstance(scene, dict) else {"s": scene}), "board": board}
    body = json.dumps({"r": {"board": board} if elsewhere_too else rest, "case": {"scene": inside}}).encode()
    known = texts(json.dumps(board)) if known_before else texts()
    expected = tag_of(GAME, "line-of-sight", "ruling", body, "json")
    for _ in range(2):
        assert tag_of(GAME, "line-of-sight", "ruling", body, "json", known) == expected
        if isinstance(board, dict):
            known.learn(json.dumps(board).encode())


def test_boards_and_what_is_around_them_are_told_apart_by_tags() -> None:
    turned = {"walls": BOARD["walls"], "hexes": BOARD["hexes"]}
    digest = {"sha256": sha256(rfc8785.dumps(json.loads(K))).hexdigest()}
    bodies = [
        {"case": {"scene": {"board": BOARD}}},
        {"case": {"scene": {"board": {**BOARD, "walls": []}}}},
        {"case": {"scene": {"board": digest}}},
        {"case": {"scene": {"board": digest["sha256"]}}},
        {"case": {"scene": {"board": None}}},
        {"case": {"scene": {}, "board": BOARD}},
        {"case": {"board": BOARD}},
        {"board": BOARD},
    ]
    for known in (None, texts(K)):
        tags = [tag_of(GAME, "line-of-sight", "ruling", json.dumps(body).encode(), "json", known) for body in bodies]
        assert len(set(tags)) == len(bodies)
        other = json.dumps({"case": {"scene": {"board": turned}}}).encode()
        assert tag_of(GAME, "line-of-sight", "ruling", other, "json", known) == tags[0]


def test_a_gateway_that_decides_nothing_knows_boards_by_the_questions_it_has_tagged() -> None:
    known = texts()
    body = sight().encode()
    assert known.lean(body) is None
    tag = tag_of(GAME, "line-of-sight", "ruling", body, "json", known)
    assert known.lean(body) is not None
    assert tag_of(GAME, "line-of-sight", "ruling", body, "json", known) == tag


def board_of(number: int, size: int = 100) -> str:
    return json.dumps({"hexes": [[0, 0]] * size, "number": number})


def test_no_more_bytes_are_known_than_may_be() -> None:
    each = len(board_of(10))
    known = BoardTexts(each * 10, least_bytes=LEAST)
    for number in range(10, 60):
        known.learn(json.dumps({"number": number, "hexes": [[0, 0]] * 100}).encode())
        assert known.size <= each * 10
    assert 5 <= known.size / each <= 10


def test_of_boards_that_begin_alike_those_are_known_that_were_used_last() -> None:
    boards = [board_of(number) for number in range(MOST_ALIKE + 2)]
    known = texts(*boards[:MOST_ALIKE])
    assert known.lean(sight(boards[0]).encode()) is not None
    for late in boards[MOST_ALIKE:]:
        known.learn(late.encode())
    seen = [known.lean(sight(each).encode()) is not None for each in boards]
    assert seen == [True, False, False, *[True] * (MOST_ALIKE - 1)]


def test_nothing_is_learned_that_is_short_or_long_or_no_board() -> None:
    known = BoardTexts(1_000, least_bytes=500)
    for text in (board_of(1, 10), board_of(1, 400), "[" + "1, " * 200 + "1]"):
        known.learn(text.encode())
        assert known.lean(sight(text).encode()) is None
    known.learn_from(b'{"case": {"scene": {"table": "%s"}}}' % (b"x" * 600))
    assert known.size == 0
    known.learn(board_of(1, 60).encode())
    assert known.size == len(board_of(1, 60))


def test_the_same_board_is_learned_once() -> None:
    known = texts(K, K)
    assert known.size == len(K)
