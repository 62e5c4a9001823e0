"""The named statements of the index."""

from __future__ import annotations

from pathlib import Path

from ai_memory import sql

SQL = sql.statements(Path(__file__).with_name("queries.sql"))
