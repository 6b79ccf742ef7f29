"""What lines of sight meet, as answers have it: by floating numbers where they decide, and always as exact ones do."""

from random import Random
from unittest.mock import patch

from hypothesis import given

from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.shapes import Figure, Piece, standing
from arbiter.geometry.plane.witness import contacts
from arbiter.skirmish import lines
from arbiter.skirmish.lines import contact_of, in_units
from arbiter.skirmish.sight import Contact
from tests.arbiter.geometry.plane.test_view import LOOKER, SEEDS, TARGET, box, random_figures, random_pieces


def exactly(glance: Glance, piece: Piece) -> Contact | None:
    spot = glance.hidden_spot(piece)
    met = () if spot is None else contacts(glance.looker.eye, spot, piece)
    if spot is None or not met:
        return None
    return Contact(piece.id, met[0].how, tuple(map(in_units, met[0].ends(glance.looker.eye, spot))), True)


@given(SEEDS)
def test_a_contact_is_the_first_that_exact_numbers_find(seed: int) -> None:
    random = Random(seed)
    looker, target = random_figures(random)
    at = random.randint(0, 15_000), random.randint(2_000, 10_000)
    glance, body = Glance(looker, target), standing(Figure("body", at, 500, 1_000))
    for piece in (*random_pieces(random), body):
        assert contact_of(glance, piece) == exactly(glance, piece)


def test_a_wall_is_met_from_its_near_side_to_its_far_side_by_hand() -> None:
    """Of a target 10 ahead, the hidden half has its middle 0.25 aside, 0.5 high: half-way it is half of that."""
    wall = box(6_000, 7_000, 3_000, 6_000)
    with patch.object(lines, "contacts", side_effect=AssertionError("floating numbers decide here")):
        met = contact_of(Glance(LOOKER, TARGET), wall)
    assert met is not None
    assert met.how == "through"
    assert met.at == ((6.0, 5.875, 0.75), (7.0, 5.85, 0.7))
