"""The express line: nobody can tell it from the long way but by the clock, and it goes round nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, TestResponse, run_wsgi_app

from api import create_app
from api.server.express import ASKED
from api.settings import Settings
from api.signing.envelope import REMEMBERED_S, SIGNED
from arbiter.game import Arbiter
from tests.api.holders import by
from tests.api.memory_keys import PEPPER, MemoryKeys
from tests.api.posting import ATTACK, TEMPLATE, ask, attack, with_questions
from tests.api.small_quotas import stopped

BODY = json.dumps(attack(dice={"seed": 7}, policies={"*": "first"})).encode()


class Ways:
    """An app with its express line, and the same app without."""

    def __init__(
        self,
        game: Arbiter = TEMPLATE,
        settings: Settings | None = None,
        keys: MemoryKeys | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        settings = settings or Settings(log_level="error", rate_limits=False)
        self.app: Any = create_app(settings, {game.name: game}, None, keys)
        first = ask(self.app.test_client(), ATTACK, BODY, headers=headers or {})
        self.tag, self.link = first.headers["ETag"], first.headers["Content-Location"]
        self.reached = 0
        inner = self.app.express._inner

        def counting(environ: Any, start_response: Any) -> Any:
            self.reached += 1
            return inner(environ, start_response)

        self.app.express._inner = counting

    def asked(self, path: str, method: str, **more: Any) -> tuple[TestResponse, bool]:
        """Give the answer, and whether it came by the express line."""
        before = self.reached
        answer = self.app.test_client().open(path, method=method, **more)
        return answer, self.reached == before

    def long_way(self, path: str, method: str, **more: Any) -> TestResponse:
        edge = self.app.edge
        express, edge._inner = edge._inner, self.app.plain
        try:
            return self.app.test_client().open(path, method=method, **more)
        finally:
            edge._inner = express


@pytest.fixture(scope="module")
def ways() -> Ways:
    return Ways()


def seen(answer: TestResponse) -> tuple[int, bytes, dict[str, str]]:
    """Give everything of an answer that a client sees but its name, and the seconds that may have gone by."""
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
    if headers.get("Cache-Control", "").startswith("public, max-age="):
        headers["Cache-Control"] = "public"
    return answer.status_code, answer.data, headers


JSON = {"content_type": "application/json"}


def test_permalinks_and_known_questions_take_it(ways: Ways) -> None:
    for method, status in (("GET", 200), ("HEAD", 200)):
        for accept in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
            answer, by_express = ways.asked(ways.link, method, headers=accept)
            assert (answer.status_code, by_express) == (status, True)
    answer, by_express = ways.asked(ways.link, "GET", headers={"If-None-Match": f'"{ways.link[-32:]}"'})
    assert (answer.status_code, by_express) == (304, True)
    answer, by_express = ways.asked(ATTACK, "QUERY", data=BODY, headers={"If-None-Match": ways.tag}, **JSON)
    assert (answer.status_code, by_express) == (304, True)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Api-Key": "k"},
        {"Prefer": "wait=1"},
        {"Accept": "text/html"},
        {"If-Match": "*"},
        {"Idempotency-Key": "k"},
        {"Content-Encoding": "identity"},
    ],
)
def test_what_it_does_not_know_goes_the_long_way(ways: Ways, headers: dict[str, str]) -> None:
    assert not ways.asked(ways.link, "GET", headers=headers)[1]
    more = {"data": BODY, **JSON}
    assert not ways.asked(ATTACK, "QUERY", headers={"If-None-Match": ways.tag, **headers}, **more)[1]


@pytest.mark.parametrize("method", ["POST", "QUERY"])
@pytest.mark.parametrize(
    "headers", [{}, {"Accept": "*/*"}, {"Accept": "application/json"}, {"Origin": "https://a.example"}]
)
def test_plain_questions_take_it(ways: Ways, method: str, headers: dict[str, str]) -> None:
    more: dict[str, Any] = {"data": BODY, "headers": headers, **JSON}
    answer, by_express = ways.asked(ATTACK, method, **more)
    assert by_express
    assert seen(answer) == seen(ways.long_way(ATTACK, method, **more))
    assert answer.headers["ETag"] == ways.tag


UNPLAIN = {
    "a problem": attack(dice={"seed": ""}),
    "no JSON": b"{",
    "a name twice, and wrong": b'{"case": 1, "case": 2}',
    "committed dice": attack(dice={"committed": {"epoch": "x", "client_seed": "s", "nonce": 1}}),
    "missing": {},
}


@pytest.mark.parametrize("case", UNPLAIN)
def test_what_is_refused_is_refused_on_the_long_way_and_paid_for_once(case: str) -> None:
    app = stopped(create_app(Settings(log_level="error"), {TEMPLATE.name: TEMPLATE}))
    answer = ask(app.test_client(), ATTACK, UNPLAIN[case])
    assert answer.status_code == 422
    assert answer.headers["RateLimit"].split(";")[1] == "r=599"


def test_what_may_be_heavy_and_odds_go_the_long_way() -> None:
    heavy = with_questions(TEMPLATE, attack=replace(TEMPLATE.questions["attack"], cost=lambda _: 1.0))
    ways = Ways(heavy)
    assert not ways.asked(ATTACK, "POST", data=BODY, **JSON)[1]
    odds = json.dumps(attack(policies={"*": "first"})).encode()
    answer, by_express = Ways().asked(f"{ATTACK}/odds", "POST", data=odds, **JSON)
    assert (answer.status_code, by_express) == (200, False)


def test_a_key_is_looked_at_and_pays() -> None:
    keys = MemoryKeys()
    settings = Settings(log_level="error", key_peppers=(PEPPER,), anonymous=False, key_units_per_minute=50)
    key, boards_only, gone = keys.make("acme"), keys.make("other", scopes=("boards",)), keys.make("third")
    keys.revoke(gone)
    ways = Ways(settings=settings, keys=keys, headers=by(key))
    answer, by_express = ways.asked(ATTACK, "POST", data=BODY, headers=by(key), **JSON)
    assert (answer.status_code, by_express, answer.headers["RateLimit"].split(";")[1]) == (200, True, "r=48")
    for headers, status in (
        (by(boards_only), 403),
        (by(gone), 401),
        ({}, 401),
        ({**by(key), "Origin": "https://a"}, 403),
    ):
        answer, by_express = ways.asked(ATTACK, "POST", data=BODY, headers=headers, **JSON)
        assert (answer.status_code, by_express) == (status, False)


def test_what_is_signed_is_what_the_long_way_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.signing.epochs.now", lambda: 1_800_000_000.0)
    ways = Ways(settings=Settings(log_level="error", rate_limits=False, signing_key="A" * 43))
    more: dict[str, Any] = {"data": BODY, "headers": {"Accept": SIGNED}, **JSON}
    answer, by_express = ways.asked(ATTACK, "POST", **more)
    assert (by_express, answer.content_type) == (True, SIGNED)
    assert seen(answer) == seen(ways.long_way(ATTACK, "POST", **more))


def test_the_signed_ruling_of_a_settled_question_is_given_again_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [1_800_000_000.0]
    monkeypatch.setattr("api.signing.epochs.now", lambda: moment[0])
    monkeypatch.setattr("api.signing.envelope.time.monotonic", lambda: moment[0])
    ways = Ways(settings=Settings(log_level="error", rate_limits=False, signing_key="A" * 43))

    def signed(body: bytes, path: str = ATTACK) -> tuple[str, Any]:
        answer, by_express = ways.asked(path, "POST", data=body, headers={"Accept": SIGNED}, **JSON)
        assert (answer.status_code, answer.content_type, by_express) == (200, SIGNED, True)
        assert answer.headers["Cache-Control"] == "no-store"
        return answer.json["statement"]["made"], answer.json

    first = signed(BODY)
    # Another writing of the same question is another document, since the statement holds the digest of its text.
    spaced = json.dumps(json.loads(BODY), indent=1).encode()
    rolled = json.dumps(attack(policies={"*": "first"})).encode()
    others = signed(spaced), signed(rolled)
    assert others[0][1]["body"] == spaced.decode()
    moment[0] += REMEMBERED_S - 1
    assert signed(BODY) == first
    assert signed(spaced) == others[0]
    made, told = signed(rolled)
    assert made == "2027-01-15T08:00:59Z", "nobody said where the dice come from, and so they are rolled anew"
    assert told["statement"]["ruling"]["seed"] != others[1][1]["statement"]["ruling"]["seed"]
    moment[0] += 1
    made, told = signed(BODY)
    assert made == "2027-01-15T08:01:00Z"
    assert told["statement"]["ruling"] == first[1]["statement"]["ruling"]
    # In its plain form the ruling is not signed, whatever is remembered.
    assert "signature" not in ways.asked(ATTACK, "POST", data=BODY, **JSON)[0].json


def test_a_service_that_does_not_sign_says_so_on_the_long_way(ways: Ways) -> None:
    answer, by_express = ways.asked(ATTACK, "POST", data=BODY, headers={"Accept": SIGNED}, **JSON)
    assert (answer.status_code, by_express) == (406, False)


def test_a_body_that_ends_early_is_refused(ways: Ways) -> None:
    # Sound as far as it came, so that only its length tells.
    environ = EnvironBuilder(path=ATTACK, method="POST", data=BODY, **JSON).get_environ()
    environ["CONTENT_LENGTH"] = str(len(BODY) + 10)
    content, status, _ = run_wsgi_app(ways.app, environ)
    assert status.startswith("400"), b"".join(content)


def test_a_parameter_goes_the_long_way(ways: Ways) -> None:
    assert not ways.asked(f"{ways.link}?x=1", "GET")[1]
    said = {"If-None-Match": ways.tag}
    assert not ways.asked(f"{ATTACK}?x=1", "QUERY", data=BODY, headers=said, **JSON)[1]


METHODS = st.sampled_from(["GET", "HEAD", "QUERY", "POST", "OPTIONS", "DELETE"])
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "Accept": st.sampled_from(["*/*", "", "application/json", "text/html", "text/plain", "image/png"]),
        "If-None-Match": st.sampled_from(["TAG", "W/TAG", "LINK", "*", '"x"', ""]),
        "If-Match": st.sampled_from(["TAG", "LINK", "*", '"x"']),
        "Authorization": st.just("Bearer x"),
        "X-Forwarded-For": st.just("192.0.2.7"),
        "Prefer": st.sampled_from(["respond-async", "wait=1"]),
        "Content-Encoding": st.sampled_from(["gzip", "identity"]),
        "Origin": st.just("https://table.example"),
    },
)


@given(
    METHODS, HEADERS, st.sampled_from(["link", "link?x=1", "unknown", ATTACK, f"{ATTACK}/odds", "/v1/rulings"]),
    st.sampled_from([BODY, BODY + b" ", b"{", b"", b'{"case":1}']),
    st.sampled_from(["application/json", "application/json; charset=utf-8", "text/plain", None]),
)  # fmt: skip
def test_nobody_can_tell_it_from_the_long_way(
    ways: Ways, method: str, headers: dict[str, str], path: str, body: bytes, form: str | None
) -> None:
    tag, at = ways.tag, path.replace("link", ways.link).replace("unknown", f"/v1/rulings/{'0' * 32}")
    said = {name: value.replace("TAG", tag).replace("LINK", f'"{ways.link[-32:]}"') for name, value in headers.items()}
    more: dict[str, Any] = {"headers": said, "data": body, "content_type": form}
    express, long = ways.asked(at, method, **more)[0], ways.long_way(at, method, **more)
    if "errors" in (told := json.loads(long.data) if long.data[:1] == b"{" else {}):
        # Each problem names its own request.
        assert {**json.loads(express.data), "request_id": ""} == {**told, "request_id": ""}
        assert express.status_code == long.status_code
    else:
        assert seen(express) == seen(long)


def test_it_asks_who_may_before_it_answers() -> None:
    ways, asked_for = Ways(), []

    def nobody(environ: dict[str, Any], rule: str) -> bool:
        asked_for.append(rule)
        return False

    ways.app.express.admit = nobody
    # Whoever may not take the short way takes the long one, which answers or refuses as it does everybody.
    assert ways.asked(ways.link, "GET")[0].status_code == 200
    answer, _ = ways.asked(ATTACK, "QUERY", data=BODY, headers={"If-None-Match": ways.tag}, **JSON)
    assert answer.status_code == 304
    # What goes the long way by itself is asked there, and not twice.
    ways.asked(ways.link, "GET", headers={"Prefer": "wait=1"})
    assert asked_for == ["/v1/rulings/<digest>", ATTACK]


def test_who_has_spent_the_quota_is_told_so_here_as_well() -> None:
    app = stopped(create_app(Settings(log_level="error", anonymous_units_per_minute=10), {TEMPLATE.name: TEMPLATE}))
    client = app.test_client()
    first = ask(client, ATTACK, BODY)
    link = first.headers["Content-Location"]
    answers = [client.get(link) for _ in range(12)]
    assert [answer.status_code for answer in answers] == [200] * 9 + [429] * 3
    assert [answer.headers["RateLimit"].split(";")[1] for answer in answers] == [
        f"r={left}" for left in range(8, -1, -1)
    ] + ["r=0"] * 3
    assert answers[-1].headers["Access-Control-Allow-Origin"] == "*"


def test_where_nobody_is_let_in_without_a_key_questions_are_not_answered_here() -> None:
    closed: Any = create_app(
        Settings(log_level="error", anonymous=False, key_peppers=("p" * 32,)), {TEMPLATE.name: TEMPLATE}
    )
    from_here = {"REMOTE_ADDR": "127.0.0.1"}
    assert not closed.express.admit({**from_here, "REQUEST_METHOD": "QUERY"}, ATTACK)
    assert closed.express.admit({**from_here, "REQUEST_METHOD": "GET"}, "/v1/rulings/<digest>")


def test_it_is_logged_and_counted_like_every_request(capsys: pytest.CaptureFixture[str]) -> None:
    app = create_app(Settings(), {TEMPLATE.name: TEMPLATE})
    client = app.test_client()
    first = ask(client, ATTACK, BODY)
    client.get(first.headers["Content-Location"], headers={"X-Request-Id": "mine"})
    client.open(ATTACK, method="QUERY", data=BODY, headers={"If-None-Match": first.headers["ETag"]}, **JSON)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()][1:]
    assert [(line["method"], line["route"], line["status"], line["question"]) for line in lines] == [
        ("GET", "/v1/rulings/<digest>", 200, ""),
        ("QUERY", ATTACK, 304, "attack"),
    ]
    assert lines[0]["request_id"] == "mine"
    counted = client.get("/metrics").get_data(as_text=True)
    assert f'route="{ATTACK}",status="304"' in counted


def test_a_body_that_is_not_known_is_read_again(ways: Ways) -> None:
    """The line has read the body to know it, and the long way reads it once more."""
    other = json.dumps(attack(dice={"seed": 8}, policies={"*": "first"})).encode()
    answer, by_express = ways.asked(ATTACK, "QUERY", data=other, headers={"If-None-Match": ways.tag}, **JSON)
    assert (answer.status_code, by_express) == (200, False)
    assert json.loads(answer.data)["seed"] == "8"


@pytest.mark.parametrize("length", ["-1", "x", "", "99999999999", "²", "1_0"])
def test_lengths_that_are_none_go_the_long_way(ways: Ways, length: str) -> None:
    builder = EnvironBuilder(ATTACK, method="QUERY", data=BODY, headers={"If-None-Match": ways.tag}, **JSON)
    environ = builder.get_environ()
    environ["CONTENT_LENGTH"] = length
    before = ways.reached
    run_wsgi_app(ways.app, environ)
    assert ways.reached == before + 1
    assert ASKED not in environ
