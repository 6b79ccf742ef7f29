"""One module per resource: each view decodes, asks and encodes."""
