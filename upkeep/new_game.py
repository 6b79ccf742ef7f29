"""Begin a game: `make new-game NAME="My Game" GRID=square-4` copies the template to a folder of its own.

The copy is green: it has its own name everywhere, the board that is asked for, its own transcripts, a container in the
compose file, and its part of the contract. It is changed room by room, and the tests say what does not fit yet.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from keyword import iskeyword
from pathlib import Path

from arbiter.value import Value
from upkeep.boards import GRIDS, HOME, Words

ROOT = Path(__file__).parent.parent
TEMPLATE = "_template"
TEMPLATE_NAME, TEMPLATE_TITLE = "template-skirmish", "Template Skirmish"
SPLIT = "docker-compose.split.yml"

NEXT = """\
{title} is in services/{folder}, a copy of the template that passes every test. Now make it yours:
  1. sources.yaml   list the passages of your text, in your own words
  2. scene.py       what stands on the table; ground.py its board; data/ its profiles
  3. make rules GAME={name}
                    writes a stub of a rule and of an example for each passage that has none
  4. rules/         a file per chapter, a function per rule; questions.py what can be asked
  5. examples/      a worked example for each rule
After each step:
  make test ARGS="tests -k '{name} or {folder}'"
  make sources ARGS={name}
  make transcripts openapi      write the golden transcripts and the contract again
docs/your-first-game.md goes through all of it with a small game.
"""


class Names(Value, frozen=True):
    """One game's name in its three spellings: for its folder, in paths of the service, and for people."""

    folder: str
    name: str
    title: str


def names(text: str) -> Names:
    """Give the spellings of a new game's name; `ValueError` for one that cannot be a folder and a path."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)*", text) or len(text) > 60:
        raise ValueError(
            f"{text!r} is no name for a game: use at most 60 letters and digits, beginning with a letter, in words "
            'parted by single spaces or hyphens; for example NAME="My Game"'
        )
    words = re.split(r"[ _-]", text)
    folder = "_".join(words).lower()
    if iskeyword(folder):
        raise ValueError(f"{text!r} is a word of Python's own; add another word to it")
    title = " ".join(words) if text != text.lower() else " ".join(words).title()
    return Names(folder, folder.replace("_", "-"), title)


def new_game(text: str, root: Path, grid: str = "hex") -> Names:
    """Copy the template into `services/` and `tests/services/` below `root`, with the board of that name.

    `ValueError` for a name that is bad or taken, or a board that does not exist.
    """
    new = names(text)
    if grid not in GRIDS:
        raise ValueError(f"there is no board {grid!r}; GRID is one of {', '.join(GRIDS)}")
    services, tests = root / "services" / new.folder, root / "tests" / "services" / new.folder
    for home in (services, tests, root / "tests" / "transcripts" / new.name):
        if home.exists():
            raise ValueError(f"there is a {home} already; take another name, or remove it first")
    board = GRIDS[grid]
    words = (
        *board.words,
        (f"services.{TEMPLATE}", f"services.{new.folder}"),
        (f"services/{TEMPLATE}", f"services/{new.folder}"),
        (TEMPLATE_NAME, new.name),
        (TEMPLATE_TITLE, new.title),
    )
    own = [HOME / folder for folder in board.folders]
    _copy((ROOT / "services" / TEMPLATE, *(each / "services" for each in own)), services, words)
    _copy((ROOT / "tests" / "services" / TEMPLATE, *(each / "tests" for each in own)), tests, words)
    return new


def _copy(sources: Sequence[Path], home: Path, words: Words) -> None:
    """Copy folders over each other, and put the words of the new game for those of the template."""
    for source in sources:
        if source.is_dir():
            shutil.copytree(source, home, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for path in home.rglob("*"):
        if path.is_file():
            content = path.read_text(encoding="utf-8")
            for old, new in words:
                content = content.replace(old, new)
            path.write_text(content, encoding="utf-8")


def with_container(compose: str, name: str) -> str:
    """Add a game to the compose file that has one container for each: as the last game there, after it."""
    last = re.findall(r"create_game_app\('([^']+)'\)", compose)[-1]
    address = re.findall(r"^ +ARBITER_URL_\w+: .*\n", compose, re.MULTILINE)[-1]
    block = compose[compose.rindex(f"\n  {last}:") :].rstrip("\n")
    variables = {old: f"ARBITER_URL_{old.replace('-', '_').upper()}" for old in (last, name)}
    added = address.replace(variables[last], variables[name]).replace(f"//{last}:", f"//{name}:")
    return compose.replace(address, address + added).rstrip("\n") + "\n" + block.replace(last, name) + "\n"


def finish(new: Names, root: Path) -> None:
    """Write what follows from a new game: its form, its container, its transcripts and the contract."""
    folders = [f"services/{new.folder}", f"tests/services/{new.folder}"]
    _run(root, "ruff", "check", "--quiet", "--select", "I", "--fix", *folders)
    _run(root, "ruff", "format", "--quiet", *folders)
    split = root / SPLIT
    if split.is_file():
        split.write_text(with_container(split.read_text(encoding="utf-8"), new.name), encoding="utf-8")
    _run(root, "pytest", "-q", "-p", "no:cacheprovider", "tests/transcripts", "--rewrite", "-k", new.name)
    if (root / "api").is_dir():
        _run(root, "upkeep.contract")


def _run(root: Path, *module: str) -> None:
    """Run a module as a program; `CalledProcessError` with what it says where it fails."""
    subprocess.run([sys.executable, "-m", *module], cwd=root, capture_output=True, text=True, check=True)


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Begin the game that the command line names, and say what comes next."""
    parser = argparse.ArgumentParser(prog="make new-game")
    parser.add_argument("name", nargs="+", help='the name of the game: NAME="My Game"')
    parser.add_argument("--grid", default="hex", help=f"its board: GRID is one of {', '.join(GRIDS)}")
    options = parser.parse_args(arguments)
    try:
        new = new_game(" ".join(options.name).strip(), root, options.grid or "hex")
    except ValueError as wrong:
        print(wrong, file=sys.stderr)
        return 2
    print("Writing transcripts and the contract; this takes about a minute.", flush=True)
    try:
        finish(new, root)
    except subprocess.CalledProcessError as failed:
        print(failed.stdout, failed.stderr, sep="\n", file=sys.stderr)
        print(f"services/{new.folder} is there, but this failed: {failed}", file=sys.stderr)
        return 1
    print(NEXT.format(title=new.title, folder=new.folder, name=new.name), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
