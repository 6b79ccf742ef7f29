"""Who asks with a key: which count, where they may come from, what they are for, and where none may stand."""

from base64 import b64encode
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.auth import keys
from api.auth.callers import Callers
from api.problems.handlers import ProblemError
from api.settings import Settings
from infra.settings import WrongSettings
from tests.api.holders import by
from tests.api.holders import client as client
from tests.api.holders import made as made
from tests.api.holders import store as store
from tests.api.memory_jobs import MemoryJobs
from tests.api.memory_keys import OLD_PEPPER, ORIGIN, PEPPER, Clock, MemoryKeys, settings
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, problem

SIMULATE = f"{ATTACK}/simulations"
IMPORT = f"/v1/boards/import?game={TEMPLATE.name}"


def refused(answer: TestResponse, status: int, slug: str, *, key: str = "") -> dict[str, Any]:
    """Give the problem, which every page may read, and which does not repeat the key."""
    told = problem(answer, status, slug)
    if key:
        assert key not in answer.get_data(as_text=True)
        assert key[-30:] not in answer.get_data(as_text=True) + str(answer.headers)
    if status == 401:
        assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="arbiter"')
        assert "WWW-Authenticate" in answer.headers["Access-Control-Expose-Headers"]
    return told


# Keys that count


def test_a_key_that_counts_is_answered_and_so_is_nobody(client: FlaskClient, made: MemoryKeys) -> None:
    for headers in (by(made.make()), {"Authorization": f"bearer  {made.make('other')} "}, {}):
        assert ask(client, ATTACK, attack(), headers=headers).status_code == 200


def test_keys_of_one_holder_are_one_caller_with_the_rights_of_each_key(made: MemoryKeys) -> None:
    callers = Callers(settings(), made, now=lambda: 1_000.0)
    written = [made.make("acme"), made.make("acme", scopes=("ask",), units_per_minute=70), made.make("umbra")]
    one, two, other = (callers.identify({"HTTP_AUTHORIZATION": f"Bearer {each}"}) for each in written)
    nobody = callers.identify({"REMOTE_ADDR": "192.0.2.1"})
    assert one.name == two.name
    assert len({one.name, other.name, nobody.name}) == 3
    assert "acme" not in one.name
    assert (one.holder, one.key, one.anonymous) == ("acme", keys.parse(written[0]).id, False)
    assert (one.scopes, two.scopes, nobody.scopes) == (keys.SCOPES, ("ask",), keys.SCOPES)
    assert (one.units_per_minute, two.units_per_minute, nobody.units_per_minute) == (None, 70, None)
    assert (nobody.key, nobody.holder, nobody.anonymous) == (None, None, True)


def test_a_holder_who_is_called_like_an_placeis_somebody_else(made: MemoryKeys) -> None:
    callers = Callers(settings(), made, now=lambda: 1_000.0)
    holder = callers.identify({"HTTP_AUTHORIZATION": f"Bearer {made.make('192.0.2.1')}"})
    assert holder.name != callers.identify({"REMOTE_ADDR": "192.0.2.1"}).name


def test_peppers_can_be_changed_while_keys_go_on(made: MemoryKeys) -> None:
    old, new = made.make(pepper=OLD_PEPPER), made.make(pepper=PEPPER)
    both = create_app(settings((PEPPER, OLD_PEPPER)), GAMES, None, made).test_client()
    for key in (old, new):
        assert ask(both, ATTACK, attack(), headers=by(key)).status_code == 200
    later = create_app(settings((PEPPER,)), GAMES, None, made).test_client()
    assert ask(later, ATTACK, attack(), headers=by(new)).status_code == 200
    refused(ask(later, ATTACK, attack(), headers=by(old)), 401, "bad-key", key=old)


# Keys that do not count


def test_an_unknown_key_and_a_wrong_secret_are_refused_in_the_same_words(client: FlaskClient, made: MemoryKeys) -> None:
    there = keys.parse(made.make())
    unknown = keys.make("secret")
    wrong = keys.Parts("secret", there.id, unknown.secret)
    turned = keys.Parts("publishable", there.id, there.secret)
    told = []
    for parts in (unknown, wrong, turned):
        answer = ask(client, ATTACK, attack(), headers=by(parts.written))
        said = refused(answer, 401, "bad-key", key=parts.written)
        told.append(({**said, "request_id": ""}, answer.headers["WWW-Authenticate"]))
    assert told[0] == told[1] == told[2]


def test_who_has_a_key_remembered_does_not_open_the_door_to_other_secrets(
    client: FlaskClient, made: MemoryKeys
) -> None:
    there = made.make()
    assert ask(client, ATTACK, attack(), headers=by(there)).status_code == 200
    wrong = keys.Parts("secret", keys.parse(there).id, keys.make("secret").secret).written
    refused(ask(client, ATTACK, attack(), headers=by(wrong)), 401, "bad-key", key=wrong)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        "Bearer x",
        "Bearer arb_sk_",
        "arb_sk_aaaaaaaa",
        "Token {}",
        "{}",
        "Bearer {},Bearer {}",
        "Bearer {}, Basic YTpi",
        "Bearer {} {}",
        "Bearer\t{}",
        "Bearer \u00e9\u00ff",
        'Bearer "{}"',
        "Bearer {}" + "a" * 7_000,
    ],
)
def test_whatever_else_is_sent_for_a_key_is_refused_and_never_passed_over(
    client: FlaskClient, made: MemoryKeys, said: str
) -> None:
    key = made.make()
    refused(ask(client, ATTACK, attack(), headers={"Authorization": said.format(key, key)}), 401, "bad-key", key=key)
    assert made.asked == 0


@pytest.mark.parametrize("kind", ["secret", "publishable"])
@pytest.mark.parametrize("scheme", ["{}", "Token {}", "Key {}", "ApiKey {}", "Bearer:{}", "bearer={}", "{}:", "{} {}"])
def test_a_key_without_bearer_before_it_is_told_what_is_missing(
    client: FlaskClient, made: MemoryKeys, kind: keys.Kind, scheme: str
) -> None:
    key = made.make(kind=kind)
    answer = ask(client, ATTACK, attack(), headers={"Authorization": scheme.format(key, key)})
    assert "write `Bearer`" in refused(answer, 401, "bad-key", key=key)["detail"]
    assert made.asked == 0


@pytest.mark.parametrize("pair", ["{}:", ":{}", "{}", "user:{}"])
def test_a_key_as_name_or_password_is_told_the_same(client: FlaskClient, made: MemoryKeys, pair: str) -> None:
    key = made.make()
    packed = b64encode(pair.format(key).encode()).decode()
    answer = ask(client, ATTACK, attack(), headers={"Authorization": f"Basic {packed}"})
    assert "write `Bearer`" in refused(answer, 401, "bad-key", key=key)["detail"]
    assert packed not in answer.get_data(as_text=True) + str(answer.headers)


def test_a_key_in_another_header_is_not_passed_over_either(client: FlaskClient, made: MemoryKeys) -> None:
    key = made.make()
    told = refused(ask(client, ATTACK, attack(), headers={"X-Api-Key": key}), 401, "bad-key", key=key)
    assert "Authorization" in told["detail"]
    assert ask(client, ATTACK, attack(), headers={"X-Api-Key": "of somebody else"}).status_code == 200


def test_expired_and_revoked_keys_are_told_so_to_who_has_them_and_to_nobody_else() -> None:
    clock = Clock()
    made = MemoryKeys(clock)
    short, revoked = made.make(lasts_s=60.0), made.make()
    made.revoke(revoked)
    callers = Callers(settings(), made, clock, clock)

    def said(key: str) -> str:
        with pytest.raises(ProblemError) as refusal:
            callers.identify({"HTTP_AUTHORIZATION": f"Bearer {key}"})
        assert refusal.value.kind.slug == "bad-key"
        return refusal.value.detail

    assert "revoked" in said(revoked)
    guess = keys.Parts("secret", keys.parse(revoked).id, keys.make("secret").secret).written
    assert "revoked" not in said(guess)
    clock.at += 59.9
    assert not callers.identify({"HTTP_AUTHORIZATION": f"Bearer {short}"}).anonymous
    # The last moment does not count any more, even for one who looked the key up just before.
    clock.at += 0.1
    assert "expired" in said(short)


def test_a_gateway_without_peppers_or_without_a_store_takes_no_keys(made: MemoryKeys) -> None:
    key = made.make()
    for app in (create_app(settings(()), GAMES, None, made), create_app(settings(()), GAMES)):
        client = app.test_client()
        told = refused(ask(client, ATTACK, attack(), headers=by(key)), 401, "bad-key", key=key)
        assert "takes no keys" in told["detail"]
        assert ask(client, ATTACK, attack()).status_code == 200
    assert made.asked == 0


def test_a_key_that_does_not_count_is_refused_before_anything_else(client: FlaskClient) -> None:
    wrong = by(keys.make("secret").written)
    for path in ("/", "/v1/games", "/v1/jobs", f"/v1/jobs/{'0' * 32}", "/nowhere", "/openapi.json", "/v1/limits"):
        refused(client.get(path, headers={**wrong, "Accept": "image/png"}), 401, "bad-key")
    refused(client.post("/v1/games", headers=wrong), 401, "bad-key")
    refused(client.post(ATTACK, data=b"x" * 2_000_000, headers=wrong), 401, "bad-key")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/problems", "/problems/bad-key"])
def test_the_service_tells_of_its_health_whoever_asks(made: MemoryKeys, path: str) -> None:
    made.away = True
    client = create_app(settings(anonymous=False), GAMES, None, made).test_client()
    for headers in ({}, by(made.make()), by("nonsense")):
        assert client.get(path, headers=headers).status_code == 200
    assert made.asked == 0


# Revocation, and a store that is away


class Asking:
    """A process of the gateway whose time is ours."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.made = MemoryKeys(self.clock)
        self.callers = Callers(settings(), self.made, self.clock, self.clock)

    def slug(self, key: str) -> str | None:
        """Give how a key is refused, or None."""
        try:
            found = self.callers.identify({"HTTP_AUTHORIZATION": f"Bearer {key}"})
        except ProblemError as refusal:
            return refusal.kind.slug
        assert not found.anonymous
        return None


def test_a_revoked_key_counts_for_a_quarter_of_a_second_at_most() -> None:
    asking = Asking()
    key = asking.made.make()
    assert asking.slug(key) is None
    asking.made.revoke(key)
    asking.clock.at += 0.2499
    assert asking.slug(key) is None
    assert asking.made.asked == 1
    asking.clock.at += 0.0002
    assert asking.slug(key) == "bad-key"
    assert asking.slug(key) == "bad-key"


def test_a_key_that_is_asked_with_all_the_time_is_still_looked_up_four_times_a_second() -> None:
    asking = Asking()
    key = asking.made.make()
    for _ in range(1_001):
        assert asking.slug(key) is None
        asking.clock.at += 0.001
    assert 4 <= asking.made.asked <= 5


def test_keys_seen_in_the_last_minute_outlast_a_store_that_is_away() -> None:
    asking = Asking()
    known, unseen = asking.made.make("a"), asking.made.make("b")
    guess = keys.Parts("secret", keys.parse(known).id, keys.make("secret").secret).written
    assert asking.slug(known) is None
    asking.made.away = True
    asking.clock.at += 59.9
    assert asking.slug(known) is None
    assert asking.slug(unseen) == "store-away"
    assert asking.slug(guess) == "store-away"
    asking.clock.at += 0.2
    assert asking.slug(known) == "store-away"
    asking.made.away = False
    asking.clock.at += 1.0
    assert [asking.slug(each) for each in (known, unseen, guess)] == [None, None, "bad-key"]


def test_a_key_that_expires_while_the_store_is_away_does_not_count() -> None:
    asking = Asking()
    key = asking.made.make(lasts_s=10.0)
    assert asking.slug(key) is None
    asking.made.away = True
    asking.clock.at += 9.0
    assert asking.slug(key) is None
    asking.clock.at += 1.0
    assert asking.slug(key) == "bad-key"


def test_a_store_that_is_away_is_not_waited_for_by_every_request() -> None:
    asking = Asking()
    key = asking.made.make()
    asking.made.away = True
    for _ in range(100):
        assert asking.slug(key) == "store-away"
        asking.clock.at += 0.02
    assert asking.made.asked <= 3


def test_a_key_that_cannot_be_checked_is_put_off_with_a_problem(client: FlaskClient, made: MemoryKeys) -> None:
    key = made.make()
    made.away = True
    answer = ask(client, ATTACK, attack(), headers=by(key))
    assert "key" in refused(answer, 503, "store-away", key=key)["detail"]
    assert int(answer.headers["Retry-After"]) > 0
    assert ask(client, ATTACK, attack()).status_code == 200


# Pages in browsers


def test_a_publishable_key_is_taken_from_its_origins_alone(client: FlaskClient, made: MemoryKeys) -> None:
    key = made.make(kind="publishable")
    assert ask(client, ATTACK, attack(), headers=by(key, Origin=ORIGIN)).status_code == 200
    for origin in (
        "https://other.example",
        f"{ORIGIN}:443",
        f"{ORIGIN}:8443",
        ORIGIN.replace("https", "http"),
        ORIGIN.upper(),
        f"{ORIGIN}.evil.example",
        f"https://evil.{ORIGIN[8:]}",
        f"{ORIGIN}/",
        "null",
        "",
        f"{ORIGIN},{ORIGIN}",
    ):
        refused(ask(client, ATTACK, attack(), headers=by(key, Origin=origin)), 403, "wrong-origin", key=key)
    refused(ask(client, ATTACK, attack(), headers=by(key)), 403, "wrong-origin", key=key)


@pytest.mark.parametrize("origin", [ORIGIN, "null", "http://localhost", ""])
def test_a_secret_key_from_a_page_is_refused(client: FlaskClient, made: MemoryKeys, origin: str) -> None:
    key = made.make()
    told = refused(ask(client, ATTACK, attack(), headers=by(key, Origin=origin)), 403, "secret-key-in-browser", key=key)
    assert "publishable" in told["detail"]


def test_a_browser_may_ask_whether_it_may_send_a_key(client: FlaskClient, made: MemoryKeys) -> None:
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "Authorization",
    }
    closed = create_app(settings(anonymous=False), GAMES, None, made).test_client()
    for each in (client, closed):
        answer = each.options(ATTACK, headers=asked)
        assert answer.status_code == 200
        assert "Authorization" in answer.headers["Access-Control-Allow-Headers"].split(", ")


# What a key is for


def test_a_key_is_refused_what_it_is_not_for(client: FlaskClient, made: MemoryKeys) -> None:
    only = {scope: by(made.make(scope, scopes=(scope,))) for scope in keys.SCOPES}
    every = by(made.make())
    asked: dict[str, tuple[str, Any]] = {
        "ask": (ATTACK, attack()),
        "jobs": (SIMULATE, attack(count=3)),
        "boards": (IMPORT, {}),
    }
    for scope, (path, body) in asked.items():
        assert ask(client, path, body, headers=every).status_code not in {401, 403}
        for other, headers in only.items():
            answer = ask(client, path, body, headers=headers)
            if other == scope:
                assert answer.status_code not in {401, 403}
                continue
            assert repr(scope) in refused(answer, 403, "out-of-scope")["detail"]
            assert f'scope="{scope}"' in answer.headers["WWW-Authenticate"]


def test_a_key_without_jobs_gets_none_by_preference_either(
    client: FlaskClient, made: MemoryKeys, store: MemoryJobs
) -> None:
    headers = by(made.make(scopes=("ask",)), Prefer="respond-async")
    refused(ask(client, ATTACK, attack(), headers=headers), 403, "out-of-scope")
    refused(ask(client, f"{ATTACK}/odds", attack(), headers=headers), 403, "out-of-scope")
    assert store.kept == {}


# Where a key is needed


def test_a_service_for_holders_of_keys_alone_answers_nobody_else(made: MemoryKeys, store: MemoryJobs) -> None:
    client = create_app(settings(anonymous=False), GAMES, store, made).test_client()
    for answer in (
        ask(client, ATTACK, attack()),
        ask(client, SIMULATE, attack(count=3)),
        ask(client, IMPORT, {}),
        client.get("/v1/jobs"),
        client.get(f"/v1/jobs/{'0' * 32}"),
        client.get("/v1/games"),
    ):
        refused(answer, 401, "key-needed")
    assert store.kept == {}
    for path in ("/", "/v1/limits", "/openapi.json"):
        assert client.get(path).status_code == 200
    problem(client.get("/nowhere"), 404, "not-found")
    assert ask(client, ATTACK, attack(), headers=by(made.make())).status_code == 200


def test_a_service_that_nobody_could_ask_is_not_started() -> None:
    with pytest.raises(WrongSettings, match="ARBITER_KEY_PEPPERS"):
        Settings(anonymous=False)


# Keys in addresses and logs


@pytest.mark.parametrize("path", ["/", "/v1/games", ATTACK, "/nowhere", "/healthz", "/problems/bad-key", "/v1//games"])
def test_a_key_in_an_placeis_refused_and_not_repeated(client: FlaskClient, made: MemoryKeys, path: str) -> None:
    key = made.make()
    escaped = "".join(f"%{ord(letter):02X}" for letter in key)
    for place in (f"{path}?key={key}", f"{path}?{escaped}=1", f"{path.rstrip('/')}/{key}", f"/{escaped}{path}"):
        for answer in (client.get(place), client.post(place, json={}), client.get(place, headers=by(key))):
            told = refused(answer, 400, "key-in-url", key=key)
            assert "revoked" in told["detail"]
    assert made.asked == 0


def test_no_key_is_ever_logged(made: MemoryKeys, capsys: pytest.CaptureFixture[str]) -> None:
    key = made.make()
    app = create_app(settings(log_level="debug"), GAMES, None, made)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    client = app.test_client()
    ask(client, ATTACK, attack(), headers=by(key, **{"X-Request-Id": key}))
    ask(client, f"{ATTACK}?{key}", attack())
    client.get(f"/v1/games/{key}")
    client.get(f"/{key}", headers={"X-Request-Id": f"mine:{key}"})
    made.away = True
    client.get("/v1/games", headers=by(made.make()))
    ask(client, ATTACK, attack(), headers=by(key[:-1]))
    lines = capsys.readouterr()
    assert len(lines.out.splitlines()) >= 6
    for text in (lines.out, lines.err):
        assert "arb_" not in text
        assert key[8:] not in text


def test_a_fault_of_our_own_does_not_log_a_key_in_the_path(
    made: MemoryKeys, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("api.app.refuse_in_url", fail)
    app = create_app(settings(log_level="debug"), GAMES, None, made)
    key = made.make()
    refused(app.test_client().get(f"/v1/games/{key}"), 500, "internal", key=key)
    assert key[8:] not in capsys.readouterr().out
