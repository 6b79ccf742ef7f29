"""Where to report a fault of safety, as a page that machines find (RFC 9116), if the operator has named a place."""

from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from api.web.services import services

STANDS_FOR = timedelta(days=90)
"""How long what is said may be relied on; it is said anew each time."""


pages = Blueprint("security", __name__)


@pages.get("/.well-known/security.txt")
def show() -> Response:
    """Give the contact for faults of security; nothing is there when there is none."""
    contact = services().settings.security_contact
    if not contact:
        raise NotFound
    until = (datetime.now(UTC) + STANDS_FOR).strftime("%Y-%m-%dT%H:%M:%SZ")
    lines = (f"Contact: {contact}", f"Expires: {until}", "Preferred-Languages: en", "")
    return Response("\n".join(lines), content_type="text/plain; charset=utf-8")
