"""The words of dates in English, Portuguese, Spanish, Japanese and Chinese, without diacritics and in lower case."""

from __future__ import annotations

_ENGLISH = "january february march april may june july august september october november december"
_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"
_PORTUGUESE = "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro"
_SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"

SHORT_MONTHS = frozenset([*_SHORT.split(), "sept"]) - {"may"}
MONTHS = {name: at for names in (_ENGLISH, _SHORT, _PORTUGUESE, _SPANISH) for at, name in enumerate(names.split(), 1)}
MONTHS |= {"sept": 9, "setiembre": 9}
# Names that are also words or people: alone they are no date.
DOUBTFUL_MONTHS = SHORT_MONTHS | {"march", "april", "may", "june", "august", "marco"}

WEEKDAYS = {
    name: at
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "mon tue wed thu fri - -",
        "segunda-feira terca-feira quarta-feira quinta-feira sexta-feira sabado domingo",
        "lunes martes miercoles jueves viernes sabado domingo",
        "月曜 火曜 水曜 木曜 金曜 土曜 日曜",
    )
    for at, name in enumerate(names.split())
    if name != "-"
}
WEEKDAYS |= {"tues": 1, "thur": 3, "thurs": 3}
# In Portuguese these are ordinals too: a weekday only with "passada" after them.
PLAIN_WEEKDAYS = {"segunda": 0, "terca": 1, "quarta": 2, "quinta": 3, "sexta": 4}
SHORT_WEEKDAYS = frozenset(["mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri"])

# The first month of each; three months long, as on the northern half of the earth.
SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "primavera": 3, "verao": 6, "outono": 9, "inverno": 12,
    "verano": 6, "otono": 9, "invierno": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12,
}  # fmt: skip
DOUBTFUL_SEASONS = frozenset(["spring", "fall"])

NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
    "um": 1, "uma": 1, "dois": 2, "duas": 2, "tres": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9,
    "dez": 10, "onze": 11, "doze": 12, "quinze": 15, "vinte": 20, "trinta": 30,
    "un": 1, "una": 1, "dos": 2, "cuatro": 4, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "quince": 15,
    "veinte": 20, "treinta": 30,
    "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "两": 2, "兩": 2,
}  # fmt: skip
# Counts that are not exact: (least, most).
VAGUE = {
    "a couple of": (2, 3), "a couple": (2, 3), "couple of": (2, 3), "a few": (2, 5), "few": (2, 5), "several": (3, 7),
    "alguns": (2, 5), "algumas": (2, 5), "uns": (2, 5), "umas": (2, 5), "unos": (2, 5), "unas": (2, 5), "un par de": (2, 3),
    "algunos": (2, 5), "algunas": (2, 5), "数": (2, 5), "几": (2, 5), "幾": (2, 5),
}  # fmt: skip

UNITS = {
    name: unit
    for unit, names in {
        "minute": "minute minutes min mins minuto minutos 分 分钟",
        "hour": "hour hours hora horas 時間 小时",
        "day": "day days dia dias 日 天",
        "week": "week weeks semana semanas 週間 週 周 个星期 星期",
        "month": "month months mes meses か月 ヶ月 カ月 ケ月 箇月 個月 个月",
        "quarter": "quarter quarters trimestre trimestres 四半期",
        "year": "year years ano anos 年",
    }.items()
    for name in names.split()
}

# Whole phrases → (unit, how many units back); "day" also for parts of days.
PHRASES = {
    "the day before yesterday": ("day", 2), "day before yesterday": ("day", 2), "yesterday": ("day", 1), "last night": ("day", 1),
    "today": ("day", 0), "tonight": ("day", 0), "this morning": ("day", 0), "this afternoon": ("day", 0),
    "this evening": ("day", 0),
    "the week before last": ("week", 2), "the month before last": ("month", 2), "the year before last": ("year", 2),
    "anteontem": ("day", 2), "ontem": ("day", 1), "hoje": ("day", 0),
    "anteayer": ("day", 2), "antes de ayer": ("day", 2), "antier": ("day", 2), "ayer": ("day", 1), "anoche": ("day", 1),
    "hoy": ("day", 0),
    "一昨日": ("day", 2), "おととい": ("day", 2), "昨日": ("day", 1), "きのう": ("day", 1), "昨夜": ("day", 1),
    "昨晩": ("day", 1),
    "今日": ("day", 0), "本日": ("day", 0), "今朝": ("day", 0), "先々週": ("week", 2), "先週": ("week", 1), "今週": ("week", 0),
    "先々月": ("month", 2), "先月": ("month", 1), "今月": ("month", 0), "一昨年": ("year", 2), "おととし": ("year", 2),
    "去年": ("year", 1), "昨年": ("year", 1), "今年": ("year", 0),
    "前天": ("day", 2), "昨天": ("day", 1), "今天": ("day", 0), "上周": ("week", 1), "上週": ("week", 1), "上星期": ("week", 1),
    "上个星期": ("week", 1), "本周": ("week", 0), "这周": ("week", 0), "上个月": ("month", 1), "上個月": ("month", 1),
    "这个月": ("month", 0), "本月": ("month", 0), "前年": ("year", 2),
}  # fmt: skip

RECENT = (
    "most recently", "most recent", "recently", "recent", "lately", "latest", "newest", "these days", "nowadays", "last time",
    "the other day", "recentemente", "ultimamente", "recentes", "recente", "recientemente", "recientes", "reciente",
    "最近", "最新", "直近", "この前", "この間", "先日",
)  # fmt: skip

# What a number before these counts: such a number is no year and no day of a month.
COUNTED = (
    "ms|milliseconds?|s|secs?|seconds?|minutes?|mins?|hours?|bytes?|[kmg]i?b|bits?|px|rows?|lines?|requests?|reqs?|users?|tokens?|"
    "files?|tests?|items?|entries|records?|events?|times|threads?|workers?|connections?|people|messages?|pages?|words?|"
    "characters|chars|points?|retries|iterations?|steps?|calls?|commits?|issues?|errors?|warnings?|nodes?|rps|qps|percent"
)

BEFORE = (
    "before|prior to|earlier than|ahead of|antes d[eoa]|antes del|antes de la|antes de los|antes das|antes dos|"
    "until|till|up to|through|by|ate o|ate a|ate|hasta el|hasta"
)
# Of these the unit itself is still inside.
UNTIL = frozenset(["until", "till", "up to", "through", "by", "ate", "ate o", "ate a", "hasta", "hasta el"])
AFTER = (
    "since|starting in|starting from|starting|as of|after|later than|desde|a partir d[eoa]|a partir del|depois d[eoa]|"
    "depois das|apos o|apos a|apos|despues del|despues de la|despues de|tras"
)
# How those begin of which the unit itself is outside.
EARLIER = ("before", "prior", "earlier", "ahead", "antes")
PAST = ("after", "later than", "depois", "apos", "despues", "tras")
EARLY = "early|beginning|start|inicios|inicio|comeco|principios|principio|comienzos"
MIDDLE = "mid|middle|meados|mediados"
LATE = "late|end|finales|final|finais|fins|fim|fin"
