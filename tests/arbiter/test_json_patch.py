"""Patches: applied by an independent library to the document as it was posted, they give the scene after."""

from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.json_patch import of_scenes, patch
from arbiter.value import Value


class Token(Value, frozen=True):
    id: int
    value: int | None = 0


class Row(Value, frozen=True):
    id: str
    wounds: int = 0
    note: str | None = None
    place: tuple[int, int] | None = (0, 0)
    tokens: tuple[Token, ...] = ()


class Scene(Value, frozen=True):
    rows: tuple[Row, ...] = ()
    turn: int | None = 1
    loose: dict[str, int] = {}
    pairs: tuple[tuple[int, int], ...] = ()


SMALL = st.integers(0, 2)
TOKENS = st.builds(Token, id=SMALL, value=st.none() | SMALL)
ROWS = st.builds(
    Row,
    id=st.sampled_from(["a", "b", "c/d", "e~f"]),
    wounds=SMALL,
    note=st.none() | st.just("n"),
    place=st.none() | st.tuples(SMALL, SMALL),
    tokens=st.lists(TOKENS, max_size=2).map(tuple),
)
SCENES = st.builds(
    Scene,
    rows=st.lists(ROWS, max_size=4).map(tuple) | st.lists(ROWS, max_size=4, unique_by=lambda row: row.id).map(tuple),
    turn=st.none() | SMALL,
    loose=st.dictionaries(st.sampled_from(["x", "y/z", ""]), SMALL),
    pairs=st.lists(st.tuples(SMALL, SMALL), max_size=2).map(tuple),
)


def whole(value: Any) -> Any:
    """Give a value as JSON, every default spelled out."""
    return msgspec.json.decode(msgspec.json.encode(value))


@st.composite
def posted(draw: st.DrawFn, value: Any) -> Any:
    """Give a value as a client may have written it: members that hold their default may be missing."""
    if isinstance(value, tuple):
        return [draw(posted(part)) for part in value]
    if not isinstance(value, Value):
        return value
    members = {}
    for field in msgspec.structs.fields(value):
        held = getattr(value, field.name)
        is_default = not field.required and held == (
            field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        )
        if not (is_default and draw(st.booleans())):
            members[field.name] = draw(posted(held))
    return members


def steps(before: Value, after: Value, document: Any) -> list[dict[str, Any]]:
    found = patch(whole(before), whole(after), document)
    return msgspec.json.decode(msgspec.json.encode(found))


@given(before=SCENES, after=SCENES, data=st.data())
def test_patch_leads_from_the_posted_document_to_the_scene_after(
    before: Scene, after: Scene, data: st.DataObject
) -> None:
    document = data.draw(posted(before))
    found = steps(before, after, document)
    untouched = whole(document)
    assert msgspec.convert(jsonpatch.apply_patch(document, found), Scene) == after
    assert document == untouched
    assert (found == []) == (before == after)


@given(before=SCENES, changes=st.lists(st.sampled_from(["wound", "remove", "add"]), max_size=4), data=st.data())
def test_patch_changes_what_a_game_changes(before: Scene, changes: list[str], data: st.DataObject) -> None:
    """The changes of play: rows are wounded, taken off and put on, anywhere among the others."""
    rows = list(before.rows)
    for number, change in enumerate(changes):
        at = data.draw(st.integers(0, len(rows)))
        if change == "add":
            rows.insert(at, Row(f"new {number}", 1))
        elif at < len(rows) and change == "remove":
            del rows[at]
        elif at < len(rows):
            rows[at] = msgspec.structs.replace(rows[at], wounds=rows[at].wounds + 1)
    after = msgspec.structs.replace(before, rows=tuple(rows))
    document = data.draw(posted(before))
    assert msgspec.convert(jsonpatch.apply_patch(document, steps(before, after, document)), Scene) == after


A, B, C = Row("a"), Row("b"), Row("c")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((A, B), (A, B), []),
        (
            (A, B),
            (A, Row("b", 2)),
            [{"op": "test", "path": "/rows/1/id", "value": "b"}, {"op": "add", "path": "/rows/1/wounds", "value": 2}],
        ),
        (
            (A, B, C),
            (B,),
            [
                {"op": "test", "path": "/rows/2/id", "value": "c"},
                {"op": "remove", "path": "/rows/2", "value": None},
                {"op": "test", "path": "/rows/0/id", "value": "a"},
                {"op": "remove", "path": "/rows/0", "value": None},
            ],
        ),
        (
            (A, B),
            (A, Row("b", place=None)),
            [{"op": "test", "path": "/rows/1/id", "value": "b"}, {"op": "add", "path": "/rows/1/place", "value": None}],
        ),
        ((A, C), (A, B, C), [{"op": "add", "path": "/rows/1", "value": whole(B)}]),
        ((A, B), (B, A), [{"op": "add", "path": "/rows", "value": whole((B, A))}]),
        ((A,), (A, A), [{"op": "add", "path": "/rows", "value": whole((A, A))}]),
        ((A, A), (A, Row("a", 2)), [{"op": "add", "path": "/rows", "value": whole((A, Row("a", 2)))}]),
    ],
)
def test_patch_is_what_one_would_write_by_hand(before: Any, after: Any, expected: list[dict[str, Any]]) -> None:
    assert steps(Scene(before), Scene(after), {"rows": [{"id": row.id} for row in before]}) == expected


def test_a_list_that_was_left_out_is_set_whole() -> None:
    assert steps(Scene(), Scene((A,)), {}) == [{"op": "add", "path": "/rows", "value": whole((A,))}]


def test_rows_that_were_posted_without_their_ids_are_set_whole() -> None:
    assert steps(Scene((A,)), Scene((Row("a", 1),)), {"rows": [{}]}) == [
        {"op": "add", "path": "/rows", "value": whole((Row("a", 1),))}
    ]


def test_a_member_of_an_open_object_is_removed() -> None:
    before, after = Scene(loose={"x": 1, "y/z": 2}), Scene(loose={"x": 1})
    assert steps(before, after, whole(before)) == [{"op": "remove", "path": "/loose/y~1z", "value": None}]


def test_a_table_that_has_moved_on_is_refused() -> None:
    found = steps(Scene((A, B)), Scene((A, Row("b", 2))), {"rows": [{"id": "a"}, {"id": "b"}]})
    with pytest.raises(jsonpatch.JsonPatchTestFailed):
        jsonpatch.apply_patch({"rows": [{"id": "b"}, {"id": "a"}]}, found)


@given(before=SCENES, after=SCENES, same=st.sets(st.sampled_from(["rows", "turn", "loose", "pairs"])), data=st.data())
def test_what_is_the_very_same_makes_no_difference(
    before: Scene, after: Scene, same: set[str], data: st.DataObject
) -> None:
    after = msgspec.structs.replace(after, **{name: getattr(before, name) for name in same})
    document = data.draw(posted(before))
    assert of_scenes(before, after, lambda: document) == patch(whole(before), whole(after), document)
    assert of_scenes(before, after) == patch(whole(before), whole(after), whole(before))


def test_what_stays_is_not_written_out() -> None:
    unwritable: Any = {"x": object()}
    before, after = Scene(turn=1, loose=unwritable), Scene(turn=2, loose=unwritable)
    assert [(step.op, step.path, step.value) for step in of_scenes(before, after)] == [("add", "/turn", 2)]
