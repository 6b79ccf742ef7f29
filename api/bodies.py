"""What is posted to a question, and to its odds: the types of their bodies."""

from typing import Any, cast

from arbiter.question import Ask, AskOdds, Question


def ask_type(question: Question[Any, Any, Any]) -> Any:
    """Give the type of what is posted to a question."""
    return cast(Any, Ask)[question.case]


def odds_type(question: Question[Any, Any, Any]) -> Any:
    """Give the type of what is posted to a question's odds."""
    return cast(Any, AskOdds)[question.case]
