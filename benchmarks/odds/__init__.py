"""Laws beside icepool."""
