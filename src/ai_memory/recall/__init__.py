"""From a question to ranked evidence."""
