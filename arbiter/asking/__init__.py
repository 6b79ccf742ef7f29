"""Whether a question can be asked: its dice, choices, policies, readings and facts."""
