"""Delivery of callbacks: one small message when a job ends, signed by the Standard Webhooks 1.0 scheme.

The message names the job and its state, but not its result, so it may reach a wrong receiver. Without a secret it has
no `webhook-signature`: anyone could have sent it, and a receiver should take it only as a hint to read the job.

Strangers choose the addresses of callbacks. So the target is checked for each attempt (`workers.webhooks.targets`), the
connection goes to a checked address, an attempt has one time limit, and only the status of the answer is read. The
request uses an adapter without a session: a session reads the body of a redirect even if it follows none, and takes
proxies and passwords from the environment.
"""

import hashlib
import time
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
import requests
from requests.exceptions import SSLError
from standardwebhooks import Webhook
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError
from urllib3.util import Timeout

from arbiter.value import Value
from infra.tracing import HEADER, Trace
from workers.webhooks.adapter import PinnedAdapter
from workers.webhooks.callback import Callback
from workers.webhooks.targets import Resolve, Target, TargetRefused, check_target, look_up

State = Literal["successful", "failed", "dismissed"]
Outcome = Literal["delivered", "gone", "again"]

DAY_S = 86_400.0
"""Seconds after the end of a job after which its callback is given up."""

GAPS_S = (5.0, 30.0, 120.0, 600.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0)
"""Seconds between attempts; the last value applies to all later ones."""


class DeliverySettings(Value, frozen=True, kw_only=True):
    """How callbacks are called.

    `total_s` is the limit of a whole attempt, from the look-up of the name to the header of the answer; only the
    look-up, which the system ends, may take longer. `ca_bundle` is a file of trusted certificates instead of certifi's.
    """

    loopback_allowed: bool = False
    total_s: float = 5.0
    ca_bundle: str | None = None


class DeliveryResult(Value, frozen=True):
    """The outcome of an attempt: `delivered`, `gone` (the receiver wants no more messages) or `again` (to be retried).

    `reason` is one sentence for the log; `status` is the answer's, if there was one.
    """

    outcome: Outcome
    status: int | None
    reason: str


def make_message(job_id: str, state: State, ended: float) -> bytes:
    """Make the message for a job that ended, `ended` in seconds since 1970."""
    at = datetime.fromtimestamp(ended, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    links = {"self": f"/v1/jobs/{job_id}", "result": f"/v1/jobs/{job_id}/result"}
    data = {"id": job_id, "state": state, "links": links}
    return msgspec.json.encode({"type": f"job.{state}", "timestamp": at, "data": data})


def deliver(
    callback: Callback,
    message_id: str,
    message: bytes,
    *,
    now: float,
    settings: DeliverySettings,
    resolve: Resolve = look_up,
    trace: Trace | None = None,
) -> DeliveryResult:
    """Try once to post a message; `message_id` is the same for all attempts, `now` in seconds since 1970.

    `trace` is the attempt's span in the request's trace, and is sent as `traceparent`.

    A status of 200 to 299 is delivered, 410 is gone, everything else is retried: other answers, no answer, and a host
    that cannot be found or now has a forbidden address. Raises `OSError` if the file of trusted certificates is
    missing.
    """
    deadline = time.monotonic() + settings.total_s
    try:
        target = check_target(callback.url, loopback_allowed=settings.loopback_allowed, resolve=resolve)
    except TargetRefused as refused:
        return DeliveryResult("again", None, str(refused))
    request = _request(target, callback.secret, message_id, message, datetime.fromtimestamp(int(now), UTC), trace)
    try:
        status = _post(target, request, settings, deadline)
    except SSLError:
        return DeliveryResult("again", None, "TLS failed: the certificate of the callback is not valid for its name.")
    except requests.Timeout:
        return DeliveryResult("again", None, "The callback did not answer in time.")
    except requests.RequestException:
        return DeliveryResult("again", None, "The connection to the callback failed or was closed.")
    if status == 410:
        return DeliveryResult("gone", status, "The callback answered 410: it wants no more messages.")
    if 200 <= status <= 299:
        return DeliveryResult("delivered", status, f"The callback answered {status}.")
    redirect = "; redirects are not followed" if 300 <= status <= 399 else ""
    return DeliveryResult("again", status, f"The callback answered {status}{redirect}.")


def next_attempt(attempt: int, ended: float, seed: str, now: float) -> float | None:
    """Decide when to retry after the given attempt (the first is 1) failed `now`; None a day after the end.

    Times are seconds since 1970. The gaps are those of `GAPS_S`, each up to a fifth longer or shorter; equal seeds give
    equal gaps.
    """
    # So that attempts that failed together are not retried together.
    fraction = int.from_bytes(hashlib.sha256(f"{seed}/{attempt}".encode()).digest()[:7]) / 2**56
    due = now + GAPS_S[min(attempt, len(GAPS_S)) - 1] * (0.8 + 0.4 * fraction)
    return due if due <= ended + DAY_S else None


def _request(
    target: Target, secret: str | None, message_id: str, message: bytes, at: datetime, trace: Trace | None
) -> requests.PreparedRequest:
    headers = {
        "Host": target.authority,
        "Content-Type": "application/json",
        "User-Agent": "Arbiter-Webhooks/1",
        "Connection": "close",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
    }
    if secret:
        headers["webhook-signature"] = Webhook(secret).sign(message_id, at, message.decode())
    if trace is not None:
        headers[HEADER] = trace.header
    url = f"{'https' if target.tls else 'http'}://{target.authority}{target.path}"
    return requests.Request("POST", url, headers, data=message).prepare()


def _post(target: Target, request: requests.PreparedRequest, settings: DeliverySettings, deadline: float) -> int:
    """Post to the first reachable address and give the status; raises what `requests` raises."""
    failure: requests.RequestException = requests.Timeout()
    for address in target.addresses:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        # Connecting and the TLS handshake get half of the remaining time each; the answer gets the rest.
        timeout: Any = Timeout(connect=left / 2, total=left)  # `HTTPAdapter.send` takes it; its stubs do not say so.
        adapter = PinnedAdapter(target, address)
        try:
            with adapter.send(request, stream=True, timeout=timeout, verify=settings.ca_bundle or True) as answer:
                return answer.status_code
        except requests.ConnectionError as unsent:
            if not _out_of_reach(unsent):
                raise
            failure = unsent
    raise failure


def _out_of_reach(failure: requests.ConnectionError) -> bool:
    """Decide whether nothing was sent because the connection failed."""
    cause = failure.args[0]
    return isinstance(cause, MaxRetryError) and isinstance(cause.reason, ConnectTimeoutError)
