"""The open table: polygons and round bases, in thousandths."""
