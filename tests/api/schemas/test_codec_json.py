"""What travels, as JSON: text that is none, what JSON does not have, depth, what is told and at which cost."""

import json
from datetime import date
from itertools import product
from typing import Any

import pytest

from api.schemas import codec
from api.schemas.field_errors import MOST_FAULTS
from arbiter.fault import Faults
from tests.api.family import Node
from tests.api.pieces import Board, Piece, faults, told


def test_what_is_not_json_is_reported_as_such() -> None:
    bodies = [
        b"",
        b" \n",
        b"{",
        b'{"x": 1',
        b'{"x": 1} x',
        b'{"x": 1,}',
        b"{'x': 1}",
        b'{"x": 01}',
        b'{"x": .5}',
        b'\xef\xbb\xbf{"x": 1}',
        b'{"x": 1}'.decode().encode("utf-16"),
        b'{"x": 1, "kind": "\xff"}',
        b"nul",
        b'"\x01"',
        b'{"x": 1, "kind": "\xed\xa0\x80"}',
        b'{"x": 1, "kind": "\\x"}',
        b"\x00",
        b"[1 2]",
        b"{1: 2}",
        b'{"x": +1}',
    ]
    for body in bodies:
        for wanted in (Piece, Board, Any):
            (fault,) = faults(wanted, body)
            assert (fault.pointer, fault.code) == ("", "not-json"), body
            codec.encode(fault)


def test_where_json_ends_is_told() -> None:
    (fault,) = faults(Piece, '{"x": 1,\n "kind" "wall"}')
    assert "line 2, column 9" in fault.message
    assert '"kind" "wall"' in fault.seen


def test_numbers_that_are_not_finite_are_reported_at_their_place() -> None:
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000):
        assert told(Board, f'{{"name": "a", "pieces": [{{"x": {number}}}]}}') == {("/pieces/0/x", "not-finite")}
        assert told(Board, f'{{"name": "a", "extra": [0, {{"b": {number}}}]}}') == {("/extra/1/b", "not-finite")}


def test_half_characters_are_told_at_their_place() -> None:
    seen = faults(Board, '{"name": "\\ud800", "extra": {"\\udc00": "a\\ud83d"}}')
    assert {(fault.pointer, fault.code) for fault in seen} == {("/name", "not-text"), ("/extra/?", "not-text")}
    assert len(seen) == 3
    codec.encode(seen)
    assert told(Piece, '{"\\udfff": 1, "x": 1, "kind": "\\ud800"}') == {
        ("/?", "not-text"),
        ("/?", "unknown-field"),
        ("/kind", "not-text"),
        ("/kind", "not-one-of"),
    }


def test_a_repeated_field_is_told_in_a_body_that_is_refused() -> None:
    assert told(Piece, '{"x": 1, "x": 11}') == {("/x", "duplicate-field"), ("/x", "too-large")}
    assert told(Piece, '{"x": "bad", "x": 1}') == {("/x", "duplicate-field")}


def test_deep_bodies_are_refused_as_too_deep() -> None:
    for depth, text, where in product(
        (65, 200, 900, 5_000, 100_000),
        ("[{}]", '{{"a": {}}}'),
        ("{}", '{{"name": "a", "extra": {}}}', '{{"name": {}}}'),
    ):
        left, right = text.format("\0").split("\0")
        body = where.format(left * depth + "0" + right * depth)
        for wanted in (Board, Any, Node):
            assert {fault.code for fault in faults(wanted, body)} == {"too-deep"}, (depth, text, where)


def test_the_depth_that_is_allowed_is_allowed_to_its_last_level() -> None:
    for deepest in (8, 64, 300):
        within = "[" * (deepest - 1) + "]" * (deepest - 1)
        board = codec.decode(Board, f'{{"name": "a", "extra": {within}}}'.encode(), deepest=deepest)
        assert codec.decode_object(Board, {"name": "a", "extra": board.extra}, deepest=deepest) == board
        assert told(Board, f'{{"name": "a", "extra": [{within}]}}', deepest=deepest) == {
            ("/extra" + "/0" * (deepest - 1), "too-deep")
        }
        with pytest.raises(Faults):
            codec.decode_object(Board, {"name": "a", "extra": [board.extra]}, deepest=deepest)


def test_a_struct_that_recurs_may_be_as_deep_as_allowed_with_its_faults_told_at_the_bottom() -> None:
    def nested(levels: int, bottom: str) -> str:
        return '{"next": ' * levels + bottom + "}" * levels

    assert isinstance(codec.decode(Node, nested(63, "{}").encode()), Node)
    assert told(Node, nested(63, '{"name": "abcd"}')) == {("/next" * 63 + "/name", "too-long")}
    assert told(Node, nested(64, "{}")) == {("/next" * 64, "too-deep")}


# How much is told, and what that costs


def test_only_so_many_faults_are_told_and_the_rest_is_counted() -> None:
    body = json.dumps({"name": "a", "pieces": [{"x": 11}] * 150})
    seen = faults(Board, body)
    assert len(seen) == MOST_FAULTS + 1
    assert {fault.code for fault in seen[:-1]} == {"too-large"}
    assert (seen[-1].code, seen[-1].message) == ("more-faults", "there are 50 more faults")
    assert len(faults(Board, json.dumps({"name": "a", "pieces": [{"x": 11}] * MOST_FAULTS}))) == MOST_FAULTS
    assert "at least" in faults(Board, json.dumps({"name": "a", "pieces": [{"x": 11}] * 5000}))[-1].message


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "a", "pieces": [' + "{}," * 10_000 + "0]}",
        '{"name": "a", "pieces": [' + '{"kimd": 1},' * 2_700 + "0]}",
        '{"name": "a", "pieces": [' + '{"x": 1},' * 3_700 + '{"x": 11}]}',
        '{"name": "a", "pieces": [' + "NaN," * 8_000 + "0]}",
        '{"name": 1, "extra": [' + '{"a": 1, "a": 1},' * 2_000 + "0]}",
        '{"name": 1, "extra": ' + "[" * 15_000 + "]" * 15_000 + "}",
        "{" + ", ".join(f'"piece{index}": 1' for index in range(2_200)) + "}",
        '{"name": 1, "extra": "' + '\\"' * 15_000,
    ],
)
def test_however_much_is_wrong_only_so_much_is_told(body: str) -> None:
    assert 1 <= len(faults(Board, body)) <= MOST_FAULTS + 1


# Values that are parsed already


def test_an_object_is_read_like_a_body() -> None:
    assert codec.decode_object(Piece, {"x": 3}) == Piece(3)
    assert codec.decode_object(tuple[int, ...], (1, 2)) == (1, 2)
    with pytest.raises(Faults) as caught:
        codec.decode_object(Piece, {"x": True, "kind": "wal"})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        ("/x", "wrong-type"),
        ("/kind", "not-one-of"),
    ]


@pytest.mark.parametrize(
    ("extra", "pointer", "code"),
    [
        (float("nan"), "/extra", "not-finite"),
        ([float("inf")], "/extra/0", "not-finite"),
        (date(2026, 11, 1), "/extra", "wrong-type"),
        ({"a": {1, 2}}, "/extra/a", "wrong-type"),
        ({1: "a"}, "/extra/1", "wrong-type"),
        (b"bytes", "/extra", "wrong-type"),
        ("\ud800", "/extra", "not-text"),
        (Piece(1), "/extra", "wrong-type"),
        ([10**5000], "/extra/0", "not-finite"),
    ],
)
def test_an_object_holds_only_what_json_has(extra: Any, pointer: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        codec.decode_object(Board, {"name": "a", "extra": extra})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(pointer, code)]
    codec.encode(caught.value.faults)


def test_an_object_that_holds_itself_is_too_deep() -> None:
    knot: list[Any] = []
    knot += [knot, knot]
    with pytest.raises(Faults) as caught:
        codec.decode_object(Board, {"name": "a", "extra": knot})
    assert {fault.code for fault in caught.value.faults} == {"too-deep", "more-faults"}
