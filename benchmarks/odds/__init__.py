"""Laws compared with icepool."""
