"""The kinds of problems: their names, statuses and meanings, each explained under the path that is its `type`."""

from arbiter.value import Value


class Kind(Value, frozen=True):
    """A kind of problem: its name in the path, its status, and what it means in words."""

    slug: str
    status: int
    title: str
    meaning: str

    @property
    def path(self) -> str:
        """Give the path under which the kind is explained."""
        return f"/problems/{self.slug}"


KINDS = {
    kind.slug: kind
    for kind in (
        Kind(
            "bad-request", 400, "The request is not understood",
            "The request is not HTTP as this service reads it. Nothing was decided.",
        ),
        Kind(
            "not-found", 404, "There is nothing under this path",
            "No game, question, rule, table or page has this name. `errors` says which names there are.",
        ),
        Kind(
            "no-dice", 404, "This question has no odds",
            "The question is decided without dice, so that its only answer is the ruling itself: there are neither "
            "odds nor simulations of it.",
        ),
        Kind(
            "method-not-allowed", 405, "This path is not asked in this way",
            "The path exists, but not for this method. `Allow` lists the methods it has; questions are posted.",
        ),
        Kind(
            "not-acceptable", 406, "The answer cannot be given in the form asked for",
            "Answers are `application/json`; the events of a job are `text/event-stream`, its plot is `image/svg+xml`, "
            "and the result of a simulation may be `text/csv`. Leave out `Accept`, or let it include one of those.",
        ),
        Kind(
            "not-finished", 409, "The job is not finished",
            "There is no result yet. Ask again after `Retry-After` seconds, or follow the events of the job.",
        ),
        Kind(
            "job-failed", 409, "The job failed",
            "The work was begun and could not be done. `cause` says why, `errors` lists what turned out impossible in "
            "what was posted. Posting the same again begins anew.",
        ),
        Kind(
            "job-dismissed", 410, "The job was dismissed",
            "Somebody wanted it no more, so that there is no result. Posting the same again begins anew.",
        ),
        Kind(
            "too-large", 413, "The body is too large",
            "The body is longer than the service reads. `/v1/limits` says how long it may be.",
        ),
        Kind(
            "unsupported-media-type", 415, "The body is not of a form that is read",
            "Bodies are JSON: `Content-Type: application/json`, with no `Content-Encoding`. A map that is to become a "
            "board may come as `application/octet-stream`, too. `Accept` lists the forms that are read under the path.",
        ),
        Kind(
            "invalid", 422, "The question is malformed or impossible",
            "What was posted cannot be a table of this game. `errors` lists every fault with its place (a JSON Pointer "
            "into the body, or into the parameters of a look-up), what was seen, what is asked, and a way out. What "
            "the book merely forbids is no problem but a ruling with `allowed: false`.",
        ),
        Kind(
            "too-many-paths", 422, "The law has more paths than may be walked",
            "The exact odds would take more paths than the budget. `instead` says what to add to the same body to have "
            "a crowd of games counted, which costs far less and is close to the law (but has no best play, so that it "
            "names another policy instead); `as_job`, where it is not null, how to have more paths walked as a job.",
        ),
        Kind(
            "too-dear", 422, "This takes more work than may be asked for",
            "The work was estimated before any of it was done: `estimate_s` is what it would take on one core, "
            "`limit_s` the most that may be asked for. Ask for fewer games, points or turns.",
        ),
        Kind(
            "unknown-board", 422, "No board of this digest is kept",
            "The scene names its board by a digest under which none is kept here: it was never put, or has not been "
            "used for so long that it was forgotten. Put the board to the path that `put` names, and ask again.",
        ),
        Kind(
            "wrong-digest", 422, "The board is not of this digest",
            "A board is put under the SHA-256 of its canonical JSON (RFC 8785), in lower-case hexadecimal. `digest` is "
            "that of the board as it arrived, `put` the path for it.",
        ),
        Kind(
            "alone", 422, "This has to be asked alone",
            "The question is estimated to be so heavy that it becomes a job, which no item of a batch can be. Post it "
            "by itself to the path that `instance` names. Nothing was decided of this item; the others of the batch "
            "were.",
        ),
        Kind(
            "key-reused", 422, "The idempotency key was used for something else",
            "The same `Idempotency-Key` came before with another question. Take a new key for each new question.",
        ),
        Kind(
            "internal", 500, "The service has a fault of its own",
            "Nothing is wrong with the request. The fault is logged under `request_id`; say that when you report it.",
        ),
        Kind(
            "arbiter-away", 502, "The arbiter of this game does not answer",
            "The game is decided by a service of its own, which cannot be reached. Ask again in a moment.",
        ),
        Kind(
            "no-jobs", 503, "This service does no jobs",
            "It is set up without Redis and workers. Rulings and odds are given at once; simulations and heavy "
            "questions need a service with jobs.",
        ),
        Kind(
            "queue-full", 503, "Too much work is waiting",
            "The job was not taken; those that were taken go on. `waiting_s` estimates the seconds of work that wait. "
            "Ask again after `Retry-After` seconds.",
        ),
        Kind(
            "store-away", 503, "The store of jobs cannot be reached",
            "Jobs can be neither taken nor looked at just now; none is lost. Ask again after `Retry-After` seconds: "
            "posting the same again never does the work twice.",
        ),
        Kind(
            "out-of-time", 503, "The batch has taken its time",
            "The queries before this one took as long as a batch may. Nothing was decided of this one: ask it again, "
            "in a smaller batch.",
        ),
        Kind(
            "busy", 503, "Too many clients are waiting here",
            "Each stream of events holds a thread of the service, and all that may be held are. Ask again after "
            "`Retry-After` seconds, or poll the job.",
        ),
    )
}  # fmt: skip
"""Every kind of problem there is, by its name."""
