"""Pictures that the gateway answers with: drawings of a body with its answer, and cached PNGs."""
