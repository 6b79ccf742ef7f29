"""The schedule of callbacks: a callback is due when its job ends, and again after each failed attempt.

Only one callback of a caller is called at a time, and only one for a host; a host that does not answer is skipped for a
while, longer each time. So slow receivers delay only the callbacks of their own caller. The sweep sends due callbacks,
and so does each call when it ends. `workers.webhooks.delivery` makes the call.
"""

import time
from typing import Annotated, cast

import msgspec
from msgspec import Meta

from arbiter.value import Value
from infra.logging import log_of
from infra.redis import key
from infra.tracing import Trace, below_stored, within
from workers.jobs.scripts import JobScripts
from workers.webhooks import delivery
from workers.webhooks.callback import Callback
from workers.webhooks.delivery import DeliveryResult, State

_log = log_of(__name__)


class Call(Value, frozen=True):
    """A callback to call for a job that has ended, at `ended` in seconds since 1970."""

    id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    state: State
    ended: float
    attempt: int
    callback: Callback


class CallbackStore:
    """The callbacks that are due; everything raises `StoreUnavailable`."""

    def __init__(self, scripts: JobScripts, busy_s: float) -> None:
        self._scripts, self._busy_ms = scripts, round(busy_s * 1_000)

    def read(self, name: str) -> tuple[Call, Trace | None] | None:
        """Give a callback, and a trace below the request that made the job, if that is known.

        An unreadable callback is given up.
        """
        names = key("call", name), key("call", name, "trace")
        record, header = self._scripts.ask(lambda redis: cast(list[bytes | None], redis.mget(names)))
        here = below_stored(header)
        try:
            return None if record is None else (msgspec.json.decode(record, type=Call), here)
        except (msgspec.MsgspecError, UnicodeDecodeError) as wrong:
            with within(here):
                _log.error("callback-given-up", callback=name, reason=str(wrong))
            self._scripts.run("callback_tried", name, "given-up", b"", 0, 1)
            return None

    def due(self) -> tuple[str, ...]:
        """Give the names of the callbacks to call now; one that is not reported within `busy_s` is due again."""
        return tuple(name.decode() for name in self._scripts.run("due_callbacks", self._busy_ms))

    def note_attempt(self, name: str, call: Call, went: DeliveryResult, again_at: float | None) -> None:
        """Record the result of an attempt, and the Unix time of the next one, if any."""
        following = msgspec.structs.replace(call, attempt=call.attempt + 1)
        record = b"" if again_at is None else msgspec.json.encode(following)
        outcome = "given-up" if went.outcome == "again" and again_at is None else went.outcome
        answered = int(went.status is not None)
        self._scripts.run("callback_tried", name, outcome, record, int((again_at or 0.0) * 1_000), answered)


def attempt(
    call: Call, name: str, trace: Trace | None, *, loopback_allowed: bool
) -> tuple[DeliveryResult, float | None]:
    """Call a callback once; give the result, and the time of the next attempt, if any."""
    message = delivery.make_message(call.id, call.state, call.ended)
    settings = delivery.DeliverySettings(loopback_allowed=loopback_allowed)
    # The receiver need not learn the stored name of the caller.
    message_id = name.partition(".")[2]
    delivered = delivery.deliver(call.callback, message_id, message, now=time.time(), settings=settings, trace=trace)
    _log.info("callback", job=call.id, attempt=call.attempt, outcome=delivered.outcome, reason=delivered.reason)
    if delivered.outcome != "again":
        return delivered, None
    return delivered, delivery.next_attempt(call.attempt, call.ended, name, time.time())
