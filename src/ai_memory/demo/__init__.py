"""A bundled recording of a real agent's session, for people who want to see what happens before they install anything."""
