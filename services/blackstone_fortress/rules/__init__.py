"""The rules of the combat booklet, one file per chapter, functions in the order of the text."""
