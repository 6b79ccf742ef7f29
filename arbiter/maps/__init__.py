"""Maps drawn for virtual tabletops, read into terrain."""
