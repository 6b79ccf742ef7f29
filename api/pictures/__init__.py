"""Pictures as the gateway answers them: what is drawn of a body with its answer, and PNGs that were made before."""
