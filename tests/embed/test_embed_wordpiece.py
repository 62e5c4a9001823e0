"""Token ids: examples, and equality with the library the model was made with."""

from __future__ import annotations

import hashlib
import threading
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_memory.embed.wordpiece import VOCABULARY, WordPiece

WORDS = WordPiece()
CORPUS = [
    "", " ", "\t\r\n", "Hello, world!", "how do we deploy the service?", "naïve café RÉSUMÉ Ærøskøbing İstanbul Straße",
    "日本語のテキストと中文字符", "한국어 문장", "Ελληνικά ΣΊΣΥΦΟΣ", "русский ёлка й", "עברית שלום", "العربية", "हिन्दी नमस्ते",
    "emoji 👩‍👩‍👧 🎉🇵🇹 ok", "camelCase snake_case src/ai_memory/x.py v2.14.3-rc1 C++ a->b", "`code` \"quoted\" $100 50% ^~|<>=+",
    "a" * 100, "a" * 101, "x" * 5000, "[CLS] [MASK] [SEP] [UNK] [PAD]", "\x00\x01nul\x7f\x85\u200b\u200d\ufeff\u00ad soft",
    "\ufffd bad", "e\u0301 u\u0308\u0323", "ﬁ ﬀ ½ ① ㎏ Ⅷ", "\u2028line\u2029para\u00a0nbsp\u3000wide", "豈 更 \U0002f800 \U00020000 㐀",
    "don't stop—ever… “quotes” ‘x’", "antidisestablishmentarianism supercalifragilistic", "\ue000 private \U000f0000", "ก็ ไทย", "ញ ខ្មែរ",
]  # fmt: skip


@pytest.fixture(scope="module")
def known() -> object:
    """The library's tokenizer over the same vocabulary, or a skip that says why."""
    tokenizers = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")
    from tokenizers.models import WordPiece as Model
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing

    names = VOCABULARY.read_text(encoding="utf-8").splitlines()
    made = tokenizers.Tokenizer(Model({name: i for i, name in enumerate(names)}, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    made.pre_tokenizer = BertPreTokenizer()
    made.post_processor = BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    made.enable_truncation(256)
    return made


def test_the_vocabulary_is_the_one_the_model_was_trained_on() -> None:
    found = hashlib.sha256(VOCABULARY.read_bytes()).hexdigest()
    assert found == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def test_words_become_ids_between_two_marks() -> None:
    assert WORDS.ids("Hello, World!", 256) == [101, 7592, 1010, 2088, 999, 102]
    assert WORDS.ids("", 256) == [101, 102]
    assert WORDS.ids("naïve ﬀ" + "q" * 101, 256) == [101, 15743, 100, 102]


def test_special_tokens_in_a_text_are_text() -> None:
    assert not set(WORDS.ids("[CLS] [SEP] [MASK] [PAD] [UNK]", 256)[1:-1]) & {0, 100, 101, 102, 103}


@pytest.mark.parametrize("most", [2, 3, 10, 256])
def test_no_more_ids_than_allowed(most: int) -> None:
    for text in ("word " * 1000, "unbelievableness " * 1000, "中" * 1000, "x"):
        found = WORDS.ids(text, most)
        assert len(found) <= most and found[0] == 101 and found[-1] == 102
    assert len(WORDS.ids("word " * 1000, most)) == most


def test_half_characters_vanish() -> None:
    assert WORDS.ids("a\ud83db", 256) == WORDS.ids("ab", 256)


def test_threads_share_a_vocabulary() -> None:
    fresh, found = WordPiece(), {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: [fresh.ids(text, 256) for text in CORPUS * 5]})) for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 6 and all(one == [WORDS.ids(text, 256) for text in CORPUS * 5] for one in found.values())


def test_the_corpus_has_the_librarys_ids(known: object) -> None:
    for text in [*CORPUS, " ".join(CORPUS), "".join(reversed(" ".join(CORPUS)))]:
        assert WORDS.ids(text, 256) == known.encode(text).ids, repr(text)  # type: ignore[attr-defined]


@given(st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cs"]) | st.sampled_from("".join(CORPUS)), max_size=80))
def test_any_text_has_the_librarys_ids(known: object, text: str) -> None:
    assert WORDS.ids(text, 256) == known.encode(text).ids  # type: ignore[attr-defined]


def test_every_old_character_has_the_librarys_ids(known: object) -> None:
    """All of Unicode 3.2 but most ideographs and syllables; four were given another category since."""
    old = [chr(c) for c in range(0x110000) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Co", "Cs")]
    chars = [c for c in old if not ("\u3400" <= c <= "\ud7a3" or c >= "\U00020000") or ord(c) % 50 == 0]
    odd = [c for c in chars if WORDS.ids(f"a{c}b {c}", 64) != known.encode(f"a{c}b {c}").ids]  # type: ignore[attr-defined]
    assert len(chars) > 10_000 and set(odd) <= set("\u166d\u1734\u1885\u1886")
