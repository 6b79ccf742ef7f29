"""Pictures of boards: the pen that turns a drawing into SVG, ruling cards, and PNG."""
