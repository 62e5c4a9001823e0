"""Sessions this process has seen: their headers, and which were shown an offer. A cache over the ledger."""

from __future__ import annotations

import threading

from ai_memory.domain.observation import Session
from ai_memory.ledger.store import Ledger

_MOST = 8192


class Registry:
    """Headers by session id, so that an event of a known session costs no query. Safe from any thread."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._headers: dict[str, Session] = {}
        self._offered: set[str] = {row["session"] for row in ledger.all("offer_waiting")}
        self._lock = threading.Lock()

    def known(self, id: str) -> Session | None:
        """The header of a session that has evidence already."""
        header = self._headers.get(id)
        if header is None:
            row = self._ledger.one("session_get", id=id)
            if row is None:
                return None
            header = Session(**{name: row[name] for name in Session.__slots__})
            self.remember(header)
        return header

    def remember(self, session: Session) -> Session:
        """Keep a header; the first one kept for an id wins."""
        with self._lock:
            if len(self._headers) >= _MOST:
                self._headers.clear()
            return self._headers.setdefault(session.id, session)

    def forget(self, id: str) -> None:
        """Drop a header."""
        with self._lock:
            self._headers.pop(id, None)

    def offer(self, id: str) -> None:
        """Note that a session was shown an offer."""
        with self._lock:
            self._offered.add(id)

    def was_offered(self, id: str) -> bool:
        """Whether a session was shown an offer that is not settled."""
        return id in self._offered

    def settle(self, id: str) -> None:
        """Note that a session's offer is settled."""
        with self._lock:
            self._offered.discard(id)
