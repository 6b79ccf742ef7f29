"""Who calls callbacks when: a callback is due when its job ends, and again after each attempt that did not reach it.

How one is called is `workers.webhooks.delivery`. What is due is sent to the workers by the sweep.
"""

import time
from typing import Annotated, cast

import msgspec
from msgspec import Meta

from arbiter.value import Value
from infra.logging import log_of
from infra.redis import key
from infra.tracing import Trace, below_kept, within
from workers.jobs.scripts import JobScripts
from workers.webhooks import delivery
from workers.webhooks.callback import Callback
from workers.webhooks.delivery import State

_log = log_of(__name__)


class Call(Value, frozen=True):
    """A callback to be called about a job that has ended, at `ended` in seconds since 1970."""

    id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    state: State
    ended: float
    attempt: int
    callback: Callback


class CallbackStore:
    """The callbacks that are due; everything raises `StoreUnavailable`."""

    def __init__(self, scripts: JobScripts) -> None:
        self._scripts = scripts

    def read(self, name: str) -> tuple[Call, Trace | None] | None:
        """Give a callback, and a trace below the request that made the job, where that is known.

        A callback that cannot be read is given up.
        """
        names = key("call", name), key("call", name, "trace")
        record, header = self._scripts.ask(lambda redis: cast(list[bytes | None], redis.mget(names)))
        here = below_kept(header)
        try:
            return None if record is None else (msgspec.json.decode(record, type=Call), here)
        except (msgspec.MsgspecError, UnicodeDecodeError) as wrong:
            with within(here):
                _log.error("callback-given-up", callback=name, reason=str(wrong))
            self._scripts.run("callback_tried", name, "given-up", b"", 0)
            return None

    def tried(self, name: str, call: Call, outcome: str, again_at: float | None) -> None:
        """Note how an attempt went, and when the next one is due, if there is one."""
        following = msgspec.structs.replace(call, attempt=call.attempt + 1)
        record = b"" if again_at is None else msgspec.json.encode(following)
        again_ms = 0 if again_at is None else int(again_at * 1_000)
        self._scripts.run("callback_tried", name, outcome, record, again_ms)


def attempt(call: Call, name: str, trace: Trace | None, *, loopback_allowed: bool) -> tuple[str, float | None]:
    """Call a callback once; give the outcome, and when to try again if that is to be done."""
    links = {"self": f"/v1/jobs/{call.id}", "result": f"/v1/jobs/{call.id}/result"}
    message = delivery.make_message(call.id, call.state, call.ended, links)
    settings = delivery.DeliverySettings(loopback_allowed=loopback_allowed)
    delivered = delivery.deliver(call.callback, name, message, now=time.time(), settings=settings, trace=trace)
    _log.info("callback", job=call.id, attempt=call.attempt, outcome=delivered.outcome, reason=delivered.reason)
    if delivered.outcome != "again":
        return delivered.outcome, None
    again_at = delivery.next_attempt(call.attempt, call.ended, name, time.time())
    return ("given-up" if again_at is None else "again"), again_at
