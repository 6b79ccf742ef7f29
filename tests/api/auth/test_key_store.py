"""The store of keys, in a real server: made, found, listed, revoked, and what two operators do at once."""

import hashlib
import hmac
import time
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from api import create_app
from api.auth import keys
from api.auth.key_store import LISTED_MS, MOST_LIVE, EnoughKeys, Keystore
from api.auth.keys import parse
from api.settings import Settings
from cli.key_schema import new_key
from infra.errors import StoreUnavailable
from tests.api.memory_keys import PEPPER
from tests.api.posting import ATTACK, TEMPLATE, ask, attack, problem
from tests.patience import within
from tests.workers.service import Server


@pytest.fixture
def server(one_server: Server) -> Server:
    if not one_server.answers():
        one_server.start()
    one_server.client.flushall()
    return one_server


@pytest.fixture
def store(server: Server) -> Keystore:
    return Keystore(Settings(redis_url=server.url))


def test_a_key_is_found_as_it_was_made(store: Keystore) -> None:
    wanted = new_key("publishable", "acme", ("ask", "jobs"), ("https://table.example",), 600)
    before = time.time()
    written, facts = store.create(wanted, PEPPER, 3_600.0)
    parts = parse(written)
    assert (parts.kind, parts.id) == ("publishable", facts.id)
    assert msgspec.structs.replace(facts, id="", made=0.0, expires=None) == wanted
    assert before - 1 < facts.made < time.time() + 1
    assert facts.expires == pytest.approx(facts.made + 3_600.0)
    record = store.find(facts.id)
    assert record is not None
    assert record.facts == facts
    assert keys.fits(parts, record.seal, (PEPPER,))
    assert store.list_keys() == (facts,)


def test_what_is_kept_does_not_give_the_key_away(server: Server, store: Keystore) -> None:
    written, facts = store.create(new_key("secret", "acme"), PEPPER)
    kept = server.client.hgetall(f"arbiter:apikey:{facts.id}")
    expected = hmac.new(PEPPER.encode(), written[:-7].encode(), hashlib.sha256).hexdigest()
    assert kept[b"seal"] == expected.encode()
    for name in server.client.scan_iter():
        held = server.client.dump(name)
        assert parse(written).secret.encode() not in (held or b"")
    assert PEPPER.encode() not in b"".join((*kept.keys(), *kept.values()))


def test_a_holder_has_two_live_keys_at_most(store: Keystore) -> None:
    made = [store.create(new_key("secret", "acme"), PEPPER)[1] for _ in range(MOST_LIVE)]
    assert MOST_LIVE == 2
    with pytest.raises(EnoughKeys) as enough:
        store.create(new_key("secret", "acme"), PEPPER)
    assert set(enough.value.live) == {facts.id for facts in made}
    assert len(store.list_keys()) == 2
    assert store.create(new_key("secret", "umbra"), PEPPER)
    store.revoke(made[0].id)
    assert store.create(new_key("secret", "acme"), PEPPER)
    with pytest.raises(EnoughKeys):
        store.create(new_key("secret", "acme"), PEPPER)


def test_an_expired_key_makes_room_for_another(store: Keystore) -> None:
    for _ in range(MOST_LIVE):
        store.create(new_key("secret", "acme"), PEPPER, 2.0)
    with pytest.raises(EnoughKeys):
        store.create(new_key("secret", "acme"), PEPPER)
    assert within(lambda: [facts.state(time.time()) for facts in store.list_keys()] == ["expired", "expired"])
    assert store.create(new_key("secret", "acme"), PEPPER)
    assert [facts.state(time.time()) for facts in store.list_keys()] == ["expired", "expired", "live"]


def test_many_operators_at_once_make_two_keys(store: Keystore) -> None:
    def make(_: int) -> bool:
        try:
            store.create(new_key("secret", "acme"), PEPPER)
        except EnoughKeys:
            return False
        return True

    with ThreadPoolExecutor(8) as operators:
        assert sum(operators.map(make, range(16))) == MOST_LIVE


def test_a_name_that_is_taken_is_not_given_again(store: Keystore, monkeypatch: pytest.MonkeyPatch) -> None:
    first, facts = store.create(new_key("secret", "acme"), PEPPER)
    taken = msgspec.structs.replace(keys.make("secret"), id=facts.id)
    offered = [taken, free := keys.make("secret")]
    monkeypatch.setattr(keys, "make", lambda kind: offered.pop(0))
    written, other = store.create(new_key("secret", "umbra"), PEPPER)
    assert (written, other.id) == (free.written, free.id)
    record = store.find(facts.id)
    assert record is not None
    assert record.facts.holder == "acme"
    assert keys.fits(parse(first), record.seal, (PEPPER,))


def test_a_key_is_revoked_once_and_for_all(server: Server, store: Keystore) -> None:
    _, facts = store.create(new_key("secret", "acme"), PEPPER)
    revoked = store.revoke(facts.id)
    assert revoked is not None
    assert revoked.revoked is not None
    assert revoked.revoked >= facts.made
    assert store.revoke(facts.id) == revoked
    record = store.find(facts.id)
    assert record is not None
    assert record.facts == revoked
    assert store.list_keys() == (revoked,)
    # It is still listed for a month, and then forgotten; a live key without an end never is.
    assert 0 < server.client.pttl(f"arbiter:apikey:{facts.id}") <= LISTED_MS
    _, other = store.create(new_key("secret", "acme"), PEPPER)
    assert server.client.ttl(f"arbiter:apikey:{other.id}") == -1
    server.client.delete(f"arbiter:apikey:{facts.id}")
    assert store.list_keys() == (other,)
    assert server.client.smembers("arbiter:apikeys") == {other.id.encode()}


def test_what_was_never_made_is_neither_found_nor_revoked(server: Server, store: Keystore) -> None:
    assert store.find("aaaaaaaa") is None
    assert store.revoke("aaaaaaaa") is None
    assert store.list_keys() == ()
    assert server.names() == set()


def test_keys_outlive_a_server_that_is_killed(server: Server, store: Keystore) -> None:
    _, facts = store.create(new_key("secret", "acme"), PEPPER)
    time.sleep(0.05)
    server.kill()
    for act in (lambda: store.find(facts.id), store.list_keys, lambda: store.create(new_key("secret", "acme"), PEPPER)):
        with pytest.raises(StoreUnavailable):
            act()
    server.start()
    record = store.find(facts.id)
    assert record is not None
    assert record.facts == facts


def test_a_gateway_looks_keys_up_where_its_settings_say(server: Server, store: Keystore) -> None:
    written, facts = store.create(new_key("secret", "acme"), PEPPER)
    settings = Settings(redis_url=server.url, key_peppers=(PEPPER,), log_level="error")
    client = create_app(settings, {TEMPLATE.name: TEMPLATE}).test_client()
    headers = {"Authorization": f"Bearer {written}"}
    assert ask(client, ATTACK, attack(), headers=headers).status_code == 200
    assert client.get("/v1/jobs", headers=headers).status_code == 200
    store.revoke(facts.id)
    time.sleep(0.26)
    assert "revoked" in problem(ask(client, ATTACK, attack(), headers=headers), 401, "bad-key")["detail"]
