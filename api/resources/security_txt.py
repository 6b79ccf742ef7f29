"""Where to report a fault of safety, as a page that machines find (RFC 9116), if the operator has named a place."""

from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response

STANDS_FOR = timedelta(days=90)
"""How long what is said may be relied on; it is said anew each time."""


def resource(contact: str) -> Blueprint:
    """Show the contact under its well-known path; nothing is there when there is none."""
    pages = Blueprint("security", __name__)
    if contact:

        @pages.get("/.well-known/security.txt")
        def show() -> Response:
            """Say where to report a fault of safety."""
            until = (datetime.now(UTC) + STANDS_FOR).strftime("%Y-%m-%dT%H:%M:%SZ")
            lines = (f"Contact: {contact}", f"Expires: {until}", "Preferred-Languages: en", "")
            return Response("\n".join(lines), content_type="text/plain; charset=utf-8")

    return pages
