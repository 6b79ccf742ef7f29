"""The rules of Stargrave, one file per chapter, functions in the order of the text."""
