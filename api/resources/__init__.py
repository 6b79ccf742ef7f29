"""The resources: every path of the gateway, each module with a blueprint of its views."""

from flask import Blueprint
from werkzeug.utils import find_modules, import_string

QUESTIONS = ("rulings", "odds", "simulations", "batch")
"""The blueprints of questions; their answers are not compressed."""


def blueprints() -> list[Blueprint]:
    """Give the blueprint of every resource."""
    modules = map(import_string, find_modules(__name__, recursive=True))
    return [module.pages for module in modules if hasattr(module, "pages")]
