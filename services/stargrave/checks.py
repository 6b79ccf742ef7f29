"""What makes a posted scene impossible: every fault at its place, before any rule looks at it."""

from collections.abc import Iterator

from arbiter.caching import by_board
from arbiter.fault import Fault, pointer
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.faults import piece_faults
from arbiter.skirmish import plane
from arbiter.skirmish.faults import SCENE, order_faults, repeated_ids, unknown_id, unknown_ids
from arbiter.skirmish.validation import Validator
from services.stargrave.battlefield import Battlefield, crews_of, in_play, placed, prepare
from services.stargrave.book import Book
from services.stargrave.ground import as_piece, solid
from services.stargrave.profiles import Profiles
from services.stargrave.scene import OFFICERS, Board, Figure, Place, Scene


def off_table(field: Battlefield, at: Place, *where: str | int) -> Iterator[Fault]:
    """Report a place of the case that is off the table."""
    yield from _off(field.scene.board, "this place", at, pointer("case", *where))


def _off(board: Board, what: str, at: Place, where: str) -> Iterator[Fault]:
    yield from plane.off_table(what, at, (board.width_in, board.depth_in), where, "inches")


def _faults(scene: Scene) -> Iterator[Fault]:
    yield from _board(scene.board)
    book = Book.of(scene.profiles)
    yield from _profiles(scene.profiles, book)
    known_figures = []
    for index, figure in enumerate(scene.figures):
        here = f"{SCENE}/figures/{index}"
        figure_faults = tuple(_figure(figure, book, here, scene))
        yield from figure_faults
        if not scene.is_partial and in_play(figure) and figure.profile in book.profiles and not figure_faults:
            known_figures.append((index, figure))
    yield from repeated_ids(scene.figures, f"{SCENE}/figures", "figure")
    yield from repeated_ids(scene.tokens, f"{SCENE}/tokens", "token")
    yield from _leaders(scene)
    yield from _standing(scene, book, known_figures)
    yield from _tokens(placed(scene))
    yield from _turn(scene)


@by_board
def _board(board: Board) -> tuple[Fault, ...]:
    """Check a board once: consecutive questions share the same board."""
    width, depth = shapes.thousandths(board.width_in), shapes.thousandths(board.depth_in)
    at = f"{SCENE}/board"
    pieces = tuple(as_piece(piece) for piece in board.pieces)
    smoke = (
        fault
        for index, cloud in enumerate(board.smoke)
        for fault in _off(board, f"smoke {cloud.id!r}", cloud.at, f"{at}/smoke/{index}/at")
    )
    return (
        *_nothing(board.width_in, f"{at}/width_in", "table-size", "the table", "wide"),
        *_nothing(board.depth_in, f"{at}/depth_in", "table-size", "the table", "deep"),
        *piece_faults(pieces, width, depth, f"{at}/pieces"),
        *smoke,
        *repeated_ids(board.smoke, f"{SCENE}/board/smoke", "cloud"),
    )


def _nothing(inches: float | None, where: str, code: str, what: str, how: str) -> Iterator[Fault]:
    """Report a length that rounds to zero thousandths."""
    if inches is not None and shapes.thousandths(inches) == 0:
        yield Fault(where, code, f"{what} is 0 inches {how}, to the nearest thousandth", inches, "0.001 inches or more")


def _profiles(own: Profiles, book: Book) -> Iterator[Fault]:
    for index, profile in enumerate(own.figures):
        here = f"{SCENE}/profiles/figures/{index}"
        yield from unknown_ids("weapon", profile.weapons, f"{here}/weapons", book.weapons)
        yield from unknown_ids("armour", profile.worn, f"{here}/worn", book.armour)
        yield from unknown_ids("gear", profile.gear, f"{here}/gear", {**book.gear, **book.weapons, **book.armour})
        yield from unknown_ids("trait", profile.traits, f"{here}/traits", book.traits)
        yield from unknown_ids("power", [power.id for power in profile.powers], f"{here}/powers", book.powers)
        yield from unknown_id("body", profile.body, f"{here}/body", book.bodies)
    for index, weapon in enumerate(own.weapons):
        if weapon.template is not None:
            here = f"{SCENE}/profiles/weapons/{index}/template"
            yield from unknown_id("template", weapon.template, here, book.templates)


def _figure(figure: Figure, book: Book, here: str, scene: Scene) -> Iterator[Fault]:
    yield from unknown_id("profile", figure.profile, f"{here}/profile", book.profiles)
    yield from _nothing(figure.base_in, f"{here}/base_in", "base-size", f"the base of {figure.id}", "across")
    yield from _nothing(figure.height_in, f"{here}/height_in", "height", figure.id, "high")
    yield from unknown_ids("weapon", figure.weapons or (), f"{here}/weapons", book.weapons)
    yield from unknown_ids("power", [spell.power for spell in figure.spells], f"{here}/spells", book.powers)
    yield from unknown_ids("weapon", figure.jammed, f"{here}/jammed", book.weapons)
    if figure.carries is not None:
        yield from unknown_id("token", figure.carries, f"{here}/carries", [token.id for token in scene.tokens])
    profile = book.profiles.get(figure.profile)
    if profile and figure.own is not None:
        profile = figure.own.applied(profile)
    if profile and figure.health is not None and figure.health > profile.health:
        text, hint = f"{figure.id} has more Health left than it has", "give it `own` Health where it has more"
        yield Fault(f"{here}/health", "health", text, figure.health, f"at most {profile.health}", hint)
    if (figure.role == "creature") != (figure.crew is None):
        text = "an uncontrolled creature has no crew; every other figure has one"
        expected = "a crew for captains, first mates and soldiers; none for creatures"
        hint = "a creature under control is a soldier of its crew"
        yield Fault(f"{here}/crew", "crew", text, figure.crew, expected, hint)


def _leaders(scene: Scene) -> Iterator[Fault]:
    """Report a crew with more than one captain or first mate."""
    leading: dict[tuple[str | None, str], str] = {}
    for index, figure in enumerate(scene.figures):
        if figure.role not in OFFICERS:
            continue
        first = leading.setdefault((figure.crew, figure.role), figure.id)
        if first != figure.id:
            where, role = f"{SCENE}/figures/{index}/role", figure.role.replace("-", " ")
            text, hint = f"crew {figure.crew} has a {role} already: {first}", "make the other one a soldier"
            yield Fault(where, "two-leaders", text, figure.role, f"one {role} a crew", hint)


def _standing(scene: Scene, book: Book, figures: list[tuple[int, Figure]]) -> Iterator[Fault]:
    """Find figures in each other by more than the tolerance, or off the table."""
    slack = shapes.thousandths(scene.board.tolerance_in)
    solids = [solid(figure, book.bodies[book.profiles[figure.profile].body], slack) for _, figure in figures]
    places = [f"{SCENE}/figures/{index}/at" for index, _ in figures]
    size = scene.board.width_in, scene.board.depth_in
    yield from plane.standing_faults(solids, places, size, f"{SCENE}/figures")


def _tokens(scene: Scene) -> Iterator[Fault]:
    carriers: dict[str, str] = {}
    for index, figure in enumerate(scene.figures):
        if figure.carries is None:
            continue
        if figure.carries in carriers:
            text = f"{carriers[figure.carries]} carries {figure.carries} already"
            yield Fault(
                f"{SCENE}/figures/{index}/carries", "carried-twice", text, figure.carries, "one carrier a token"
            )
        carriers.setdefault(figure.carries, figure.id)
    for index, token in enumerate(scene.tokens):
        where = f"{SCENE}/tokens/{index}/at"
        if (token.at is None) != (token.id in carriers):
            text = f"token {token.id} lies on the table or is carried, one of both"
            yield Fault(where, "token-place", text, token.at, "a place, unless a figure carries it")
        if token.at is not None and not scene.is_partial:
            yield from _off(scene.board, f"token {token.id}", token.at, where)


def _turn(scene: Scene) -> Iterator[Fault]:
    yield from order_faults(scene.turn.order, sorted(crews_of(scene.figures)), f"{SCENE}/turn/order", "crew")


VALIDATOR = Validator(
    _faults,
    prepare,
    {
        "figure": lambda scene: [figure.id for figure in scene.figures],
        "token": lambda scene: [token.id for token in scene.tokens],
        "weapon": lambda scene: Book.of(scene.profiles).weapons,
        "power": lambda scene: Book.of(scene.profiles).powers,
    },
    playing=lambda scene: [figure.id for figure in placed(scene).figures if in_play(figure)],
    unit="figure",
    absence="is not on the table, or has no Health left",
)
checked = VALIDATOR.scene


def absent(field: Battlefield, member: str, id_: str) -> Iterator[Fault]:
    """Report a figure of the case that is not in play."""
    yield from VALIDATOR.absent(field.scene, (member, id_))
