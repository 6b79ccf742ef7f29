"""Problem details (RFC 9457): the catalogue, and the handlers that make them."""
