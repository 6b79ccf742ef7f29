"""Pictures of every question of every game: what holds for each of them, and the very bytes of a few."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import msgspec
import pytest

from arbiter.drawing import (
    Area,
    Cell,
    Cells,
    Contact,
    Drawing,
    Line,
    Plane,
    Shape,
    Shown,
    Template,
    Token,
    Unit,
    hex_point,
)
from arbiter.game import Arbiter
from arbiter.question import Ask
from arbiter.ruling import Ruling
from arbiter.skirmish.overlay import Overlay
from arbiter.sources.examples import SEED, Example, first_examples
from rendering.pictures import ruling_card, scenes
from rendering.pictures.palette import COLOURS, DASHES, SHEETS, VERDICTS
from rendering.pictures.svg import svg
from rendering.plotting.colours import contrast
from tests.services.asking import every_game, examples
from upkeep import pictures

NS = "{http://www.w3.org/2000/svg}"
GAMES = every_game()
WITHOUT_BOARD = {"rapture": {"set-up"}}
"""Questions whose examples either have no board, or place nobody."""
NASTY = '<img src=x onerror="alert(1)">&"\'\u202e\x07'

SQUARE = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))
SIGHT = Line((1.0, 1.0), (9.0, 9.0), "cover", "sal sees cy", (Contact((5.0, 5.0), "cover", "barricade"),))


def unit(id_: str, at: tuple[float, float], **more: Any) -> Unit:
    return Unit(id_, id_, 0, id_[:2], at, "/units/0/at", 0.5, **more)


def table(*marks: Any, wide: float = 12) -> Drawing:
    return Drawing("A table", "What it shows.", Plane(wide, wide, "in"), marks, ("red", "blue"))


def parsed(picture: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(picture.decode())


def titled(picture: bytes) -> list[str]:
    groups = parsed(picture).iter(f"{NS}g")
    return [group.findtext(f"{NS}title", "") for group in groups if group.get("class") == "u"]


def decided(game: Arbiter, example: Example) -> tuple[Any, Ruling[Any]]:
    """Decide an example as a client sees it: answer and events as JSON."""
    body, kind = example.ready_body(), cast(Any, Ask)[game.questions[example.question].case]
    ask = msgspec.convert(body, kind)
    if example.question == "battle":
        # The battle itself is not drawn, and takes long.
        empty = Ruling(game.name, game.edition, "", "battle", "ruled", True, None)
        return ask.case, empty
    return ask.case, msgspec.json.decode(game.ask_json(example.question, ask, seed=SEED), type=Ruling[Any])


@cache
def drawn(game: Arbiter) -> dict[str, Drawing]:
    """Give the picture of each question's first example, as a drawing."""
    found = {}
    for name, example in first_examples(examples(game)).items():
        drawing = scenes.of_ruling(game, *decided(game, example))
        if drawing is not None:
            found[name] = drawing
    return found


def every() -> Iterator[tuple[str, Drawing, bytes]]:
    for game in GAMES.values():
        for name, drawing in drawn(game).items():
            yield f"{game.name}/{name}", drawing, svg(drawing)


# What holds for every picture


def test_every_unit_is_drawn_once_and_has_a_title_that_names_it() -> None:
    for where, drawing, picture in every():
        units = [mark for mark in drawing.marks if isinstance(mark, Unit)]
        titles = titled(picture)
        assert len(titles) == len(units), where
        for each in units:
            assert any(title.startswith(each.name) for title in titles), (where, each.id)


def test_every_line_has_a_title_and_the_picture_a_name_and_a_sentence() -> None:
    for where, drawing, picture in every():
        root = parsed(picture)
        lines = [group for group in root.iter(f"{NS}g") if group.get("class") == "line"]
        assert len(lines) == sum(isinstance(mark, Line) for mark in drawing.marks), where
        assert all(line.findtext(f"{NS}title") for line in lines), where
        assert root.get("role") == "img"
        assert [child.tag for child in root][:2] == [f"{NS}title", f"{NS}desc"]
        assert root.findtext(f"{NS}title") == drawing.title
        assert len(root.findtext(f"{NS}desc", "")) > 3, where


def test_no_picture_has_a_script_a_style_of_its_own_or_a_foreign_address() -> None:
    for where, _, picture in every():
        text = picture.decode()
        root = parsed(picture)
        assert [element.text for element in root.iter(f"{NS}style")] == [SHEETS["auto"]], where
        assert not {element.tag for element in root.iter()} & {f"{NS}script", f"{NS}image", f"{NS}a", f"{NS}use"}
        names = {name for element in root.iter() for name in element.attrib}
        assert "style" not in names
        assert not [name for name in names if name.startswith("on") or "href" in name], where
        addresses = re.findall(r"url\(([^)]*)\)|https?://[^\s\"<]*", text)
        assert all(address.startswith("#") for address in addresses if address), where
        assert text.count("http") == 1, "the name of SVG itself"


def test_nothing_lies_outside_the_picture() -> None:
    for where, _, picture in every():
        root = parsed(picture)
        wide, high = float(root.get("width", 0)), float(root.get("height", 0))
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        for x, y in points(root):
            assert -1 <= x <= wide + 1, (where, x, y)
            assert -1 <= y <= high + 1, (where, x, y)


def points(root: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """Give the corners of everything that is drawn, but for patterns."""
    passed = {each for part in root.iter(f"{NS}defs") for each in part.iter()}
    for each in root.iter():
        if each in passed:
            continue
        match each.tag.removeprefix(NS):
            case "circle":
                x, y, r = (float(each.get(name, 0)) for name in ("cx", "cy", "r"))
                yield from ((x - r, y - r), (x + r, y + r))
            case "polygon":
                for pair in each.get("points", "").split():
                    x, y = map(float, pair.split(","))
                    yield x, y
            case "rect":
                x, y, w, h = (float(each.get(name, 0)) for name in ("x", "y", "width", "height"))
                yield from ((x, y), (x + w, y + h))
            case "text":
                yield float(each.get("x", 0)), float(each.get("y", 0))
            case "path":
                for x, y in re.findall(r"[ML](-?[0-9.]+) (-?[0-9.]+)", each.get("d", "")):
                    yield float(x), float(y)


def test_equal_drawings_give_equal_bytes_and_each_theme_its_own() -> None:
    first = svg(table(unit("sal", (1.0, 1.0)), SIGHT))
    assert first == svg(table(unit("sal", (1.0, 1.0)), SIGHT))
    dark = svg(table(unit("sal", (1.0, 1.0)), SIGHT), "dark")
    assert first != dark
    assert b"prefers-color-scheme" in first
    assert b"prefers-color-scheme" not in dark


# Questions


def test_every_question_draws_or_says_that_it_adds_nothing() -> None:
    for game in GAMES.values():
        assert game.undrawn <= set(game.questions), game.name
        added: Counter[str] = Counter()
        for example in examples(game):
            if example.question == "battle":
                continue
            case, made = decided(game, example)
            drawing = scenes.of_ruling(game, case, made)
            bare = None if drawing is None else scenes.of_scene(game, case.scene)
            if drawing is None or bare is None:
                continue
            # The units are the same, with or without a ring; all else is added.
            added[example.question] += len(drawing.marks) - len(bare.marks)
        # Some questions have no example with a board.
        silent = {name for name, many in added.items() if not many} - WITHOUT_BOARD.get(game.name, set())
        assert silent == game.undrawn & set(added), game.name
        assert len(added) > len(game.questions) / 2, game.name


def test_what_crates_and_concealed_tiles_hold_is_not_drawn() -> None:
    game = GAMES["warleague"]
    for example in examples(game):
        case = example.case
        hidden = [*case["scene"].get("crates", ()), *case["scene"].get("concealed", ())] if "scene" in case else []
        if hidden and example.question != "battle":
            scene = decided(game, example)[0].scene
            told = scenes.of_scene(game, scene)
            kinds = msgspec.structs.replace(
                scene,
                crates=tuple(msgspec.structs.replace(each, holds=None) for each in scene.crates),
                concealed=tuple(msgspec.structs.replace(each, holds=None) for each in scene.concealed),
            )
            untold = scenes.of_scene(game, kinds)
            assert told is not None
            assert untold is not None
            assert svg(told) == svg(untold), example.title
            return
    raise AssertionError("no example has a crate or a concealed tile")


# Hostile names


def of_names(name: str) -> bytes:
    """Draw a table on which everything has this name."""
    marks = (
        unit(name, (2.0, 2.0), notes=(name,), asks=True),
        Shape(SQUARE, "solid", name, name, 2.0, name),
        Token((3.0, 3.0), "loot", name, name, name),
        Area((SQUARE,), name, name, text=name),
        Template(name, name, (5.0, 5.0), 1.0),
        Line((1.0, 1.0), (5.0, 5.0), "seen", name, (Contact((2.0, 2.0), "blocks", name),), name, name),
    )
    return svg(Drawing(name, name, Plane(12, 12, "in"), marks, (name, name), name))


def test_names_stay_text() -> None:
    picture, plain = of_names(NASTY), of_names("sal")
    tags = Counter(element.tag for element in parsed(picture).iter())
    assert f"{NS}img" not in tags
    assert "img" not in tags
    assert tags.keys() == Counter(element.tag for element in parsed(plain).iter()).keys()
    assert "\u202e" not in picture.decode()
    assert "\x07" not in picture.decode()
    (named,) = [group for group in parsed(picture).iter(f"{NS}g") if group.get("data-id")]
    assert named.get("data-id", "").startswith('<img src=x onerror="alert(1)">')


def test_long_names_are_cut_where_they_are_drawn_and_whole_in_the_title() -> None:
    name = "n" * 200
    picture = svg(table(unit(name, (6.0, 6.0))))
    texts = [element.text or "" for element in parsed(picture).iter(f"{NS}text")]
    assert max(map(len, texts)) <= 24
    assert titled(picture)[0].startswith(name)


# Marks by hand


def test_a_line_says_its_verdict_by_colour_and_by_dashes() -> None:
    for verdict, colour in VERDICTS.items():
        line = Line((1.0, 1.0), (9.0, 1.0), verdict, "a line")
        (group,) = [each for each in parsed(svg(table(line))).iter(f"{NS}g") if each.get("class") == "line"]
        stroke = group.findall(f"{NS}path")[-1]
        assert f"s-{colour}" in stroke.get("class", "")
        assert stroke.get("stroke-dasharray", "") == DASHES[verdict]
    assert len(set(DASHES.values())) == len(DASHES)


def test_places_and_pictures_belong_together_on_a_plane() -> None:
    picture = parsed(svg(table(unit("sal", (3.0, 9.0)))))
    (grid,) = [msgspec.json.decode(each.get("data-grid", "")) for each in picture.iter() if each.get("data-grid")]
    (group,) = [each for each in picture.iter(f"{NS}g") if each.get("data-id") == "sal"]
    x, y = map(float, group.get("data-at", "").split())
    assert ((x - grid["x"]) / grid["scale"], (grid["y"] - y) / grid["scale"]) == pytest.approx((3, 9), abs=0.01)
    assert group.get("data-place") == "/units/0/at"
    assert (grid["unit"], grid["step"]) == ("in", 0.5)


def test_the_nearest_centre_is_the_cell_of_a_unit() -> None:
    cells = Cells("pointy", tuple(Cell((q, r), hex_point(q, r)) for q in range(4) for r in range(4)))
    drawing = Drawing("t", "d", cells, (Unit("ann", "ann", 0, "An", hex_point(2, 1), "/units/0/at"),), ("red",))
    picture = parsed(svg(drawing))
    (grid,) = [msgspec.json.decode(each.get("data-grid", "")) for each in picture.iter() if each.get("data-grid")]
    (group,) = [each for each in picture.iter(f"{NS}g") if each.get("data-id") == "ann"]
    x, y = map(float, group.get("data-at", "").split())
    nearest = min(grid["cells"], key=lambda cell: (cell[2] - x) ** 2 + (cell[3] - y) ** 2)
    assert tuple(nearest[:2]) == (2, 1)
    # Neighbours are a scale apart, in the row and across rows.
    centres = {(a, b): (px, py) for a, b, px, py in grid["cells"]}
    for one, other in (((1, 1), (2, 1)), ((1, 1), (1, 2)), ((1, 1), (0, 2))):
        (ax, ay), (bx, by) = centres[one], centres[other]
        assert ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 == pytest.approx(grid["scale"], abs=0.2)


def test_the_ground_that_a_page_has_is_left_out_and_nothing_else() -> None:
    ground = Shape(SQUARE, "solid", "a wall, 2 high", height=2)
    moved = [table(unit("sal", (3.0, y)), ground, SIGHT) for y in (9.0, 8.0)]
    whole, other = (parsed(svg(drawing)) for drawing in moved)
    digest = _grounds(whole)[0].get("data-ground", "")
    assert _grounds(other)[0].get("data-ground") == digest
    assert "a wall, 2 high" in [each.text for each in _grounds(whole)[0].iter(f"{NS}title")]
    short = parsed(svg(moved[1], has_ground=digest))
    assert not list(_grounds(short)[0])
    assert not [each for each in short.iter() if each.get("data-grid")]
    for part in list(_grounds(other)[0]):
        _grounds(other)[0].remove(part)
    next(each for each in other.iter() if each.attrib.pop("data-grid", ""))
    assert ElementTree.tostring(short) == ElementTree.tostring(other)
    higher = table(unit("sal", (3.0, 9.0)), Shape(SQUARE, "solid", "a wall, 3 high", height=3), SIGHT)
    assert svg(higher, has_ground=digest) == svg(higher)


def _grounds(picture: ElementTree.Element) -> list[ElementTree.Element]:
    return [each for each in picture.iter() if each.get("data-ground")]


def test_names_do_not_cover_each_other() -> None:
    crowd = [unit(f"fighter-{n}", (5.0 + n % 3 * 0.6, 5.0 + n // 3 * 0.6)) for n in range(9)]
    picture = parsed(svg(table(*crowd)))
    boxes = [
        (float(each.get("x", 0)), float(each.get("y", 0)), len(each.text or ""))
        for each in picture.iter(f"{NS}text")
        if each.get("class", "").startswith("name")
    ]
    assert boxes
    for index, (x, y, long) in enumerate(boxes):
        for ox, oy, other in boxes[index + 1 :]:
            assert abs(y - oy) >= 9 or abs(x - ox) >= 2 * (long + other)


def test_a_squad_has_one_label() -> None:
    models = [unit("gus", (3.0 + n, 3.0), squad="gus") for n in range(3)]
    names = [each.text for each in parsed(svg(table(*models))).iter(f"{NS}text") if "name" in each.get("class", "")]
    assert names == ["gus"]


def test_the_legend_lists_what_is_there_and_nothing_else() -> None:
    texts = [each.text for each in parsed(svg(table(unit("sal", (1.0, 1.0)), SIGHT))).iter(f"{NS}text")]
    assert {"red", "seen, in cover", "cover that counts"} <= set(texts)
    assert not {"blue", "seen", "not seen", "what blocks", "wounds"} & set(texts)


def test_each_entry_of_the_legend_says_what_it_is_and_where() -> None:
    picture = parsed(svg(table(unit("sal", (1.0, 1.0)), SIGHT)))
    (legend,) = [each for each in picture.iter(f"{NS}g") if each.get("class") == "legend"]
    for entry in legend:
        assert entry.get("data-text") == entry.findall(f"{NS}text")[-1].text
        _, y = map(float, entry.get("data-at", "").split())
        assert y > float(legend.get("data-top", ""))
    assert not [each for each in parsed(svg(table(SIGHT), legend=False)).iter() if each.get("class") == "legend"]


def test_a_side_that_is_called_by_a_colour_has_it() -> None:
    _, _, drawing, _ = pictures.ask(pictures.CARD)
    assert drawing is not None
    assert drawing.sides == ("blue", "red")
    for group in parsed(svg(drawing)).iter(f"{NS}g"):
        if group.get("data-id") in ("sal", "cy"):
            colour = {"sal": "b", "cy": "a"}[group.get("data-id", "")]
            assert f"f-{colour}" in {name for each in group for name in each.get("class", "").split()}
    # The picture says of everybody whose it is, as the scene does.
    assert {title.split(", ")[1] for title in titled(svg(drawing)) if title.startswith(("Sniper", "Commando"))} == {
        "red",
        "blue",
    }


def test_a_target_is_only_aimed_at_until_there_is_an_answer() -> None:
    case = SimpleNamespace(shooter="sal", target="cy")
    places = {"sal": (1.0, 1.0), "cy": (9.0, 1.0)}
    for answer, verdict in ((None, "aimed"), ({}, "seen")):
        overlay = Overlay([unit(id_, at) for id_, at in places.items()], lambda at: at)
        overlay.about(Shown("shoot", case, answer))
        marks = overlay.drawn()
        assert [mark.verdict for mark in marks if isinstance(mark, Unit)] == [None, verdict]
        assert [mark.verdict for mark in marks if isinstance(mark, Line)] == ([] if answer is not None else ["aimed"])


def test_a_card_says_what_cover_did() -> None:
    game, _, drawing, made = pictures.ask(pictures.CARD)
    reasons = ruling_card.of_ruling(game.title, made, drawing).reasons
    texts = [finding.text for finding in made.findings]
    assert [each.text for each in reasons] == ["Heavy Cover: +4 to the combat roll of Commando (cy)", *texts[-2:]]


def test_the_focus_is_smaller_than_the_board_and_has_who_acts() -> None:
    far = (unit("sal", (1.0, 1.0), asks=True), unit("cy", (2.0, 2.0)), unit("bo", (47.0, 47.0)))
    inner = next(parsed(svg(table(*far, wide=48), crop="focus")).iter(f"{NS}svg"))
    (inside,) = inner.findall(f"{NS}svg")
    left, top, wide, high = map(float, inside.get("viewBox", "").split())
    whole = parsed(svg(table(*far, wide=48)))
    (x, y), (ox, oy) = (
        tuple(map(float, group.get("data-at", "").split()))
        for group in whole.iter(f"{NS}g")
        if group.get("data-id") in ("sal", "bo")
    )
    assert left <= x <= left + wide
    assert top <= y <= top + high
    assert not (left <= ox <= left + wide and top <= oy <= top + high)
    # Whoever stands outside has no name that would be cut, or stand there alone.
    names = {each.text for each in inside.iter(f"{NS}text") if "name" in each.get("class", "")}
    assert names == {"sal", "cy"}


# Colours


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_colour_that_says_something_can_be_read_on_the_floor(theme: int) -> None:
    floor, paper = COLOURS["floor"][theme], COLOURS["paper"][theme]
    for name in ("ink", "a", "b", "c", "d", "n", "yes", "no", "wall"):
        assert contrast(COLOURS[name][theme], floor) >= 4.5, name
    assert contrast(COLOURS["part"][theme], floor) >= 4.5
    for name in ("ink", "dim"):
        assert contrast(COLOURS[name][theme], paper) >= 4.5, name
    for name in ("loot", "lava"):
        assert contrast(COLOURS["print"][theme], COLOURS[name][theme]) >= 4.5, name
    assert contrast(COLOURS["pale"][theme], COLOURS["hole"][theme]) >= 4.5


# The very bytes


def test_the_pictures_of_the_documentation_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert pictures.main(["--check"]) == 0, capsys.readouterr().err
