"""The contract in words: what holds for every path, and how a request may be refused."""

from collections.abc import Iterable
from typing import Any

from api.openapi.signing import WORDS as SIGNING
from api.problems.catalogue import KINDS, Kind
from api.problems.handlers import HEADS_OFFERED, SHAPES, AsJob, Instead, Problem
from api.quotas.headers import POLICY, WINDOW_S
from api.resources.limits import general
from api.schemas.responses import PROBLEM
from api.settings import Settings
from workers.jobs.models import Cause

TAGS = (
    {"name": "boards", "description": "Boards from maps."},
    {"name": "batch", "description": "Many questions at once."},
    {"name": "jobs", "description": "Work that goes on by itself: simulations, and whatever is too heavy to wait for."},
    {"name": "look-up", "description": "What there is to ask, and what the answers rest on."},
    {"name": "rulings", "description": "Rulings and odds as they were answered, by their permalinks."},
    {"name": "service", "description": "The service itself."},
)

_WORDS = """\
Rulings for tabletop skirmish games. Post the table as it stands and a question; the ruling says what happens, why
(every step with its rule and source), with which dice, and what changes on the table. The service keeps no game.

**Asking.** `POST /v1/games/{{game}}/{{question}}` with a `case`. `dice` says where dice come from: a `seed` draws each
from the seed by its label and index; `hand` gives faces as they were rolled; `throws` replays an earlier ruling; with
none of them a seed is picked and named in the ruling. `choices` gives what players decided, `policies` leaves
decisions to a named policy, `readings` picks another reading of an unclear passage.

**Answers.** What the book forbids is a ruling with `allowed: false` and every reason. When a die or a decision is
missing, `status` is `needs_dice` or `needs_choice` and `needs` says what to send; post the same body again with it.
`effects.patch` is a JSON Patch against the scene as it was posted.

**Odds.** `POST /v1/games/{{game}}/{{question}}/odds` gives the exact law of the answer, or with `heads` the count of a
crowd of games. `policies` says how choices on the way are made. With the policy `best`, whoever decides takes the
option with the best expected worth, knowing all that has come before, and `best` in the answer weighs every option of
each decision; the question must say what its answers are worth, or the policy is refused as `no-worth`.

**Simulations.** `POST /v1/games/{{game}}/{{question}}/simulations` plays a question `count` times and counts what comes
of it; with `vary` it sweeps over values at places of the body, each point on the same seeds. It is a job.

**Jobs.** What takes longer than a request is a job: the answer is 202, its body the job, its `Location` where the job
is. Poll that no sooner than `Retry-After` says, or follow `events`; `result` has the very answer that the question
would have given at once. A question that is estimated to take long becomes a job by itself. `Prefer: respond-async`
(RFC 7240) asks for a job on any question, `Prefer: wait=10` for the answer itself if it is there in so many seconds;
`Preference-Applied` says what was done. A body that comes with `respond-async` may hold a `callback`, as one of a
simulation may. Where there are no jobs, questions are answered at once whatever is preferred.
Asking for the same again is the same job, until it fails or is dismissed; `Idempotency-Key` makes sure of it also for
a ruling whose dice nobody named. `DELETE` dismisses a job that is open; one that has ended stays until it expires.
A job that was asked for with a key belongs to the holder of the key, and for all others there is none of its id. A job
without a key may be looked at by whoever knows its id; everyone who asks from one address has one list of jobs.

**Keys.** `Authorization: Bearer arb_sk_…` says who asks; without a key, somebody unknown does. A publishable key,
`arb_pk_…`, is for pages in a browser and bound to their origins; a secret key is refused from there. A key that does
not count is refused, never passed over, and a key in an address is refused as known to others.

{signing}

**Caching.** An answer that the body alone determines (no dice in the question, or a `seed`, `hand` or `throws` in the
body; odds always) has an `ETag` and may be kept for a while; every other is `no-store`. Questions and odds may be asked
by `QUERY` (RFC 10008) as well as by `POST`: that is safe and makes no job, and where the client has the answer
(`If-None-Match`) it says 304, and `POST` 412. `Content-Location` is the permalink of the ruling: for the time that the
limit `rulings` names it gives the very same bytes, as `text/html` a page, and as `text/plain` or `text/markdown` a few
lines for a chat. Whoever knows the link may look.

**Boards by digest.** `PUT /v1/games/{{game}}/boards/{{digest}}` once, and `{{"ref": "sha256:…"}}` stands for that board
in every scene. `effects.patch` then puts a board that changes in the place of the reference.

**Batches.** `POST /v1/batch` asks many questions at once, with what they have in common said once; each has the answer
that it would have alone.

**Maps.** `POST /v1/boards/import?game={{game}}` with a map that was drawn for a virtual tabletop makes a board of
it, to be put into a scene.

**Problems.** Whatever cannot be answered is `application/problem+json` (RFC 9457), on every path and for every
status. `type` is a path of this service that explains it; `errors` lists every fault with its JSON Pointer. A path
that is not asked by the method that was used answers 405 with `Allow`.

**Requests.** `X-Request-Id` is taken from the request if it is sane, made otherwise, and named in every answer,
problem and log line. Every path answers cross-origin requests.

**Quotas.** Every caller may spend so many units of cost in a minute; spent units come back gradually.
`RateLimit-Policy` names the quota, `RateLimit` what is left of it; `/v1/limits` lists quotas and costs. When too little
is left, the answer is 429 with `Retry-After`, and nothing was done.

**Limits**, also at `/v1/limits`, together with those of every type:

{limits}
"""


def description(settings: Settings) -> str:
    """Give the words at the head of the contract."""
    return _WORDS.format(
        signing=SIGNING,
        limits="\n".join(f"- {limit.name}: {limit.most:,} {limit.unit}. {limit.gist}" for limit in general(settings)),
    )


ELSEWHERE = ("arbiter-away", "edition-mismatch")
"""How a game that is decided by a service of its own may be refused."""

IDENTIFIED = (
    "key-in-url", "bad-key", "key-needed", "out-of-scope", "wrong-origin", "secret-key-in-browser", "store-away",
)  # fmt: skip
"""How whoever asks may be refused, whatever they ask."""

LOOKED_UP = ("not-acceptable", *IDENTIFIED)
NAMED = ("not-found", *LOOKED_UP)
"""How a look-up may be refused, and one of something that has a name."""

REFUSED = (
    *IDENTIFIED,
    "bad-request",
    "not-acceptable",
    "too-large",
    "unsupported-media-type",
    "internal",
    *ELSEWHERE,
)
"""How whatever is posted may be refused."""

HANDED_IN = (
    *REFUSED, "job-failed", "job-dismissed", "too-dear", "key-reused", "queue-full", "store-away", "too-many-requests",
    "too-many-jobs",
)  # fmt: skip
"""And where it may become a job."""

_OF_BOARDS = ("invalid", "unknown-board")

RULED = (*HANDED_IN, *_OF_BOARDS, "precondition-failed", "no-signatures", "nonce-used", "no-commitments")
WEIGHED = (*HANDED_IN, *_OF_BOARDS, "precondition-failed", "too-many-paths")
PLAYED = (*HANDED_IN, *_OF_BOARDS, "no-jobs")

PUT = (
    *IDENTIFIED,
    "bad-request", "not-found", "not-acceptable", "too-large", "unsupported-media-type", "invalid", "wrong-digest",
    "internal",
)  # fmt: skip
"""How a board that is put may be refused."""

GOT = (*IDENTIFIED, "not-found", "not-acceptable", "invalid", "internal")
"""How one that was put may be refused to who asks for it."""

BATCHED = (
    *IDENTIFIED, "bad-request", "not-acceptable", "too-large", "unsupported-media-type", "invalid", "internal",
)  # fmt: skip
"""How a batch may be refused as a whole."""

MAPPED = (
    *IDENTIFIED,
    "bad-request", "not-found", "not-acceptable", "too-large", "unsupported-media-type", "invalid", "internal",
)  # fmt: skip
"""How a map may be refused."""

AWAY = (*IDENTIFIED, "no-jobs", "store-away")
LISTED = ("not-acceptable", "invalid", *AWAY)
LOOKED_AT = ("not-found", "not-acceptable", *AWAY)
SHOWN = (*IDENTIFIED, "not-found", "not-acceptable", "precondition-failed")
FOLLOWED = (*LOOKED_AT, "busy")
FINISHED = (*LOOKED_AT, "not-finished", "job-failed", "job-dismissed")


def refusals(*slugs: str) -> dict[str, Any]:
    """Give the responses of the given kinds of problems by status; those of one status are one response."""
    return {str(kinds[0].status): {"$ref": f"#/components/responses/{_together(kinds)}"} for kinds in _alike(slugs)}


def problem_responses() -> dict[str, Any]:
    """Give the response of every kind of problem, and of kinds that a path may have with one status, by their names."""
    asked = (IDENTIFIED, RULED, WEIGHED, PLAYED, MAPPED, PUT, GOT, BATCHED)
    every = (*asked, SHOWN, LISTED, LOOKED_AT, FOLLOWED, FINISHED)
    groups = [group for slugs in every for group in _alike(slugs)]
    return {_together(kinds): _response(*kinds) for kinds in (*((kind,) for kind in KINDS.values()), *groups)}


def _alike(slugs: Iterable[str]) -> list[tuple[Kind, ...]]:
    """Give the kinds, those of one status together."""
    by_status: dict[int, list[Kind]] = {}
    for kind in (kind for kind in KINDS.values() if kind.slug in slugs):
        by_status.setdefault(kind.status, []).append(kind)
    return [tuple(kinds) for _, kinds in sorted(by_status.items())]


def _together(kinds: Iterable[Kind]) -> str:
    return "Or".join(_name(kind) for kind in kinds)


def _name(kind: Kind) -> str:
    return kind.slug.title().replace("-", "")


def _response(*kinds: Kind) -> dict[str, Any]:
    references = [
        {"$ref": f"#/components/schemas/{name}"}
        for name in dict.fromkeys(SHAPES.get(kind.slug, Problem).__name__ for kind in kinds)
    ]
    examples = {_name(kind): {"summary": kind.title, "value": _example(kind)} for kind in kinds}
    schema = references[0] if len(references) == 1 else {"anyOf": references}
    return {
        "description": " Or: ".join(f"{kind.title}. {kind.meaning}" for kind in kinds),
        "content": {PROBLEM: {"schema": schema, "examples": examples}},
    }


_NO_BOARD = {"digest": "0" * 64, "put": f"/v1/games/stargrave/boards/{'0' * 64}"}


def _example(kind: Kind) -> Problem:
    more: dict[str, dict[str, Any]] = {
        "too-many-paths": {
            "budget": 20_000,
            "instead": Instead("/v1/games", {"heads": HEADS_OFFERED}),
            "as_job": AsJob("/v1/games", "respond-async", 200_000),
        },
        "too-dear": {"estimate_s": 50_000.0, "limit_s": 14_400.0},
        "alone": {"estimate_s": 60.0, "limit_s": 5.0},
        "unknown-board": _NO_BOARD,
        "wrong-digest": _NO_BOARD,
        "queue-full": {"waiting_s": 86_400.0},
        "too-many-requests": {
            "policy": POLICY,
            "quota": 600,
            "window_s": WINDOW_S,
            "asked": 5,
            "left": 2,
            "wait_s": 1,
        },
        "too-many-jobs": {"most": 100},
        "job-failed": {"cause": Cause("too-many-paths", "The law has more than 200,000 paths.")},
    }
    return SHAPES.get(kind.slug, Problem)(
        type=kind.path, title=kind.title, status=kind.status, detail=kind.meaning, instance="/v1/games",
        request_id="7f0c1d2e", **more.get(kind.slug, {}),
    )  # fmt: skip
