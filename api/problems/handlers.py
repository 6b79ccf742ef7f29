"""Problems: every error as problem details (RFC 9457), in the same form wherever it arises.

Every error is answered as `application/problem+json`, including those that Flask raises outside any view. `type` is a
path of this service that explains the kind of problem. No long value is echoed, and no traceback is shown.
"""

import difflib
from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any
from urllib.parse import quote

import msgspec
from flask import Flask, Response, g, request
from msgspec import UNSET, UnsetType
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from api.auth.keys import without_key
from api.observability.request_log import Log, request_id
from api.problems.catalogue import KINDS
from api.schemas.field_errors import MOST_FAULTS, excerpt, shorten
from api.schemas.responses import PROBLEM, json_response
from arbiter.fault import Fault, Faults, UnknownName
from arbiter.game import Arbiter
from arbiter.odds.best_play import BEST
from arbiter.odds.exact import PathBudgetExceeded, TimeBudgetExceeded
from arbiter.value import Value
from infra.errors import CorruptRecord, StoreUnavailable
from workers.jobs.models import Cause, KeyReused, QueueFull, ShareFull, TooManyOpen

MOST_SHOWN = 300
"""Characters of a posted value, a name or a message that a problem shows."""

_BY_STATUS = {
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    412: "precondition-failed",
    413: "too-large",
    415: "unsupported-media-type",
    422: "invalid",
}


class Instead(Value, frozen=True):
    """What to post instead: members to add to the same body, on a path of this service."""

    path: str
    add: dict[str, Any]


class AsJob(Value, frozen=True):
    """How to post the same work as a job: the header to send, and the paths and seconds that a job may take."""

    path: str
    prefer: str
    budget: int
    limit_s: float


class Problem(Value, frozen=True):
    """Problem details (RFC 9457): the kind, what happened this time, and every fault with its place.

    Each of the other members belongs to some kinds. Odds over their `budget` of paths, or their `limit_s` seconds of
    one core, name what to post `instead`, and how to get them `as_job`. Work over a limit has its `estimate_s`, a full
    queue the seconds of waiting work (`waiting_s`), a caller with too many open jobs the `most`. A spent quota has its
    `policy`, its units in a window, the refused `cost`, the units left, and the wait. A failed job has its `cause`, and
    a board that is not stored, or was put under a wrong digest, the path to put it to.
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: tuple[Fault, ...] = ()
    budget: int | UnsetType = UNSET
    limit_s: float | UnsetType = UNSET
    instead: Instead | UnsetType = UNSET
    as_job: AsJob | UnsetType | None = UNSET
    estimate_s: float | UnsetType = UNSET
    waiting_s: float | UnsetType = UNSET
    most: int | UnsetType = UNSET
    policy: str | UnsetType = UNSET
    quota: int | UnsetType = UNSET
    window_s: int | UnsetType = UNSET
    cost: int | UnsetType = UNSET
    left: int | UnsetType = UNSET
    wait_s: int | UnsetType = UNSET
    cause: Cause | UnsetType = UNSET
    digest: str | UnsetType = UNSET
    put: str | UnsetType = UNSET


ASKED_PATH = "asked_path"
"""The name under which a batch notes, during an item, the path at which the item could be posted alone."""

STORE_BACK_S = 5
"""Seconds after which to try again when the store of jobs is away, or the caller has too many jobs."""

MOST_PUT_OFF_S = 300
"""The longest `Retry-After` when the queue is full."""

HEADS_OFFERED = 50_000
"""Heads that a problem with too many paths offers: enough for two digits of every probability."""

PATHS_OF_A_HEAD = 20
"""Paths that one head is expected to take, most of them in rules that other rules call."""


class OverBudget(Exception):
    """A law, or a crowd of `heads`, exceeds its limit of paths or time; `policies` are the posted ones."""

    def __init__(
        self, why: PathBudgetExceeded | TimeBudgetExceeded, heads: int | None, policies: Mapping[str, str]
    ) -> None:
        self.why, self.heads, self.policies = why, heads, policies
        super().__init__(str(why))

    @property
    def fewer(self) -> int:
        """The number of heads to post instead; fewer each time, while the number offered is still too high."""
        paths = self.why.budget if isinstance(self.why, PathBudgetExceeded) else HEADS_OFFERED * PATHS_OF_A_HEAD
        return max(1, min(HEADS_OFFERED, (self.heads or paths) // PATHS_OF_A_HEAD))

    @property
    def settled(self) -> dict[str, Any]:
        """Give the members that leave no choice to best play, because a crowd cannot use it."""
        if BEST not in self.policies.values():
            return {}
        return {"policies": {who: "first" if name == BEST else name for who, name in self.policies.items()}}


class ProblemError(Exception):
    """The request is refused with a problem of the given kind; `more` are the members that only this kind has."""

    def __init__(
        self,
        slug: str,
        detail: str,
        faults: Iterable[Fault] = (),
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        self.kind, self.detail, self.faults, self.headers = KINDS[slug], detail, tuple(faults), dict(headers or {})
        self.more = more
        super().__init__(detail)


def no_such(kind: str, name: str, names_: Iterable[str]) -> ProblemError:
    """Give the problem of an unknown name, with the existing and the nearest names."""
    names = tuple(names_)
    near = difflib.get_close_matches(name.lower()[:80], names, n=3)
    listed = ", ".join(names[:50]) + (f" and {len(names) - 50} more" if len(names) > 50 else "")
    fault = Fault(
        "",
        f"unknown-{kind.replace(' ', '-')}",
        f"there is no {kind} {shorten(name, MOST_SHOWN)!r}",
        seen=name,
        expected=f"one of {listed}" if names else "nothing: there is none",
        hint=f"did you mean {' or '.join(near)}?" if near else "",
    )
    return ProblemError("not-found", f"There is no {kind} {shorten(name, MOST_SHOWN)!r}.", [fault])


def handle(
    app: Flask, log: Log, games: Mapping[str, Arbiter], rooms: Iterable[str], job_odds: tuple[int, float] | None
) -> None:
    """Answer every error in the app with a problem.

    `rooms` are the pages that games have; `job_odds` are the paths and seconds that odds may take as a job, None
    without jobs.
    """

    @app.errorhandler(ProblemError)
    def refused(refusal: ProblemError) -> Response:
        if refusal.kind.status >= 500:
            log.warning(refusal.kind.slug, request_id=request_id(), reason=repr(refusal.__cause__))
        return _answer(refusal.kind.slug, refusal.detail, refusal.headers, refusal.faults, **refusal.more)

    @app.errorhandler(StoreUnavailable)
    def store_away(away: StoreUnavailable) -> Response:
        log.warning("store-away", request_id=request_id(), reason=repr(away.__cause__ or away))
        return _answer("store-away", headers=_retry(STORE_BACK_S))

    @app.errorhandler(CorruptRecord)
    def damaged(record: CorruptRecord) -> Response:
        log.error("damaged", request_id=request_id(), path=request.path, reason=str(record))
        return _answer("damaged")

    @app.errorhandler(QueueFull)
    def queue_full(full: QueueFull) -> Response:
        detail = f"About {full.waiting_s:,.0f} seconds of work are queued; the job was not accepted."
        # The queue has space long before it is empty.
        return _answer("queue-full", detail, _retry(full.waiting_s / 10), waiting_s=full.waiting_s)

    @app.errorhandler(ShareFull)
    def share_full(full: ShareFull) -> Response:
        detail = (
            f"About {full.waiting_s:,.0f} seconds of your work are open, of at most {full.most_s:,.0f}; the job was "
            f"not accepted. It can be accepted when {full.wait_s:,.0f} seconds of them are done."
        )
        retry = _retry(full.wait_s)
        return _answer("too-much-waiting", detail, retry, waiting_s=full.waiting_s, limit_s=full.most_s)

    @app.errorhandler(TooManyOpen)
    def too_many_open(many: TooManyOpen) -> Response:
        detail = f"You have {many.most:,} open jobs, the most that one caller may have."
        return _answer("too-many-jobs", detail, _retry(STORE_BACK_S), most=many.most)

    @app.errorhandler(KeyReused)
    def key_reused(_: KeyReused) -> Response:
        return _answer("key-reused")

    @app.errorhandler(Faults)
    def faults(refusal: Faults) -> Response:
        return _answer("invalid", f"{_count(refusal)} wrong with the request.", faults=refusal.faults)

    @app.errorhandler(UnknownName)
    def unknown_name(name: UnknownName) -> Response:
        return refused(no_such(name.kind, name.name, name.known))

    @app.errorhandler(OverBudget)
    def over_budget(over: OverBudget) -> Response:
        paths = over.why.budget if isinstance(over.why, PathBudgetExceeded) else None
        limit_s = over.why.seconds if isinstance(over.why, TimeBudgetExceeded) else None
        most = f"{paths:,} paths" if limit_s is None else f"{limit_s:g} seconds of one core"
        detail = f"This takes more than {most}; `heads: {over.fewer}` counts a crowd; or ask for few `fields`."
        if over.settled:
            detail += f" Best play is not available for a crowd: replace {BEST!r} with another policy."
        as_job = None
        if job_odds is not None and (job_odds[0] > paths if paths is not None else job_odds[1] > (limit_s or 0)):
            as_job = AsJob(_path(), "respond-async", *job_odds)
        instead = Instead(_path(), {"heads": over.fewer, **over.settled})
        if paths is not None:
            return _answer("too-many-paths", detail, budget=paths, instead=instead, as_job=as_job)
        return _answer("odds-too-long", detail, limit_s=limit_s, instead=instead, as_job=as_job)

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> Response:
        status = error.code or 500
        lost = _unknown_path(request.path, games, rooms)
        # The templates of paths match unknown names, too.
        if status == 404 or (status == 405 and lost.faults):
            return refused(lost)
        kind = _BY_STATUS.get(status, "bad-request" if status < 500 else "internal")
        if isinstance(error, MethodNotAllowed):
            methods = ", ".join(sorted(error.valid_methods or ()))
            detail = f"Method {request.method[:20]} not allowed; this path has {methods}."
            return _answer(kind, detail, {"Allow": methods})
        return _answer(kind)

    @app.errorhandler(Exception)
    def bug(error: Exception) -> Response:
        log.error("fault", request_id=request_id(), path=without_key(request.path), exc_info=error)
        return _answer("internal", "Internal error; it is logged under the id of this request.")


def _path() -> str:
    """Give the requested path: in a batch that of the item, which is answered as if it were posted alone."""
    path: str = g.get(ASKED_PATH, request.path)
    return path


def _count(refusal: Faults) -> str:
    if refusal.faults[-1].code == "more-faults":
        return f"More than {len(refusal.faults) - 1} things are"
    return "One thing is" if len(refusal.faults) == 1 else f"{len(refusal.faults)} things are"


def _unknown_path(path: str, games: Mapping[str, Arbiter], rooms: Iterable[str]) -> ProblemError:
    """Give the problem of an unknown path: the part that is unknown, and the existing names."""
    _, version, *parts = path.split("/")
    if version != "v1" or parts[:1] != ["games"] or len(parts) < 2:
        return ProblemError("not-found", "Not found; / lists the paths.")
    if parts[1] not in games:
        return no_such("game", parts[1], games)
    here = [*games[parts[1]].questions, *rooms]
    if len(parts) == 2 or parts[2] in here:
        return ProblemError("not-found", f"This path does not exist; /v1/games/{parts[1]} lists the paths of the game.")
    return no_such("question or page", parts[2], here)


def _retry(seconds: float) -> dict[str, str]:
    return {"Retry-After": str(min(max(1, ceil(seconds)), MOST_PUT_OFF_S))}


def _answer(
    slug: str, detail: str = "", headers: Mapping[str, str] | None = None, faults: Iterable[Fault] = (), **more: Any
) -> Response:
    """Answer with a problem of a kind; without a detail, with the meaning of the kind."""
    kind = KINDS[slug]
    problem = Problem(
        type=kind.path,
        title=kind.title,
        status=kind.status,
        detail=detail or kind.meaning,
        instance=quote(without_key(_path())[:MOST_SHOWN]),
        request_id=request_id(),
        # If more faults are found than are listed, the last one says so.
        errors=tuple(_shorten_fault(fault) for fault in tuple(faults)[: MOST_FAULTS + 1]),
        **more,
    )
    answer = json_response(problem, kind.status, PROBLEM)
    answer.headers.update(headers or {})
    return answer


def _shorten_fault(fault: Fault) -> Fault:
    """Give the fault with every long value shortened."""
    seen = fault.seen if len(msgspec.json.encode(fault.seen)) <= MOST_SHOWN else excerpt(fault.seen, MOST_SHOWN)
    place, message, hint = (shorten(text, MOST_SHOWN) for text in (fault.pointer, fault.message, fault.hint))
    return Fault(place, fault.code, message, seen, shorten(fault.expected, 1_000), hint)
