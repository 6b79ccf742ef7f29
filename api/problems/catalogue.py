"""The kinds of problems, as `catalogue.yaml` lists them; each is explained under the path that is its `type`."""

from pathlib import Path

import msgspec

from arbiter.sources.yaml_file import load_yaml
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


def _load() -> dict[str, Kind]:
    rows = load_yaml(Path(__file__).with_suffix(".yaml"))
    return {kind.slug: kind for kind in msgspec.convert(rows, tuple[Kind, ...])}


KINDS = _load()
"""Every kind of problem there is, by its name."""
