"""What makes a posted scene impossible: every fault at its place, before any rule looks at it."""

from collections.abc import Collection, Iterator
from functools import lru_cache

from arbiter.caching import BOARDS_AT_HAND, BOARDS_KEPT, SCENES_AT_HAND, of_the_same
from arbiter.fault import Fault, Faults, pointer
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.faults import figure_faults, piece_faults
from services.stargrave.battlefield import Battlefield, in_play, prepare
from services.stargrave.book import Book
from services.stargrave.ground import as_piece, point, solid
from services.stargrave.profiles import Profile, Profiles
from services.stargrave.scene import Board, Figure, Place, Scene

AT = pointer("case", "scene")


def checked(scene: Scene) -> Battlefield:
    """Give the battlefield of a scene; raises `Faults` with everything that is impossible about it."""
    faults, field = _examine(scene)
    if field is None:
        raise Faults(faults)
    return field


def checked_case(scene: Scene, *named: tuple[str, str, str]) -> Battlefield:
    """Give the battlefield of a case that names figures or tokens.

    `named` are the member of the case, the kind (`figure`, `token`, `weapon` or `power`) and the id that stands there.
    Raises `Faults` with everything that is impossible about the scene and with every name that is none.
    """
    scene_faults, field = _examine(scene)
    faults = list(scene_faults)
    book = Book.of(scene.profiles)
    ids: dict[str, Collection[str]] = {
        "figure": [figure.id for figure in scene.figures],
        "token": [token.id for token in scene.tokens],
        "weapon": book.weapons,
        "power": book.powers,
    }
    for member, kind, id_ in named:
        faults += unknown(kind, id_, pointer("case", *member.split("/")), ids[kind])
    if field is None or faults:
        raise Faults(faults)
    return field


@of_the_same(SCENES_AT_HAND)
def _examine(scene: Scene) -> tuple[tuple[Fault, ...], Battlefield | None]:
    """Check a scene once: many questions may share the same scene."""
    faults = tuple(_faults(scene))
    return faults, None if faults else prepare(scene)


def on_table(scene: Scene, *named: tuple[str, str], also: tuple[tuple[str, str, str], ...] = ()) -> Battlefield:
    """Give the battlefield of a case that names figures by its members, all of them in play; raises `Faults`.

    `also` are other names of the case, as `checked_case` takes them.
    """
    field = checked_case(scene, *((member, "figure", id_) for member, id_ in named), *also)
    faults = [fault for member, id_ in named for fault in absent(field, member, id_)]
    if faults:
        raise Faults(faults)
    return field


def absent(field: Battlefield, member: str, id_: str) -> Iterator[Fault]:
    """Report a figure of the case that is not in play."""
    if not in_play(field.figure(id_)):
        listed = ", ".join(figure.id for figure in field.figures)
        yield Fault(
            pointer("case", *member.split("/")),
            "not-in-play",
            f"{id_} is not on the table, or has no Health left",
            id_,
            f"one of {listed}" if listed else "a figure in play, but there is none",
            "give it a place and Health in the scene",
        )


def off_table(field: Battlefield, at: Place, *member: str | int) -> Iterator[Fault]:
    """Report a place of the case that is off the table."""
    board = field.scene.board
    if not _inside(board, at):
        yield Fault(
            pointer("case", *member),
            "off-the-table",
            "this place lies off the table",
            list(at),
            f"inside {board.width_in} by {board.depth_in} inches",
        )


def unknown(kind: str, id_: str, where: str, ids: Collection[str]) -> Iterator[Fault]:
    """Report an id that is not among `ids`."""
    if id_ not in ids:
        listed = ", ".join(list(ids)[:40])
        yield Fault(
            where, f"unknown-{kind}", f"there is no {kind} {id_!r}", id_, f"one of {listed}" if ids else "nothing"
        )


def _faults(scene: Scene) -> Iterator[Fault]:
    yield from _board(scene.board)
    book = Book.of(scene.profiles)
    yield from _profiles(scene.profiles, book)
    known_figures = []
    for index, figure in enumerate(scene.figures):
        here = f"{AT}{pointer('figures', index)}"
        figure_faults = tuple(_figure(figure, book, here, scene))
        yield from figure_faults
        if in_play(figure) and figure.profile in book.profiles and not figure_faults:
            known_figures.append((index, figure))
    yield from _twice([figure.id for figure in scene.figures], "figures", "figure")
    yield from _twice([token.id for token in scene.tokens], "tokens", "token")
    yield from _leaders(scene)
    yield from _standing(scene, book, known_figures)
    yield from _tokens(scene)
    yield from _turn(scene)


@of_the_same(BOARDS_AT_HAND)
@lru_cache(maxsize=BOARDS_KEPT)
def _board(board: Board) -> tuple[Fault, ...]:
    """Check a board once: consecutive questions share the same board."""
    width, depth = shapes.thousandths(board.width_in), shapes.thousandths(board.depth_in)
    at = f"{AT}/board"
    pieces = tuple(as_piece(piece) for piece in board.pieces)
    smoke = tuple(
        Fault(
            f"{at}{pointer('smoke', index, 'at')}",
            "off-the-table",
            f"smoke {cloud.id!r} lies off the table",
            list(cloud.at),
            f"inside {board.width_in} by {board.depth_in} inches",
        )
        for index, cloud in enumerate(board.smoke)
        if cloud.at[0] > board.width_in or cloud.at[1] > board.depth_in
    )
    return (
        *_nothing(board.width_in, f"{at}/width_in", "table-size", "the table", "wide"),
        *_nothing(board.depth_in, f"{at}/depth_in", "table-size", "the table", "deep"),
        *piece_faults(pieces, width, depth, f"{at}/pieces"),
        *smoke,
        *_twice([cloud.id for cloud in board.smoke], "board/smoke", "cloud"),
    )


def _nothing(inches: float | None, where: str, code: str, what: str, how: str) -> Iterator[Fault]:
    """Report a length that rounds to zero thousandths."""
    if inches is not None and shapes.thousandths(inches) == 0:
        yield Fault(where, code, f"{what} is 0 inches {how}, to the nearest thousandth", inches, "0.001 inches or more")


def _profiles(own: Profiles, book: Book) -> Iterator[Fault]:
    for index, profile in enumerate(own.figures):
        here = f"{AT}{pointer('profiles', 'figures', index)}"
        yield from _all_unknown("weapon", profile.weapons, f"{here}/weapons", book.weapons)
        yield from _all_unknown("armour", profile.worn, f"{here}/worn", book.armour)
        yield from _all_unknown("gear", profile.gear, f"{here}/gear", book.gear)
        yield from _all_unknown("trait", profile.traits, f"{here}/traits", book.traits)
        yield from _all_unknown("power", [power.id for power in profile.powers], f"{here}/powers", book.powers)
        yield from unknown("body", profile.body, f"{here}/body", book.bodies)
    for index, weapon in enumerate(own.weapons):
        if weapon.template is not None:
            here = f"{AT}{pointer('profiles', 'weapons', index, 'template')}"
            yield from unknown("template", weapon.template, here, book.templates)


def _all_unknown(kind: str, ids: Collection[str], where: str, table: Collection[str]) -> Iterator[Fault]:
    for index, id_ in enumerate(ids):
        yield from unknown(kind, id_, f"{where}/{index}", table)


def _figure(figure: Figure, book: Book, here: str, scene: Scene) -> Iterator[Fault]:
    yield from unknown("profile", figure.profile, f"{here}/profile", book.profiles)
    yield from _nothing(figure.base_in, f"{here}/base_in", "base-size", f"the base of {figure.id}", "across")
    yield from _nothing(figure.height_in, f"{here}/height_in", "height", figure.id, "high")
    yield from _all_unknown("weapon", figure.weapons or (), f"{here}/weapons", book.weapons)
    yield from _all_unknown("power", [spell.power for spell in figure.spells], f"{here}/spells", book.powers)
    yield from _all_unknown("weapon", figure.jammed, f"{here}/jammed", book.weapons)
    if figure.carries is not None:
        yield from unknown("token", figure.carries, f"{here}/carries", [token.id for token in scene.tokens])
    profile: Profile | None = book.profiles.get(figure.profile)
    if profile and figure.health is not None and figure.health > profile.health:
        yield Fault(
            f"{here}/health",
            "health",
            f"{figure.id} has more Health left than it has",
            figure.health,
            f"at most {profile.health}",
            "bring a profile of its own where it has more",
        )
    if (figure.role == "creature") != (figure.crew is None):
        yield Fault(
            f"{here}/crew",
            "crew",
            "an uncontrolled creature has no crew; every other figure has one",
            figure.crew,
            "a crew for captains, first mates and soldiers; none for creatures",
            "a creature under control is a soldier of its crew",
        )


def _leaders(scene: Scene) -> Iterator[Fault]:
    """Report a crew with more than one captain or first mate."""
    leading: dict[tuple[str | None, str], str] = {}
    for index, figure in enumerate(scene.figures):
        if figure.role not in ("captain", "first-mate"):
            continue
        first = leading.setdefault((figure.crew, figure.role), figure.id)
        if first != figure.id:
            role = figure.role.replace("-", " ")
            yield Fault(
                f"{AT}{pointer('figures', index, 'role')}",
                "two-leaders",
                f"crew {figure.crew} has a {role} already: {first}",
                figure.role,
                f"one {role} a crew",
                "make the other one a soldier",
            )


def _standing(scene: Scene, book: Book, figures: list[tuple[int, Figure]]) -> Iterator[Fault]:
    """Find figures in each other or off the table; the geometry counts those in play, the scene has more."""
    bodies = {figure.id: book.bodies[book.profiles[figure.profile].body] for _, figure in figures}
    solids = [solid(figure, bodies[figure.id].base_in, bodies[figure.id].height_in) for _, figure in figures]
    width, depth = shapes.thousandths(scene.board.width_in), shapes.thousandths(scene.board.depth_in)
    for fault in figure_faults(solids, width, depth, "/"):
        if fault.code == "same-id":
            # Ids are looked through among all figures, those out of play included.
            continue
        place, _, rest = fault.pointer.lstrip("/").partition("/")
        index = figures[int(place)][0]
        where = f"{AT}{pointer('figures', index)}" + (f"/{rest}" if rest else "")
        yield Fault(where, fault.code, fault.message, fault.seen, fault.asked, fault.hint)


def _tokens(scene: Scene) -> Iterator[Fault]:
    carriers: dict[str, str] = {}
    for index, figure in enumerate(scene.figures):
        if figure.carries is None:
            continue
        if figure.carries in carriers:
            yield Fault(
                f"{AT}{pointer('figures', index, 'carries')}",
                "carried-twice",
                f"{carriers[figure.carries]} carries {figure.carries} already",
                figure.carries,
                "one carrier a token",
            )
        carriers.setdefault(figure.carries, figure.id)
    for index, token in enumerate(scene.tokens):
        here = f"{AT}{pointer('tokens', index)}"
        if (token.at is None) != (token.id in carriers):
            yield Fault(
                f"{here}/at",
                "token-place",
                f"token {token.id} lies on the table or is carried, one of both",
                token.at,
                "a place, unless a figure carries it",
            )
        if token.at is not None and not _inside(scene.board, token.at):
            yield Fault(
                f"{here}/at",
                "off-the-table",
                f"token {token.id} lies off the table",
                token.at,
                f"inside {scene.board.width_in} by {scene.board.depth_in} inches",
            )


def _inside(board: Board, at: Place) -> bool:
    (x, y), (width, depth) = point(at), point((board.width_in, board.depth_in))
    return x <= width and y <= depth


def _turn(scene: Scene) -> Iterator[Fault]:
    crews = sorted({figure.crew for figure in scene.figures if figure.crew is not None})
    if scene.turn.order and sorted(scene.turn.order) != crews:
        yield Fault(
            f"{AT}/turn/order",
            "turn-order",
            "the order must name each crew once",
            list(scene.turn.order),
            f"the crews {', '.join(crews)}, each once",
            "leave it out before initiative is rolled",
        )


def _twice(ids: list[str], where: str, kind: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, id_ in enumerate(ids):
        if id_ in seen:
            yield Fault(
                f"{AT}{pointer(*where.split('/'), index, 'id')}",
                "repeated-id",
                f"two {kind}s are called {id_!r}",
                id_,
                "an id of its own",
            )
        seen.add(id_)
