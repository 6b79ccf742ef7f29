"""Lines of sight, ways over the table and levels of terrain, by the geometry alone. This module holds no rules."""
