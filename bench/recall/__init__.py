"""Recall, measured: sets of sessions, pages and questions, put to a real server and to plain rankers beside it."""
