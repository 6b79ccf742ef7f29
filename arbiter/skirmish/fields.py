"""The types of ids and texts on cards and in scenes, and the descriptive members of a card."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.value import Value

Id = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:+-]*(?!\n)$")]
Text = Annotated[str, Meta(max_length=400)]

Citation = Annotated[str, Meta(min_length=1, max_length=120)]


class Card(Value, frozen=True, kw_only=True):
    """A row of the catalogue; a scene may contain it whole. Its gist, sources and confidence decide nothing."""

    gist: Text = ""
    cites: Annotated[tuple[Citation, ...], Meta(max_length=40, description="Passages it rests on, by their ids.")] = ()
    confidence: Literal["high", "medium", "low", "invented", ""] = ""
