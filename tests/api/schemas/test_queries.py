"""Query strings of look-ups: what their schemas load, refuse and describe."""

import pytest
from werkzeug.datastructures import MultiDict

from api.schemas.queries import JobsQuery, MapQuery, RulesQuery, describe_parameters, load_parameters
from arbiter.fault import Fault, Faults


def test_parameters_are_loaded_as_typed_values_with_their_defaults() -> None:
    assert load_parameters(RulesQuery, {}) == {"q": "", "kind": None, "cursor": None, "limit": None}
    assert load_parameters(RulesQuery, MultiDict({"q": "7", "kind": "rule", "cursor": "from-50", "limit": "200"})) == {
        "q": "7",
        "kind": "rule",
        "cursor": "from-50",
        "limit": 200,
    }
    assert load_parameters(JobsQuery, {"after": "1"}) == {"after": "1", "limit": 20}
    assert load_parameters(MapQuery, {"game": "rapture", "square": "1e1"}) == {
        "game": "rapture",
        "square": 10.0,
        "thickness": 0.1,
    }
    assert load_parameters(MapQuery, {"game": "rapture", "square": 2.5})["square"] == 2.5


def test_every_wrong_parameter_is_reported_at_once() -> None:
    with pytest.raises(Faults) as caught:
        load_parameters(RulesQuery, MultiDict({"limt": "5", "kind": "rules", "limit": "many", "cursor": "from-1\n"}))
    unknown, kind, cursor, limit = caught.value.faults
    assert unknown == Fault(
        "/limt", "unknown-field", "is not a field here", "5", "one of the fields q, kind, cursor, limit", ""
    )
    assert kind == Fault(
        "/kind",
        "not-one-of",
        "is not one of the allowed values",
        "rules",
        'one of "unit", "rule", "reading"',
        "did you mean rule?",
    )
    assert (cursor.pointer, cursor.code) == ("/cursor", "pattern")
    assert limit == Fault(
        "/limit",
        "wrong-type",
        "must be a whole number, not a string",
        "many",
        "a whole number, at least 1, at most 200",
    )


def test_a_misspelt_parameter_is_refused_with_the_name_that_is_near() -> None:
    for parameters, pointer, code, hint in (
        ({"limt": "5"}, "/limt", "unknown-field", "did you mean limit?"),
        ({"limit": "0"}, "/limit", "too-small", ""),
        ({"limit": "201"}, "/limit", "too-large", ""),
        ({"limit": "5.0"}, "/limit", "wrong-type", ""),
        ({"limit": "٧"}, "/limit", "wrong-type", ""),
        ({"limit": "1" * 19}, "/limit", "wrong-type", ""),
        ({"q": "a" * 2_001}, "/q", "too-long", ""),
    ):
        with pytest.raises(Faults) as caught:
            load_parameters(RulesQuery, parameters)
        assert [(fault.pointer, fault.code, fault.hint) for fault in caught.value.faults] == [(pointer, code, hint)]


def test_a_parameter_may_stand_only_once() -> None:
    with pytest.raises(Faults) as caught:
        load_parameters(RulesQuery, MultiDict([("q", "a"), ("q", "b"), ("limit", "5")]))
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/q", "duplicate-field")]


def test_a_required_parameter_may_not_be_missing() -> None:
    with pytest.raises(Faults) as caught:
        load_parameters(MapQuery, {})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/game", "missing")]


def test_the_contract_describes_parameters() -> None:
    assert describe_parameters(JobsQuery) == [
        {
            "name": "after",
            "in": "query",
            "required": False,
            "description": "`next` of the previous page; leave it out at first.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 100},
        },
        {
            "name": "limit",
            "in": "query",
            "required": False,
            "description": "Jobs of one page. Default: `20`.",
            "schema": {"type": "integer", "minimum": 1, "maximum": 100},
        },
    ]
    game, square, _ = describe_parameters(MapQuery)
    assert (game["required"], square["schema"]["type"]) == (True, "number")
