"""What is posted: the bytes of a request, if they are of a form and a size that is read."""

from flask import request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from api.problems.handlers import ProblemError
from api.schemas.responses import JSON


def body(most: int, forms: tuple[str, ...] = (JSON,), what: str = "body") -> bytes:
    """Give the posted bytes, at most so many; refuses other media types, what is packed, and what is longer.

    `what` is what a client would call it.
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
        # What is small when packed may be huge when unpacked, so nothing packed is taken.
        raise ProblemError(
            "unsupported-media-type",
            f"The {what} comes with `Content-Encoding: {coding[:100]}`; send it as it is.",
            headers={"Accept-Encoding": "identity"},
        )
    # One byte more is let through, because a body without a length is cut there in silence.
    request.max_content_length = most + 1
    try:
        read = request.get_data(cache=False)
    except HTTPException:
        raise
    except Exception as broken:
        # Servers have names of their own for a body whose chunks are framed wrongly, or whose line was cut.
        raise ProblemError("bad-request", f"The {what} is not framed as HTTP has it.") from broken
    if len(read) > most:
        raise RequestEntityTooLarge()
    if len(read) < (request.content_length or 0):
        # What was cut off may be sound JSON all the same, and is not what the client meant.
        raise ProblemError("bad-request", f"The {what} ends before its `Content-Length`.")
    return read
