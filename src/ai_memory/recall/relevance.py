"""How relevant a text is to a question on a scale of its own, from 0 to 1, so that noise can be told from an answer."""

from __future__ import annotations

# A hit below it is not shown.
FLOOR = 0.12
# If no hit is as clear as this, nothing is known of the matter, and nothing is shown: with vectors, and by words alone.
# Chosen on the coding-memory set (docs/recall.md): half of what has no answer stays silent, one answer in sixteen is lost.
CLEAR, CLEAR_BY_WORDS = 0.73, 0.25
_NOISE, _SURE = 0.25, 0.7  # cosines at which likeness begins to tell, and tells all
_KINDS = {"rule": 0.10, "decision": 0.10, "procedure": 0.08, "gotcha": 0.08, "concept": 0.05}
_FOLDERS = {"_rules": 0.10, "decisions": 0.10, "procedures": 0.08, "gotchas": 0.08, "concepts": 0.05}
PAGE = 0.03


def relevance(share: float, bonus: float, likeness: float | None) -> float:
    """``share`` of the question's weight the text holds, ``bonus`` above 0 if exactly, ``likeness`` as a cosine."""
    words = min(1.0, share + 0.5 * bonus)
    if likeness is None:
        return words
    meaning = min(1.0, max(0.0, (likeness - _NOISE) / (_SURE - _NOISE)))
    return 1.0 - (1.0 - 0.85 * words) * (1.0 - 0.85 * meaning)


def is_clear(share: float, bonus: float, likeness: float | None) -> bool:
    """Whether a hit with these speaks of what is asked, so that others may be shown beside it."""
    if likeness is None:
        return share + 2.0 * bonus >= CLEAR_BY_WORDS
    return share + 2.0 * bonus + 2.0 * max(likeness, 0.0) >= CLEAR


def authority(path: str, kind: str) -> float:
    """What a maintained page has ahead of closely matching evidence."""
    folder = path.split("/", 1)[0]
    return max(_FOLDERS.get(folder, PAGE), _KINDS.get(kind.lower(), PAGE))
