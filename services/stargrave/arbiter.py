"""The table of contents of Stargrave: what can be asked, and where it is decided."""

from arbiter.arbiter import Arbiter

ARBITER = Arbiter(
    package=__package__,
    name="stargrave",
    title="Stargrave",
    edition="quick-reference-1",
    gist="Crews of ten on an open table of inches: fights and shots on opposed d20, creatures that act by themselves.",
    questions=(),
)
