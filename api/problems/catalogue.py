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
            "key-in-url", 400, "There is a key in the address",
            "Addresses are kept in logs and in the histories of browsers, so that a key in one is known to others. "
            "Nothing was decided. Have the key revoked, and send another as `Authorization: Bearer arb_…`.",
        ),
        Kind(
            "bad-key", 401, "The key does not count",
            "The key is malformed, unknown, expired or revoked, or this service takes no keys. Nothing was decided: "
            "whoever sends a key is not answered as one who has none.",
        ),
        Kind(
            "key-needed", 401, "A key is needed",
            "This service answers questions with a key only. Send one as `Authorization: Bearer arb_…`; whoever runs "
            "the service makes them.",
        ),
        Kind(
            "out-of-scope", 403, "The key is not for this",
            "A key is for `ask` (rulings, odds, look-ups), `jobs` (simulations, jobs, `Prefer: respond-async`), "
            "`boards` (putting and importing boards), or several of them. `detail` names the one that is asked for.",
        ),
        Kind(
            "wrong-origin", 403, "The key may not be sent from there",
            "A publishable key is bound to the origins of pages in a browser: the `Origin` of the request has to be "
            "one of them, with the same scheme, host and port.",
        ),
        Kind(
            "secret-key-in-browser", 403, "A secret key was sent by a page",
            "What a page knows, everybody who opens it knows. Have the key revoked, and let the page send a "
            "publishable key, which is bound to its origin.",
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
            "and the result of a simulation may be `text/csv`; a permalink may be `text/html`, `text/plain` or "
            "`text/markdown`, and a ruling `application/vnd.arbiter.signed+json`. Leave out `Accept`, or let it "
            "include one of those.",
        ),
        Kind(
            "too-slow", 408, "The request did not arrive in time",
            "Only a part of the request had come when its time was over. Nothing was decided; ask again on a new "
            "connection.",
        ),
        Kind(
            "no-signatures", 406, "This service does not sign",
            "The signed form of a ruling was asked for, and nothing else would do, but the service has no key to sign "
            "with. Let `Accept` include `application/json`.",
        ),
        Kind(
            "nonce-used", 409, "The nonce was used for something else",
            "Each nonce of committed dice answers one question, and what was chosen under it stays chosen; a question "
            "that was refused when its dice had fallen has used its nonce, too. Take a nonce that was not used.",
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
            "precondition-failed", 412, "The answer is not the one that was asked for",
            "`If-Match` names other answers than this one; or, with POST, `If-None-Match` names this very answer, so "
            "that the client has it (with QUERY that is a 304). Ask without the condition to have the answer.",
        ),
        Kind(
            "too-large", 413, "The body is too large",
            "The body is longer than the service reads. `/v1/limits` says how long it may be.",
        ),
        Kind(
            "line-too-long", 414, "The first line of the request is too long",
            "The path with what is asked in it is longer than the service reads.",
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
            "no-commitments", 422, "This service commits to no dice",
            "It is set up without a secret for epochs, or without Redis, which would remember the nonces that were "
            "used. Name a seed, hand dice, or leave them to the service.",
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
            "too-many-requests", 429, "You have asked too much in too short a time",
            "The caller's quota is spent for the moment: `asked` units were needed, `left` are there of the `quota` "
            "that `policy` gives in `window_s` seconds. Ask again after `Retry-After` seconds (`wait_s`); nothing was "
            "done. What things cost, and the quotas, stand at `/v1/limits`.",
        ),
        Kind(
            "too-many-jobs", 429, "You have too many open jobs",
            "So many jobs of one caller may wait or run as `most` says. The job was not taken; those that were go on. "
            "Ask again when one of them has ended, or dismiss one.",
        ),
        Kind(
            "head-too-large", 431, "The head of the request is too large",
            "There are too many fields in the head of the request, or too long ones. Nothing was decided.",
        ),
        Kind(
            "internal", 500, "The service has a fault of its own",
            "Nothing is wrong with the request. The fault is logged under `request_id`; say that when you report it.",
        ),
        Kind(
            "unknown-coding", 501, "The body is packed for the way in a form that is not known",
            "`Transfer-Encoding` names something other than `chunked`. Send the body with its length, or in chunks.",
        ),
        Kind(
            "damaged", 500, "What was kept of the job cannot be read",
            "The job was taken, and what lies in the store is not what was put there. Nothing of it is given out. The "
            "same question at once, or with another seed as a job, is not concerned.",
        ),
        Kind(
            "arbiter-away", 503, "The arbiter of this game does not answer",
            "The game is decided by a service of its own, which cannot be reached or does not answer; other games are "
            "answered. Ask again after `Retry-After` seconds: to ask twice does no harm.",
        ),
        Kind(
            "edition-mismatch", 503, "The arbiter of this game is of another edition",
            "The game is decided by a service of its own, which has another edition of the game, or another version of "
            "the engine, than this gateway. Answers of both are never mixed, so that none is given until they agree. "
            "Other games are answered.",
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
            "Each stream of events holds a thread of the service, and all that may be held are; or too many requests "
            "are being sent at the same time. Ask again after `Retry-After` seconds; poll the job.",
        ),
    )
}  # fmt: skip
"""Every kind of problem there is, by its name."""
