"""A bundled recording of a real agent's session, to look at before installing anything."""
