"""What is posted: the body of a request, if it is of a form and a size that is read."""

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from api.answers import JSON
from api.problems import Refused


def body(most: int) -> bytes:
    """Give the posted bytes, at most so many; refuses other forms than plain JSON, and bodies that are longer."""
    if request.mimetype != JSON:
        said = f"`Content-Type: {request.mimetype[:100]}`" if request.mimetype else "no `Content-Type`"
        raise Refused(
            "unsupported-media-type", f"The body comes with {said}; send it with `Content-Type: {JSON}`.",
            headers={"Accept": JSON},
        )  # fmt: skip
    coding = request.headers.get("Content-Encoding", "identity")
    if coding.strip().lower() not in {"", "identity"}:
        # What is small when packed may be huge when unpacked, so nothing packed is taken.
        raise Refused(
            "unsupported-media-type", f"The body comes with `Content-Encoding: {coding[:100]}`; send it as it is.",
            headers={"Accept-Encoding": "identity"},
        )  # fmt: skip
    read = request.get_data(cache=False)
    if len(read) > most:
        raise RequestEntityTooLarge()
    return read
