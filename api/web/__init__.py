"""What browsers need."""
