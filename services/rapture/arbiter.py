"""The table of contents of Rapture: what can be asked, and where it is decided."""

from arbiter.arbiter import Arbiter
from services.rapture.questions import boxes, sight

ARBITER = Arbiter(
    package=__package__,
    name="rapture",
    title="Rapture",
    edition="quickstart-2021",
    gist="Battlegroups of 100 points on a table of centimetres: attacks are answered by reactions, all paid in points.",
    questions=(*sight.QUESTIONS, *boxes.QUESTIONS),
)
