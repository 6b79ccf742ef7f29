"""The contract in words: what holds for every path, and how a request may be refused."""

from typing import Any

from api.answers import PROBLEM
from api.limits import general
from api.problems import HEADS_OFFERED, KINDS, Instead, Kind, Problem, TooManyPaths
from api.settings import Settings

TAGS = (
    {"name": "look-up", "description": "What there is to ask, and what the answers rest on."},
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
crowd of games.

**Problems.** Whatever cannot be answered is `application/problem+json` (RFC 9457), on every path and for every
status. `type` is a path of this service that explains it; `errors` lists every fault with its JSON Pointer. A path
that is not asked by the method that was used answers 405 with `Allow`.

**Requests.** `X-Request-Id` is taken from the request if it is sane, made otherwise, and named in every answer,
problem and log line. Every path answers cross-origin requests.

**Limits**, also at `/v1/limits`, together with those of every type:

{limits}
"""


def description(settings: Settings) -> str:
    """Give the words at the head of the contract."""
    return _WORDS.format(
        limits="\n".join(f"- {limit.name}: {limit.most:,} {limit.unit}. {limit.gist}" for limit in general(settings))
    )


def refusals(*slugs: str) -> dict[str, Any]:
    """Give the responses of the given kinds of problems by status; two of one status stand in one response."""
    by_status: dict[int, list[Kind]] = {}
    for kind in sorted((KINDS[slug] for slug in slugs), key=lambda kind: kind.status):
        by_status.setdefault(kind.status, []).append(kind)
    return {
        str(status): {"$ref": f"#/components/responses/{_name(kinds[0])}"} if len(kinds) == 1 else _response(*kinds)
        for status, kinds in by_status.items()
    }


def problem_responses() -> dict[str, Any]:
    """Give the response of every kind of problem, by the name it has in the contract."""
    return {_name(kind): _response(kind) for kind in KINDS.values()}


def _name(kind: Kind) -> str:
    return kind.slug.title().replace("-", "")


def _response(*kinds: Kind) -> dict[str, Any]:
    references = [
        {"$ref": f"#/components/schemas/{'TooManyPaths' if kind.slug == 'too-many-paths' else 'Problem'}"}
        for kind in kinds
    ]
    examples = {_name(kind): {"summary": kind.title, "value": _example(kind)} for kind in kinds}
    schema = references[0] if len(references) == 1 else {"anyOf": references}
    return {
        "description": " Or: ".join(f"{kind.title}. {kind.meaning}" for kind in kinds),
        "content": {PROBLEM: {"schema": schema, "examples": examples}},
    }


def _example(kind: Kind) -> Problem:
    shared: dict[str, Any] = {
        "type": kind.path, "title": kind.title, "status": kind.status, "detail": kind.meaning,
        "instance": "/v1/games", "request_id": "7f0c1d2e",
    }  # fmt: skip
    if kind.slug == "too-many-paths":
        return TooManyPaths(**shared, budget=1_000_000, instead=Instead("/v1/games", {"heads": HEADS_OFFERED}))
    return Problem(**shared)
