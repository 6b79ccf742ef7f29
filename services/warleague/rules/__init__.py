"""The rules, one file per chapter of the text, functions in the text's order."""
