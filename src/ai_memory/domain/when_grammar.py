"""How dates are written: the patterns of their cores, of the words that lead up to one, follow one, and join two.

All repeats are bounded, so that a search costs no more than its text is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ai_memory.domain import when_words as words

# Blanks count for nothing in the patterns below.
_BEFORE, _AFTER = words.BEFORE.replace(" ", r"\s"), words.AFTER.replace(" ", r"\s")
_YEAR = r"(?:19|20)\d\d"
_THIS_YEAR = r"last\syear|this\syear|(?:el\s|o\s)?ano\s(?:pasado|passado)|este\sano"
_VERSION = r"\d{1,4}(?:\.\d{1,5}){0,3}"
_TAG = r"(?:-?(?:rc|beta|alpha|dev)[.-]?\d{0,3})?"
_RELEASE = "release|version|versao|lancamento|lanzamiento"
FRAMEWORK = re.compile(r"\s(?:boot|framework|cloud|mvc|data|security|webflux|batch|bean|back|through|over|apart)\b", re.I)
COUNTED = re.compile(rf"\s?(?:{words.COUNTED})\b|\s?%", re.I)



def _either(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def _latin(names: Iterable[str]) -> str:
    return _either(name for name in names if name.isascii())


def _eastern(names: Iterable[str]) -> str:
    return _either(name for name in names if not name.isascii())


_MANY = rf"\d{{1,3}}|{_latin(words.VAGUE)}|{_latin(words.NUMBERS)}"
_ORDINAL = "(?:st|nd|rd|th|o)?"

_CORES = {
    "release": rf"""(?<![\w-])(?P<release_side>{_BEFORE}|{_AFTER})\s(?:(?:the|el|la|os|as|[ao])\s)?
        (?:(?:(?:{_RELEASE})\s|(?:(?:{_RELEASE})\s)?v\.?)(?P<marked>{_VERSION}{_TAG})|(?P<dotted>\d{{1,4}}(?:\.\d{{1,5}}){{2,3}}{_TAG})
        |(?P<named>{_VERSION}{_TAG})\s(?:{_RELEASE})\b)(?!\w|[.-]\w)""",
    "release_east": r"""(?<![\w.])v?(?P<east>\d{1,4}(?:\.\d{1,5}){1,3})(?:の?(?:リリース|バージョン))?
        (?P<east_side>より前|以前|の前|前|以降|以後|以来|から|後)""",
    "iso": rf"""(?<![\w./-])(?P<iso_year>{_YEAR})(?:-(?P<iso_month>0[1-9]|1[0-2])(?:-(?P<iso_day>0[1-9]|[12]\d|3[01]))?
        |/(?P<cut_month>0?[1-9]|1[0-2])/(?P<cut_day>0?[1-9]|[12]\d|3[01]))(?!(?!T\d\d:)[\w/-]|\.\d)""",
    "slashed": rf"(?<![\w./-])(?P<one>\d{{1,2}})/(?P<other>\d{{1,2}})/(?P<cut_year>{_YEAR})(?![\w/-])",
    "east": rf"""(?:(?P<east_year>{_YEAR})年の?|(?P<east_last>一昨年|昨年|去年|今年|前年)の?)?
        (?:(?<!\d)(?P<east_month>1[0-2]|0?[1-9])月(?:(?P<east_day>\d{{1,2}})[日号])?)(?!間|曜)""",
    "east_kanji": r"(?P<kanji>十[一二]?|[一二三四五六七八九])月(?!間|曜)",
    "east_season": rf"""(?:(?P<season_year>{_YEAR})年の?|(?P<season_last>一昨年|昨年|去年|今年|前年)の?|この)
        (?P<east_season>[春夏秋冬])""",
    "east_only": rf"(?<!\d)(?P<only>{_YEAR})年(?![前間])",
    "phrase": rf"""(?<![\w-])(?:{_latin(words.PHRASES)})(?![\w-])
        |(?:{_eastern(words.PHRASES)})(?:の(?P<then>{_eastern(words.WEEKDAYS)})日?)?""",
    "much": rf"""(?<![\w.-])
        (?:(?P<count_lead>ha|faz|hace|(?:the\s)?(?:last|past|previous)|ultim[oa]s)\s(?:(?:cerca\sde|unos|unas)\s)?)?
        (?P<count>{_MANY})\s(?P<unit>{_latin(words.UNITS)})(?!\w|\s(?:pass?ad|anterior))(?:\s(?:or\sso\s)?(?P<count_tail>ago|back|earlier|atras)(?!\w))?""",
    "much_east": rf"""(?:(?P<many_lead>この|ここ|過去|直近|最近)の?)?
        (?<!\d)(?P<many>\d{{1,3}}|[数几幾两兩]|十?[一二三四五六七八九十])
        (?P<east_unit>{_eastern(words.UNITS)})間?(?:ほど|くらい|ぐらい)?(?P<many_tail>前|以前)?""",
    "unit": r"""(?<![\w-])(?:(?P<which>last|previous|prior|past|this|current|ultim[oa]|n?est[ea]|dest[ea])\s
        (?P<whole>week(?:end)?|month|quarter|year|hour|semana|mes|trimestre|ano)
        |(?P<gone>semana|mes|trimestre|ano|fim\sde\ssemana|fin\sde\ssemana)\s(?:passad[oa]|pasad[oa]|anterior))(?!\w)""",
    "parted": rf"""(?<![\w-])(?:(?:(?P<quarter_before>{_YEAR})[\s-]?)?(?P<quarter>Q[1-4]|[1-4]Q|H[12])
        |(?:the\s)?(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th|primer|primeiro|segundo|tercer|terceiro|cuarto|quarto)\s
        (?P<share>quarter|half|trimestre|semestre))(?:(?:\s(?:of|de|do|del))?[\s/-](?P<quarter_year>{_YEAR}|{_THIS_YEAR}))?(?![\w-])""",
    "season": rf"""(?<![\w-])(?P<season>{_latin(words.SEASONS)})
        (?:,?\s(?:(?:of|de|do|del)\s)?(?P<seasons_year>{_YEAR}|{_THIS_YEAR}))?(?!\w|[.-]\w)""",
    "month": rf"""(?<![\w.])
        (?:(?:(?P<from_day>\d{{1,2}}){_ORDINAL}\s?(?:-|–|to|and|a|ao|al|e|y)\s?)?
            (?P<day>\d{{1,2}}){_ORDINAL}\s(?P<of>(?:of|de)\s)?)?
        (?P<month>{_latin(words.MONTHS)})(?!\w)\.?(?:\s(?:the\s)?(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|[.,]\d)
            (?:\s?(?:-|–|to)\s?(?P<day_last>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|\.\d))?)?
        (?:,?\s(?:(?:of|de|do|del)\s)?(?P<months_year>{_YEAR}|{_THIS_YEAR})(?![\w-]))?
        (?!\w|\.\w)""",
    "weekday": rf"""(?<![\w-])(?P<weekday>{_latin([*words.WEEKDAYS, *words.PLAIN_WEEKDAYS])})
        (?![\w-]|\.\w|,?\s(?:\d|(?:the\s)?(?:{_latin(words.MONTHS)})\b))
        (?:,?\s(?:of\s)?(?P<week>last|this)\sweek(?!\w))?|(?<!日\()(?P<east_weekday>{_eastern(words.WEEKDAYS)})日?""",
    "recent": rf"(?<![\w:@./`'\"-])(?:{_latin(words.RECENT)})(?![\w-]|\s?tag\b)|{_eastern(words.RECENT)}",
    "year": rf"(?<![\w.,:/\#$€=-])(?P<year>{_YEAR})(?![\w:/%]|[.,-]\d|-\w)",
}  # fmt: skip
CORE = re.compile("|".join(f"(?P<{name}_>{pattern})" for name, pattern in _CORES.items()), re.IGNORECASE | re.VERBOSE)

LEAD = re.compile(
    rf"""(?<![\w-])(?:(?P<side>{_BEFORE}|{_AFTER})\s)?
    (?P<prep>(?:back\s)?in\s|on\s|during\s|of\s|from\s|for\s|around\s|about\s|between\s|within\s|(?:the\s|o\s|el\s)?year\s|ano\s(?:de\s)?|em\s|en\s
        |n[oa]s?\s|d[eoa]s?\s|del\s|durante\s|entre\s|[ao]\s|al\s)?
    (?P<det>(?:the|el|la|los|las|[oa]s?|our)\s)?
    (?:(?P<part>(?P<early>{words.EARLY})|(?P<mid>{words.MIDDLE})|(?P<late>{words.LATE}))(?:\s|-)
        (?:(?:of|in|de|do|da|del)\s)?(?:(?:the|el|la|[oa])\s)?)?
    (?P<which>(?:this\spast|last|past|this|next|every|each|black|ultim[oa]|proxim[oa]|cada|todo)\s)?$""",
    re.IGNORECASE | re.VERBOSE,
)
TAIL = re.compile(
    r"""\s(?P<gone>passad[oa]|pasad[oa])(?!\w)
    |\s(?P<on>onwards?|en\sadelante|em\sdiante)(?!\w)
    |の?(?P<early>上旬|初め|はじめ)|の?(?P<mid>中旬|半ば)|の?(?P<late>下旬|末)
    |(?P<before>より前|以前|の?前)|(?P<until>まで)|(?P<since>以降|以来|から)""",
    re.IGNORECASE | re.VERBOSE,
)
JOIN = re.compile(
    r"\s(?P<both>and|e|y)\s(?:(?:the|el|o|a)\s)?|(?P<both_east>と)"
    r"|\s(?:to|through|thru|until|till|up to|a|ao|al|ate|hasta)\s(?:(?:the|el|o|a)\s)?|\s?[-–—~〜]\s?|から",
    re.IGNORECASE,
)
TO_MONTH = re.compile(rf"(?:\s(?:and|to|through|until|or)\s|\s?[-–]\s?)(?:{_latin(words.MONTHS)})(?!\w)", re.IGNORECASE)
