"""What travels, case by case: which bodies are refused, where, why and with what advice, and what the contract says."""

import json
import threading
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
import pytest
from jsonschema import Draft202012Validator
from marshmallow import ValidationError
from msgspec import Meta

from api.schemas import codec
from api.schemas.derive import field_of, schema_of
from api.schemas.json_schema import component_name, json_schema
from arbiter.fault import Fault
from arbiter.value import Value
from tests.api.family import Door, Kit, Node, Point, Posted, Side, Span, Unit, Wall
from tests.api.pieces import Board, Piece, Size, faults, told

# Good bodies


def test_a_body_becomes_the_struct() -> None:
    body = b'{"id": "a1", "side": "blue", "at": [2, -3], "wounds": 6, "speed": 4, "odds": "2/4"}'
    unit = codec.decode(Unit, body)
    assert unit == Unit("a1", "blue", (2, -3), 6, 4.0, odds=Fraction(1, 2))
    assert isinstance(unit.speed, float)
    assert schema_of(Unit)().load(json.loads(body)) == unit
    assert codec.decode_object(Unit, json.loads(body)) == unit


def test_names_on_the_wire_are_the_declared_ones() -> None:
    assert codec.decode(Door, b'{"atHex": [1, 2], "isOpen": true}') == Door((1, 2), True)
    assert told(Door, b'{"at_hex": [1, 2]}') == {("/at_hex", "unknown-field"), ("/atHex", "missing")}
    kit = codec.decode(Kit, b'{"units": [], "fields": 7}')
    assert kit.load == 7
    assert schema_of(Kit)().load({"units": [], "fields": 7}) == kit


def test_a_generic_struct_is_read_with_its_part() -> None:
    assert codec.decode(Posted[Span], b'{"case": {"low": 1, "high": 2}}') == Posted(case=Span(1, 2))
    assert told(Posted[Span], b'{"case": {"low": 1}, "note": "too long"}') == {
        ("/case/high", "missing"),
        ("/note", "too-long"),
    }


def test_of_a_repeated_field_the_last_counts_in_a_body_that_is_good() -> None:
    assert codec.decode(Piece, b'{"x": 1, "x": 2}') == Piece(2)


def test_a_union_with_anything_takes_anything() -> None:
    assert codec.decode(int | Any, b'[null, {"a": 1.5}]') == field_of(int | Any).deserialize([None, {"a": 1.5}])


def test_decoders_serve_many_threads() -> None:
    seen: list[set[tuple[str, str]]] = []
    bodies = [f'{{"x": {index + 11}}}' for index in range(8)]
    threads = [threading.Thread(target=lambda body=body: seen.append(told(Piece, body))) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [{("/x", "too-large")}] * 8


# Faults of the type


BOUNDS: list[tuple[Any, str, str, str]] = [
    (bool, "true", "1", "wrong-type"),
    (bool, "false", '"false"', "wrong-type"),
    (int, "5", "5.0", "wrong-type"),
    (int, "5", "5e0", "wrong-type"),
    (int, "-0", "true", "wrong-type"),
    (int, "1" * 4300, "1" * 4301, "not-finite"),
    (int, "18446744073709551616", '"18446744073709551616"', "wrong-type"),
    (float, "5", '"5"', "wrong-type"),
    (float, "1.7976931348623157e308", "1.8e308", "not-finite"),
    (float, "1" + "0" * 308, "1" + "0" * 309, "not-finite"),
    (float, "-1e-400", "false", "wrong-type"),
    (str, '"5"', "5", "wrong-type"),
    (str, '""', "null", "wrong-type"),
    (str | None, "null", "[]", "wrong-type"),
    (Size, "1", "0", "too-small"),
    (Size, "10", "11", "too-large"),
    (Annotated[int, Meta(gt=1, lt=10)], "2", "1", "too-small"),
    (Annotated[int, Meta(gt=1, lt=10)], "9", "10", "too-large"),
    (Annotated[int, Meta(ge=0)], "9223372036854775808", "-9223372036854775809", "too-small"),
    (Annotated[int, Meta(multiple_of=3)], "-6", "-5", "not-a-multiple"),
    (Annotated[float, Meta(ge=0.5)], "0.5", "0.49999999999999994", "too-small"),
    (Annotated[float, Meta(gt=0.5)], "0.5000000000000001", "0.5", "too-small"),
    (Annotated[float, Meta(lt=1)], "0.9999999999999999", "1", "too-large"),
    (Annotated[float, Meta(multiple_of=0.25)], "1.75", "1.8", "not-a-multiple"),
    (Annotated[str, Meta(min_length=2)], '"\U0001f3b2\U0001f3b2"', '"\U0001f3b2"', "too-short"),
    (Annotated[str, Meta(max_length=2)], '"\\ud83c\\udfb2a"', '"abc"', "too-long"),
    (Annotated[str, Meta(pattern="^a+$")], '"aa"', '"ab"', "pattern"),
    (Literal["a", 1, None], "1", "true", "wrong-type"),
    (Literal["a", 1, None], "null", "1.0", "wrong-type"),
    (Literal["a", 1, None], '"a"', '"b"', "not-one-of"),
    (Literal["a", 1, None], "1", "2", "not-one-of"),
    (Side, '"red"', '"RED"', "not-one-of"),
    (tuple[int, str], '[1, "a"]', '[1, "a", 2]', "too-long"),
    (tuple[int, str], '[1, "a"]', "[1]", "too-short"),
    (Annotated[tuple[int, ...], Meta(max_length=2)], "[1, 2]", "[1, 2, 3]", "too-long"),
    (Annotated[tuple[int, ...], Meta(min_length=1)], "[1]", "[]", "too-short"),
    (Annotated[dict[str, int], Meta(max_length=1)], '{"a": 1}', '{"a": 1, "b": 2}', "too-long"),
    (Annotated[dict[str, int], Meta(min_length=1)], '{"a": 1}', "{}", "too-short"),
    (int | float, "5.5", "null", "wrong-type"),
    (int | str, '"a"', "1.5", "wrong-type"),
    (tuple[int, int] | None, "null", "{}", "wrong-type"),
    (Fraction, '"7/12"', '"7/0"', "pattern"),
    (Fraction, '"-3"', '"1.5"', "pattern"),
    (Fraction, f'"{"1" * 4000}"', f'"{"1" * 4001}"', "too-long"),
    (Fraction, '"0"', '"07"', "pattern"),
    (Fraction, '"7/12"', '"7/12\\n"', "pattern"),
    (Fraction, '"7"', '"٧"', "pattern"),
    (Fraction, '"1/3"', "3", "wrong-type"),
    (Fraction | None, "null", "[]", "wrong-type"),
    (Annotated[str, Meta(pattern="b")], '"abc"', '"ac"', "pattern"),
    (dict[Annotated[str, Meta(max_length=1)], int], '{"a": 1}', '{"ab": 1}', "too-long"),
    (dict[Side, int], '{"red": 1}', '{"green": 1}', "not-one-of"),
    (dict[Literal["a"], int], '{"a": 1}', '{"b": 1}', "not-one-of"),
    (dict[str, Size], '{"a": 1}', '{"a": 0}', "too-small"),
    (tuple[Size, ...], "[1]", "[11]", "too-large"),
    (tuple[int, Size], "[0, 1]", "[0, 0]", "too-small"),
    (Door | int, "7", "{}", "missing"),
    (Door | int, '{"atHex": [0, 1]}', '"7"', "wrong-type"),
    (Door | None, "null", "[]", "wrong-type"),
    (Span, '{"low": 2, "high": 2}', '{"low": 2, "high": 1}', "impossible"),
]


def test_each_bound_takes_its_last_good_value_and_refuses_the_next() -> None:
    for wanted, good, bad, code in BOUNDS:
        parsed = json.loads(good)
        decoded = codec.decode(wanted, good.encode())
        assert field_of(wanted).deserialize(parsed) == decoded == codec.decode_object(wanted, parsed), (wanted, good)
        assert [fault.code for fault in faults(wanted, bad)] == [code], (wanted, bad)


def test_the_contract_has_every_bound() -> None:
    for wanted, good, bad, code in BOUNDS:
        components, (schema,) = json_schema([wanted])
        contract = Draft202012Validator({**schema, "components": {"schemas": components}})
        assert contract.is_valid(json.loads(good)), (wanted, good)
        # JSON Schema takes 5.0 for 5, and knows neither what a struct checks of itself nor how long a number may be.
        if bad not in {"5.0", "5e0", "1.0"} and code not in {"impossible", "not-finite"}:
            assert not contract.is_valid(json.loads(bad)), (wanted, bad)


def test_every_fault_is_told_at_once() -> None:
    body = {
        "units": [
            {"id": "A", "side": "green", "wounds": 31, "speed": "6", "colour": 1},
            {"id": "a", "side": "red", "at": [1, 2.5, 3], "role": "cook", "odds": 0.5},
            7,
        ],
        "terrain": [{"ends": [{"x": 49, "y": -1}]}, {"height": 3}],
        "by_name": {"long": 1, "a": -1, "b": 0},
        "by_side": {"green": {"x": 0, "y": 0}},
        "by_word": {},
        "mixed": {"height": 0, "ends": [{"x": 0, "y": 0}, {"x": 1, "y": 0}]},
        "node": {"inner": [{"inner": [{"name": "abcd"}]}]},
        "span": {"low": 3, "high": 2},
        "Number": 1,
    }
    assert told(Kit, json.dumps(body)) == {
        ("/Number", "unknown-field"),
        ("/units/0/id", "pattern"),
        ("/units/0/side", "not-one-of"),
        ("/units/0/wounds", "too-large"),
        ("/units/0/wounds", "not-a-multiple"),
        ("/units/0/speed", "wrong-type"),
        ("/units/0/colour", "unknown-field"),
        ("/units/1/at", "too-long"),
        ("/units/1/at/1", "wrong-type"),
        ("/units/1/role", "not-one-of"),
        ("/units/1/odds", "wrong-type"),
        ("/units/2", "wrong-type"),
        ("/terrain/0/ends", "too-short"),
        ("/terrain/0/ends/0/x", "too-large"),
        ("/terrain/0/ends/0/y", "too-small"),
        ("/terrain/1/ends", "missing"),
        ("/by_name/long", "too-long"),
        ("/by_name/a", "too-small"),
        ("/by_side/green", "not-one-of"),
        ("/by_word", "too-short"),
        ("/mixed/height", "too-small"),
        ("/node/inner/0/inner/0/name", "too-long"),
        ("/span", "impossible"),
    }


def test_a_fault_says_what_was_seen_what_is_asked_and_what_to_send() -> None:
    unknown, missing, size, kind = faults(tuple[Piece, Size, Literal["wall", "rock"]], '[{"xx": [1]}, 5.0, "Wall"]')
    assert unknown == Fault(
        "/0/xx", "unknown-field", "is not a field here", "[1]", "one of the fields x, kind", "did you mean x?"
    )
    assert missing == Fault("/0/x", "missing", "is missing", expected="a whole number, at least 0, at most 10")
    assert (size.seen, size.expected, size.hint) == (5.0, "a whole number, at least 1, at most 10", "write 5")
    assert (kind.seen, kind.expected, kind.hint) == ("Wall", 'one of "rock", "wall"', "did you mean wall?")


def test_hints() -> None:
    for wanted, bad, hint in (
        (int, '"12"', "write 12 without quotes"),
        (float, '"-3"', "write -3 without quotes"),
        (int, "1e3", "write 1000"),
        (str, "12", "put it in quotes"),
        (bool, '"True"', "write true without quotes"),
        (int, '"twelve"', ""),
        (Literal["wall", "rock"], '"river"', ""),
    ):
        assert [fault.hint for fault in faults(wanted, bad)] == [hint], (wanted, bad)


def test_null_for_a_field_with_a_default_is_told_to_leave_it_out() -> None:
    assert [fault.hint for fault in faults(Piece, '{"x": null, "kind": null}')] == [
        "",
        "leave the field out to get its default",
    ]


def test_a_hint_names_no_field_that_is_there_already() -> None:
    assert [fault.hint for fault in faults(Piece, '{"x": 1, "kind": "wall", "kinds": 1}')] == [""]


def test_pointers_are_escaped_and_any_name_can_be_pointed_at() -> None:
    body = '{"x": 1, "a/b": 1, "m~n": 1, "": 1, "_schema": 1, "\u00e9": 1}'
    assert told(Piece, body) == {
        ("/a~1b", "unknown-field"),
        ("/m~0n", "unknown-field"),
        ("/", "unknown-field"),
        ("/_schema", "unknown-field"),
        ("/\u00e9", "unknown-field"),
    }


def test_what_was_seen_is_never_the_whole_body() -> None:
    long = "y" * 30_000
    for body in (
        {"x": 1, long: 1},
        {"x": long},
        {"x": [long] * 3},
        {"x": [{long: long}] * 3},
        {"x": {"a": [list(range(9000))]}},
        {"x": 10**4000},
        {"x": 1, "kind": long},
    ):
        (fault,) = faults(Piece, json.dumps(body))
        assert len(fault.pointer) <= 81
        assert len(str(fault.seen)) <= 80
        assert len(codec.encode(fault)) < 600


# What cannot be declared


def test_the_schema_alone_refuses_in_marshmallows_own_way() -> None:
    with pytest.raises(ValidationError) as caught:
        schema_of(Board)().load({"name": "abcdef", "pieces": [{"x": -1}]})
    assert caught.value.messages == {"name": ["has too many characters: 6"], "pieces": {0: {"x": ["is too small"]}}}


class Loose(msgspec.Struct, frozen=True):
    x: int


class Rowlike(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    x: int


class HoldsLoose(Value, frozen=True):
    inner: tuple[Loose | None, ...]


class Tagged(Value, frozen=True, tag="tagged"):
    x: int


class HoldsTagged(Value, frozen=True):
    inner: Tagged


class Colour(Enum):
    RED = "red"


class HoldsEnumeration(Value, frozen=True):
    inner: Colour


class HoldsSet(Value, frozen=True):
    inner: frozenset[str]


class Twofold(Value, frozen=True):
    inner: Literal["a"] | str


class NumberNamed(Value, frozen=True):
    inner: dict[int, str]


def test_a_type_whose_bodies_cannot_be_reported_exactly_is_refused_at_once() -> None:
    for wanted in (Loose, Rowlike, HoldsLoose, HoldsTagged, HoldsEnumeration, HoldsSet, Twofold, NumberNamed, bytes):
        with pytest.raises(TypeError):
            codec.decode(wanted, b"{}")


def test_only_a_struct_has_a_schema() -> None:
    with pytest.raises(TypeError, match="not a struct"):
        schema_of(int)


# Writing


def test_fractions_are_written_as_people_write_them() -> None:
    assert codec.encode({"p": Fraction(14, 24), "one": Fraction(1), "less": Fraction(-1, 2)}) == (
        b'{"p":"7/12","one":"1","less":"-1/2"}'
    )
    assert codec.to_builtins(Unit("a", "red", at=(1, 2))) == {
        "id": "a",
        "side": "red",
        "at": [1, 2],
        "wounds": 0,
        "speed": 6.0,
        "role": None,
        "rank": "none",
        "seed": 0,
        "odds": "7/12",
        "share": None,
        "level": 1,
    }
    assert codec.to_builtins((Door((1, 2)), 3)) == [{"atHex": [1, 2], "isOpen": False, "side": None}, 3]


def test_what_json_cannot_carry_is_not_written() -> None:
    with pytest.raises(TypeError, match="object has no form in JSON"):
        codec.encode({"a": object()})


# The contract


def test_the_contract_of_a_family() -> None:
    components, references = json_schema([Unit, tuple[Wall | int, ...], Posted[Span]])
    assert references == (
        {"$ref": "#/components/schemas/Unit"},
        {"type": "array", "items": {"anyOf": [{"$ref": "#/components/schemas/Wall"}, {"type": "integer"}]}},
        {"$ref": "#/components/schemas/Posted_Span"},
    )
    assert list(components) == ["Point", "Posted_Span", "Side", "Span", "Unit", "UnitLevel", "UnitRole", "Wall"]
    assert components["Side"]["type"] == "string"
    assert set(components["Side"]["enum"]) == {"red", "blue"}
    assert components["Wall"] == {
        "description": "A wall; nothing sees through it.",
        "type": "object",
        "properties": {
            "ends": {"type": "array", "items": {"$ref": "#/components/schemas/Point"}, "minItems": 2, "maxItems": 4},
            "height": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10, "description": "Default: `2`."},
        },
        "additionalProperties": False,
        "required": ["ends"],
    }
    assert components["Point"]["properties"]["x"] == {
        "type": "number",
        "minimum": 0,
        "maximum": 48,
        "description": "Inches from the left edge.",
        "examples": [12.5],
    }
    unit = components["Unit"]["properties"]
    assert unit["at"] == {
        "anyOf": [
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}], "minItems": 2, "maxItems": 2},
            {"type": "null"},
        ]
    }
    assert "default" not in unit["odds"]
    assert unit["role"] == {"anyOf": [{"$ref": "#/components/schemas/UnitRole"}, {"type": "null"}]}
    assert set(components["UnitRole"]["enum"]) == {"leader", "trooper"}
    assert unit["level"] == {"$ref": "#/components/schemas/UnitLevel", "description": "Default: `1`."}
    assert set(components["UnitLevel"]["enum"]) == {1, 2, "top"}
    assert components["Unit"]["required"] == ["id", "side"]


def test_the_contract_holds_nothing_but_what_json_has_and_comes_the_same_every_time() -> None:
    first = json_schema([Kit, Node])
    assert json.loads(json.dumps(first[0])) == first[0]
    assert json.dumps(json_schema([Node, Kit])[0]) == json.dumps(first[0])


def test_two_types_of_one_name_are_not_mixed_up() -> None:
    def other() -> Any:
        class Point(Value, frozen=True):
            z: int

        return Point

    with pytest.raises(ValueError, match="would both be called Point"):
        json_schema([Point, other()])


def test_a_type_of_a_game_is_named_after_the_game() -> None:
    class Scene(Value, frozen=True):
        pass

    Scene.__module__ = "services.size_skirmish.scene"
    assert component_name(Scene) == "SizeSkirmishScene"
    assert component_name(Posted[Scene]) == "Posted_SizeSkirmishScene"
