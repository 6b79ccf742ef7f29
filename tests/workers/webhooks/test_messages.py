"""What a client may post as a callback, what a message says, and when it is tried again."""

import base64
import json
from datetime import UTC, datetime
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.webhooks.callback import Callback
from workers.webhooks.delivery import State, make_message, next_attempt

URL = "https://example.org/hooks/9f2c"

# Seconds between attempts as they are published: 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, then 4 h each.
PUBLISHED_S = [5, 30, 2 * 60, 10 * 60, 30 * 60, 3600, 2 * 3600, 4 * 3600, 4 * 3600, 4 * 3600, 4 * 3600, 4 * 3600]


def secret_of(key: bytes) -> str:
    return "whsec_" + base64.b64encode(key).decode()


def decoded(secret: object) -> Callback:
    return msgspec.json.decode(json.dumps({"url": URL, "secret": secret}), type=Callback)


def test_a_secret_has_24_to_64_bytes() -> None:
    for size in range(80):
        secret = secret_of(bytes(range(size)))
        if 24 <= size <= 64:
            assert decoded(secret).secret == secret
        else:
            with pytest.raises(msgspec.ValidationError):
                decoded(secret)


def test_a_secret_of_another_form_is_refused() -> None:
    for secret in (
        "",
        "whsec_",
        base64.b64encode(bytes(32)).decode(),
        secret_of(bytes(32)).replace("whsec_", "whsk_"),
        secret_of(bytes(32)).rstrip("="),
        secret_of(bytes(32)) + "=",
        secret_of(bytes(32)) + "\n",
        secret_of(bytes(32)).replace("A", "-"),
        " " + secret_of(bytes(32)),
        7,
    ):
        with pytest.raises(msgspec.ValidationError):
            decoded(secret)


def test_a_callback_is_a_bounded_url_and_perhaps_a_secret() -> None:
    assert decoded(None) == Callback(URL)
    for body in ({}, {"url": ""}, {"url": "https://" + "a" * 1_993}, {"url": URL, "uri": URL}, {"url": None}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(json.dumps(body), type=Callback)
    assert msgspec.json.decode(json.dumps({"url": "https://" + "a" * 1_992}), type=Callback).secret is None


def test_a_callback_shows_neither_its_secret_nor_its_path() -> None:
    callback = Callback(URL, secret_of(b"a key of twenty-four byt"))
    for shown in (repr(callback), str(callback), f"{callback}", repr((callback,)), repr(callback.__rich_repr__())):
        assert "whsec" not in shown
        assert "9f2c" not in shown
        assert "True" in shown
    assert "False" in repr(Callback(URL))


@pytest.mark.parametrize("state", ["successful", "failed", "dismissed"])
def test_a_message_says_which_job_ended_how_and_when(state: State) -> None:
    ended = datetime(2026, 2, 3, 4, 5, 6, 789_000, tzinfo=UTC).timestamp()
    assert json.loads(make_message("ab12", state, ended)) == {
        "type": f"job.{state}",
        "timestamp": "2026-02-03T04:05:06.789Z",
        "data": {"id": "ab12", "state": state, "links": {"self": "/v1/jobs/ab12", "result": "/v1/jobs/ab12/result"}},
    }


def attempts(seed: str, ended: float = 0.0) -> list[float]:
    """Give the time of every attempt when each is made as soon as it is due."""
    times = [ended]
    while (due := next_attempt(len(times), ended, seed, times[-1])) is not None:
        times.append(due)
    return times


@given(st.text(), st.floats(0, 4e9))
def test_attempts_keep_to_the_published_gaps_until_a_day_after_the_end(seed: str, ended: float) -> None:
    times = attempts(seed, ended)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    for number, gap in enumerate(gaps):
        published = PUBLISHED_S[min(number, len(PUBLISHED_S) - 1)]
        assert 0.8 * published - 1e-3 <= gap <= 1.2 * published + 1e-3
    assert times[-1] <= ended + 86_400
    # The next would have come after the day: it ended less than one longest gap before.
    assert times[-1] > ended + 86_400 - 1.2 * 4 * 3600
    assert attempts(seed, ended) == times


def test_messages_that_fail_together_do_not_come_back_together() -> None:
    shares = sorted(attempts(f"job{number}")[3] / (5 + 30 + 120) for number in range(200))
    assert len(set(shares)) == 200
    assert shares[0] < 0.85
    assert shares[-1] > 1.15


@given(st.integers(1, 30), st.floats(0, 200_000))
def test_an_attempt_made_late_is_followed_by_its_gap_and_not_by_all_that_were_missed(attempt: int, late: float) -> None:
    published = PUBLISHED_S[min(attempt - 1, len(PUBLISHED_S) - 1)]
    due = next_attempt(attempt, 0.0, "job", now=late)
    if due is None:
        assert late + 1.2 * published > 86_400
    else:
        assert 0.8 * published - 1e-6 <= due - late <= 1.2 * published + 1e-6
        assert due <= 86_400
