"""Laws of what travels: the decoder, the marshmallow schema and the contract hold the same bodies for good."""

import json
from typing import Any

import jsonpointer
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from marshmallow import ValidationError

from api.schemas import codec
from api.schemas.derive import schema_of
from api.schemas.json_schema import json_schema
from arbiter.fault import Fault, Faults
from tests.api.codes import CODES
from tests.api.family import Kit, Node, Point, Posted, Unit
from tests.api.strategies import Json, bodies, broken_bodies
from tests.effort import cases

FAMILY = [Kit, Posted[Unit], Node, Unit]
CALM = settings(max_examples=cases(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])

COMPONENTS, REFERENCES = json_schema(FAMILY)
CONTRACT = {
    struct: Draft202012Validator({**reference, "components": {"schemas": COMPONENTS}})
    for struct, reference in zip(FAMILY, REFERENCES, strict=True)
}

NONE = object()


def written(body: Json) -> bytes:
    return json.dumps(body).encode()


def decoded(struct: Any, body: bytes) -> tuple[Any, tuple[Fault, ...]]:
    try:
        return codec.decode(struct, body), ()
    except Faults as refusal:
        return NONE, refusal.faults


def loaded(struct: Any, body: Json) -> Any:
    try:
        return schema_of(struct)().load(body) if isinstance(body, dict) else NONE
    except ValidationError:
        return NONE


def family() -> st.SearchStrategy[tuple[Any, Json]]:
    return st.sampled_from(FAMILY).flatmap(
        lambda struct: st.tuples(st.just(struct), st.one_of(bodies(struct), broken_bodies(struct)))
    )


@CALM
@given(st.sampled_from(FAMILY).flatmap(lambda struct: st.tuples(st.just(struct), bodies(struct))))
def test_every_body_drawn_from_a_declaration_is_taken(drawn: tuple[Any, Json]) -> None:
    struct, body = drawn
    assume("span" not in body or body["span"] is None or body["span"]["low"] <= body["span"]["high"])
    value = codec.decode(struct, written(body))
    assert codec.decode(struct, codec.encode(value)) == value
    assert codec.decode_object(struct, codec.to_builtins(value)) == value


@settings(CALM, max_examples=cases(150))
@given(family())
def test_the_decoder_and_the_schema_take_the_same_bodies_and_make_the_same_of_them(drawn: tuple[Any, Json]) -> None:
    struct, body = drawn
    by_msgspec, by_marshmallow = decoded(struct, written(body))[0], loaded(struct, body)
    assert (by_msgspec is NONE) == (by_marshmallow is NONE)
    if by_msgspec is not NONE:
        assert by_marshmallow == by_msgspec
        # Equality does not tell 1 from 1.0, the text does.
        assert codec.encode(by_marshmallow) == codec.encode(by_msgspec)


def whole(body: Json) -> Json:
    """Write 5.0 as 5, since JSON Schema takes one for the other and we do not."""
    if isinstance(body, float) and body.is_integer():
        return int(body)
    if isinstance(body, list):
        return [whole(item) for item in body]
    return {name: whole(item) for name, item in body.items()} if isinstance(body, dict) else body


@settings(CALM, max_examples=cases(100))
@given(family())
def test_the_contract_takes_the_same_bodies(drawn: tuple[Any, Json]) -> None:
    struct, body = drawn[0], whole(drawn[1])
    in_contract = CONTRACT[struct].is_valid(body)
    value, faults = decoded(struct, written(body))
    if value is not NONE:
        assert in_contract
    elif in_contract:
        # What a struct checks of itself, and numbers that no float holds, are beyond the contract's words.
        assert {fault.code for fault in faults} <= {"impossible", "not-finite"}


@settings(CALM, max_examples=cases(150))
@given(family())
def test_every_fault_of_the_schema_is_told_with_what_was_seen_at_its_place(drawn: tuple[Any, Json]) -> None:
    struct, body = drawn
    _, faults = decoded(struct, written(body))
    for fault in faults:
        assert fault.code in CODES
        assert fault.code != "refused"
        if fault.code not in {"missing", "impossible"} and "name" not in fault.message:
            there = jsonpointer.resolve_pointer(body, fault.pointer)
            if isinstance(there, (bool, int, str)) and len(str(there)) < 80:
                assert fault.seen == there
    if faults and isinstance(body, dict):  # the schema alone skips no sound part of a body
        with pytest.raises(ValidationError) as caught:
            schema_of(struct)().load(body)
        assert count(caught.value.messages) == len(faults)


def count(messages: Any) -> int:
    return sum(count(inner) for inner in messages.values()) if isinstance(messages, dict) else len(messages)


@settings(CALM, max_examples=cases(150))
@given(family(), st.data())
def test_whatever_the_bytes_there_is_a_value_or_there_are_faults(drawn: tuple[Any, Json], data: st.DataObject) -> None:
    struct, body = drawn
    text = written(body)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        graft = data.draw(
            st.binary(max_size=2)
            | st.sampled_from(
                [b'"', b"\\", b",", b"{", b"}", b"[", b"]", b"0", b"-", b"1e999", b"NaN", b"\\ud800", b"\xff"]
            )
            | st.sampled_from(
                [b"null", b" ", b"\t", b"\x0c", b"1" * 5000, b".", b"e5", b':"a",', b'"":1,', b"\xef\xbb\xbf"]
            )
        )
        text = text[:at] + graft + text[at + cut :]
    value, faults = decoded(struct, text)
    if value is NONE:
        assert faults
        assert all(fault.code != "refused" for fault in faults)
        codec.encode(faults)
    else:
        assert codec.decode(struct, codec.encode(value)) == value


@CALM
@given(st.sampled_from([Point, int, str, tuple[int, str], Node | None, dict[str, Any]]), st.binary(max_size=12))
def test_any_bytes_at_all(wanted: Any, body: bytes) -> None:
    decoded(wanted, body)
