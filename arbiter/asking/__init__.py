"""Validation of a question: its dice, choices, policies, readings and facts."""
