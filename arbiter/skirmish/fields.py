"""The types of ids and texts on cards and in scenes."""

from typing import Annotated

from msgspec import Meta

Id = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:+-]*(?!\n)$")]
Text = Annotated[str, Meta(max_length=400)]
