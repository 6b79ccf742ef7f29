"""Templates of pages: everything that is written into one is escaped, and what a template lacks is a fault."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

FOLDER = Path(__file__).parent / "templates"


@cache
def templates() -> Environment:
    """Give the templates, to be had by name."""
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FileSystemLoader(FOLDER),
    )
