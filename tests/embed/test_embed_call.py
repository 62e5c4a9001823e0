"""Which addresses are taken."""

from __future__ import annotations

import pytest

from ai_memory.embed import call


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://api.example.com/v1/", call.Address(True, "api.example.com", 443, "/v1")),
        ("https://api.example.com:8443", call.Address(True, "api.example.com", 8443, "")),
        ("http://localhost:11434", call.Address(False, "localhost", 11434, "")),
        (" http://127.0.0.2:1/x ", call.Address(False, "127.0.0.2", 1, "/x")),
        ("http://[::1]:1234/v1", call.Address(False, "::1", 1234, "/v1")),
    ],
)
def test_https_and_this_machine_are_taken(url: str, found: call.Address) -> None:
    assert call.address(url) == found


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com/v1", "http://192.168.1.5:11434", "http://localhost.example.com", "http://127.0.0.1.example.com",
        "https://user:pw@api.example.com", "https://api.example.com/?key=1", "https://api.example.com/#x", "ftp://localhost",
        "localhost:11434", "https://", "", "https://h:99999999", "https://h:x", "https://[::1", "https://a b/", "https://ä.example",
        "https://h/\r\nX: y", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_anything_else_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="embedding server") as caught:
        call.address(url)
    assert "pw" not in str(caught.value) and "key=1" not in str(caught.value)
