"""The posted bytes of a request, if their media type and size are accepted."""

from flask import request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from api.problems.handlers import ProblemError
from api.schemas.responses import JSON


def body(most: int, forms: tuple[str, ...] = (JSON,), what: str = "body") -> bytes:
    """Give the posted bytes, at most `most`; refuses other media types, compressed bodies, and longer ones.

    `what` is the body's name in messages to the client.
    """
    if request.mimetype not in forms:
        actual = f"`Content-Type: {request.mimetype[:100]}`" if request.mimetype else "no `Content-Type`"
        expected = " or ".join(f"`Content-Type: {form}`" for form in forms)
        raise ProblemError(
            "unsupported-media-type",
            f"The {what} comes with {actual}; send it with {expected}.",
            headers={"Accept": ", ".join(forms)},
        )
    coding = request.headers.get("Content-Encoding", "identity")
    if coding.strip().lower() not in {"", "identity"}:
        # A small compressed body may be huge when decompressed, so none is accepted.
        raise ProblemError(
            "unsupported-media-type",
            f"The {what} has `Content-Encoding: {coding[:100]}`; send it uncompressed.",
            headers={"Accept-Encoding": "identity"},
        )
    # One byte more is allowed, because a body without a length is silently truncated there.
    request.max_content_length = most + 1
    try:
        read = request.get_data(cache=False)
    except HTTPException:
        raise
    except Exception as broken:
        # Servers raise their own errors for a body with invalid chunks, or whose connection was closed.
        raise ProblemError("bad-request", f"The {what} is not framed as HTTP requires.") from broken
    if len(read) > most:
        raise RequestEntityTooLarge()
    if len(read) < (request.content_length or 0):
        # A truncated body may be valid JSON, but not what the client meant.
        raise ProblemError("bad-request", f"The {what} ends before its `Content-Length`.")
    return read
