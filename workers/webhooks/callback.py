"""Callbacks: the url that is called when a client's job ends."""

from typing import Annotated, Any

from msgspec import Meta

from arbiter.value import Value

# 24 to 64 bytes in base64: groups of four letters are three bytes, and the last group may be padded.
_SECRET = (
    r"^whsec_(([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
    r"|([A-Za-z0-9+/]{4}){21}([A-Za-z0-9+/]{2}==)?)(?!\n)$"
)


class Callback(Value, frozen=True):
    """The url that is called when a client's job ends, and the secret to sign with."""

    url: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2_000,
            description="An https address on the public internet, port 443 or 8443. It gets a POST when the job ends.",
        ),
    ]
    secret: (
        Annotated[
            str,
            Meta(
                max_length=94,
                pattern=_SECRET,
                description="Signs the message (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Without it "
                "the message is not signed, and anyone could have sent it.",
            ),
        ]
        | None
    ) = None

    def __repr__(self) -> str:
        # The path of a callback is often secret.
        return f"{type(self).__name__}(signed={self.secret is not None})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("signed", self.secret is not None)]
