"""A page as statements."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ai_memory.domain.statement import Statement, statements

PAGE = """\
---
title: API
---
# Deploy

The API listens on **port 8080**. It is written
in [Go](https://example.org/go). See docs e.g. the wiki.

## Staging

- Use `make up` to start.
- [x] Retries are capped
  at 3.
cache_ttl: 5 minutes

> The port was 80 once.

```sh
port=9999
```

| service | port | note |
|---|---|---|
| api | 8080 | the main one |
| web | 8081 | |
| web | 8082 | twice |
"""


def test_a_page_is_cut_into_sentences_items_rows_and_pairs_with_their_lines() -> None:
    deploy, staging = "API > Deploy", "API > Deploy > Staging"
    assert statements(PAGE, "API") == (
        Statement("The API listens on port 8080.", 6, deploy),
        Statement("It is written in Go.", 6, deploy),
        Statement("See docs e.g. the wiki.", 7, deploy),
        Statement("Use `make up` to start.", 11, staging),
        Statement("Retries are capped at 3.", 12, staging),
        Statement("cache_ttl: 5 minutes", 14, staging),
        Statement("api port: 8080", 24, staging),
        Statement("api note: the main one", 24, staging),
    )


def test_an_unclosed_fence_hides_the_rest() -> None:
    assert statements("Use tabs here.\n\n````\nport: 80\n```\nport: 81") == (Statement("Use tabs here.", 1, ""),)


@given(st.lists(st.sampled_from(["# a", "text here. More of it", "| a | b |", "|---|---|", "```", "---", "- item one", "", "> q", "k: value"])))
def test_each_statement_stands_on_a_line_of_the_page(lines: list[str]) -> None:
    for statement in statements("\n".join(lines)):
        assert 1 <= statement.line <= len(lines)


@given(st.text(max_size=400))
def test_any_text_is_cut_without_an_error(text: str) -> None:
    assert all(statement.text.strip() for statement in statements(text, "t"))
