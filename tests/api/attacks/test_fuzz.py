"""Whatever is posted, the service answers in its forms: a ruling, a law or a problem, never a fault of its own."""

import json
from copy import deepcopy
from typing import Any

from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api import create_app
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, attack, problem
from tests.api.worked import examples
from tests.effort import cases

STORE = MemoryJobs()
APP: Flask = create_app(Settings(log_level="error", rate_limits=False, path_budget=200, most_wait_s=0), GAMES, STORE)

ASKED = [(f"/v1/games/{game.name}/{each.question}", each) for game in GAMES.values() for each in examples(game)]
PATHS = sorted({path for path, _ in ASKED} | {f"{path}/odds" for path, _ in ASKED} | {ATTACK + "x", "/v1/games"})
PATHS += [f"{ATTACK}/simulations", "/v1/jobs"]
SIMULATION = attack(count=5, metrics=["hits"], vary={"/case/target": ["bob", "ann"], "/policies/*": ["first"]})

HEADS = ["/", "/v1/games/", "/v1/games/template-skirmish/rules/", "/problems/", "/v1/jobs/"]

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["case", "ann", "first", "*", "scene", 10**400, 1e308, -0.0, "\ud800", "\x00"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, Any]:
    """A question that is asked in an example, or its odds, with a body that nearly works."""
    path, example = draw(st.sampled_from(ASKED))
    return path + draw(st.sampled_from(["", "", "/odds"])), draw(mutations(example.body()))


@st.composite
def mutations(draw: st.DrawFn, body: Any) -> Any:
    """A body that works, with one to three parts replaced, taken away or doubled."""
    body = deepcopy(body)
    for _ in range(draw(st.integers(1, 3))):
        inside = places(body)[1:]
        if not inside:
            break
        place = draw(st.sampled_from(inside))
        where = body
        for key in place[:-1]:
            where = where[key]
        what = draw(st.sampled_from(["replace", "remove", "double", "rename"]))
        if what == "replace":
            where[place[-1]] = draw(values)
        elif what == "remove":
            del where[place[-1]]
        elif isinstance(where, list):
            where.append(deepcopy(where[place[-1]]))
        else:
            where[str(draw(values))[:50]] = deepcopy(where[place[-1]])
    return body


def post(path: str, body: bytes, **more: Any) -> None:
    answer = APP.test_client().post(path, data=body, **{"content_type": "application/json", **more})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["X-Request-Id"]
    if answer.status_code in {200, 202}:
        assert answer.content_type == "application/json"
        json.loads(answer.data)
        return
    kinds = {404: "not-found", 405: "method-not-allowed", 413: "too-large", 415: "unsupported-media-type"}
    told = json.loads(answer.data)
    if answer.status_code == 404 and told["type"] == "/problems/no-dice":
        kinds[404] = "no-dice"
    if answer.status_code == 422:
        kinds[422] = "too-many-paths" if told["type"] == "/problems/too-many-paths" else "invalid"
        assert told["errors"] or kinds[422] == "too-many-paths"
    assert problem(answer, answer.status_code, kinds[answer.status_code])
    assert len(answer.data) < 100_000


fuzzed = settings(max_examples=cases(150), derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@fuzzed
@given(mutated())
def test_bodies_that_nearly_work(asked: tuple[str, Any]) -> None:
    post(asked[0], json.dumps(asked[1]).encode())


@fuzzed
@given(mutations(SIMULATION))
def test_simulations_that_nearly_work(body: Any) -> None:
    post(f"{ATTACK}/simulations", json.dumps(body).encode())


@fuzzed
@given(mutated())
def test_jobs_that_nearly_work(asked: tuple[str, Any]) -> None:
    post(asked[0], json.dumps(asked[1]).encode(), headers={"Prefer": "respond-async"})


@fuzzed
@given(st.sampled_from(PATHS), values)
def test_any_json(path: str, value: Any) -> None:
    post(path, json.dumps(value).encode())


@fuzzed
@given(st.sampled_from(PATHS), st.binary(max_size=200))
def test_any_bytes(path: str, body: bytes) -> None:
    post(path, body)


@fuzzed
@given(st.sampled_from(ASKED), st.data())
def test_bodies_that_are_broken_off_or_scrambled(asked: tuple[str, Any], data: st.DataObject) -> None:
    body = bytearray(json.dumps(asked[1].body()).encode())
    at = data.draw(st.integers(0, len(body) - 1))
    if data.draw(st.booleans()):
        del body[at:]
    else:
        body[at] = data.draw(st.integers(0, 255))
    post(asked[0], bytes(body))


@fuzzed
@given(
    st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=30),
    st.sampled_from(
        [
            "Content-Type",
            "Accept",
            "X-Request-Id",
            "Content-Encoding",
            "Origin",
            "Access-Control-Request-Method",
            "Prefer",
            "Idempotency-Key",
        ]
    ),
)
def test_any_header(said: str, name: str) -> None:
    answer = APP.test_client().post(
        ATTACK, data=json.dumps(attack()), headers={"Content-Type": "application/json", name: said}
    )
    if answer.status_code not in {200, 202}:
        kinds = {400: "bad-request", 406: "not-acceptable", 415: "unsupported-media-type"}
        problem(answer, answer.status_code, kinds[answer.status_code])


@fuzzed
@given(
    st.text(max_size=40),
    st.sampled_from(["/", "/v1/games/", "/v1/games/template-skirmish/rules/", "/problems/", "/v1/jobs/"]),
)
def test_any_path(tail: str, head: str) -> None:
    answer = APP.test_client().get(head + tail)
    assert answer.status_code in {200, 308, 404, 405, 422}, answer.data
    answer.close()


@fuzzed
@given(st.dictionaries(st.sampled_from(["q", "kind", "cursor", "limit", "x"]), st.text(max_size=30)))
def test_any_parameters(said: dict[str, str]) -> None:
    answer = APP.test_client().get("/v1/games/template-skirmish/rules", query_string=said)
    if answer.status_code != 200:
        problem(answer, 422, "invalid")


@fuzzed
@given(st.dictionaries(st.sampled_from(["after", "limit", "x"]), st.text(max_size=30)))
def test_any_page_of_jobs(said: dict[str, str]) -> None:
    answer = APP.test_client().get("/v1/jobs", query_string=said)
    if answer.status_code != 200:
        problem(answer, 422, "invalid")


@fuzzed
@given(
    st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=30),
    st.sampled_from(["Prefer", "Idempotency-Key", "Last-Event-ID", "Accept"]),
)
def test_any_header_of_a_job(said: str, name: str) -> None:
    client = APP.test_client()
    headers = {"Content-Type": "application/json", name: said}
    answer = client.post(f"{ATTACK}/simulations", data=json.dumps(attack(count=3)), headers=headers)
    if answer.status_code != 202:
        problem(answer, answer.status_code, {400: "bad-request", 406: "not-acceptable"}[answer.status_code])
        return
    id_ = json.loads(answer.data)["id"]
    STORE.dismiss(id_)
    for path in ("", "/result", "/events"):
        with client.get(f"/v1/jobs/{id_}{path}", headers={name: said}) as followed:
            assert followed.status_code in {200, 204, 406, 409, 410}
