"""Sets of near-twins: thirty notes a family that differ in one exact thing, and the query that names one of them."""

from __future__ import annotations

import random

_FILL = (
    "The job ran at night and the queue was drained before the release.",
    "We looked at the logs, changed the setting and ran the suite again.",
    "After the change the worker kept its socket open for an hour.",
    "Nothing else in the service was touched by this fix.",
)


def _hash(random_: random.Random) -> str:
    return "".join(random_.choice("0123456789abcdef") for _ in range(12))


def families() -> dict[str, list[tuple[str, str]]]:
    """Family → thirty (thing that the note says, query)."""
    r = random.Random(7)
    verbs = ("get", "set", "load", "save", "parse", "merge")
    nouns = ("User", "Order", "Token", "Cache", "Page")
    two = [(v, n) for v in verbs for n in nouns]
    chinese = ("缓存", "登录", "权限", "日志", "支付", "订单", "索引", "线程", "队列", "备份")
    chinese_ends = ("失效", "超时", "迁移")
    japanese = ("認証", "決済", "検索", "通知", "画像", "在庫", "請求", "配送", "予約", "翻訳")
    japanese_ends = ("サーバーの設定", "処理の遅延", "テーブルの移行")
    korean = ("결제", "로그인", "검색", "알림", "재고", "배송", "예약", "번역", "백업", "권한")
    korean_ends = ("서버가 느려짐", "설정을 변경", "오류를 수정")
    same = {
        "version": [f"2.{14 + i // 6}.{i % 6}" for i in range(30)],
        "hash": [_hash(r) for _ in range(30)],
        "path": [f"src/{a}/{b}/handler.py" for a in verbs for b in ("api", "web", "jobs", "core", "auth")],
        "camel": [f"{v}{n}Name" for v, n in two],
        "snake": [f"{v}_{n.lower()}_name" for v, n in two],
        "ticket": [f"PAY-{1040 + i}" for i in range(30)],
        "error": [f"E{2300 + i}" for i in range(15)] + [f"ERR_TLS_{w}" for w in _ERRORS],
        "japanese": [a + b for a in japanese for b in japanese_ends],
        "chinese": [a + b for a in chinese for b in chinese_ends],
        "korean": [f"{a} {b}" for a in korean for b in korean_ends],
    }
    found = {family: [(thing, thing) for thing in things] for family, things in same.items()}
    found["chinese pair"] = [(word, word) for word in _PAIRS]
    found["version of a candidate"] = [(f"v3.{i}.7-rc1", f"3.{i}.7") for i in range(30)]
    return found


_ERRORS = ("CERT", "ALPN", "KEY", "DH", "HOST", "SNI", "REQ", "CTX", "PSK", "VER", "PROTO", "SESS", "RENEG", "TIME", "ABRT")
_PAIRS = (
    "内存", "磁盘", "网络", "端口", "证书", "密钥", "令牌", "容器", "镜像", "部署", "回滚", "监控", "告警", "限流", "熔断",
    "降级", "分片", "副本", "事务", "锁表", "游标", "触发", "视图", "字段", "主键", "外键", "编码", "解码", "压缩", "加密",
)  # fmt: skip

FORMS = (
    ("migration", "We migrated the ledger", "migrations"),
    ("indexing", "The indexer was rebuilt", "indexing"),
    ("retry", "It retries three times", "retrying"),
    ("deployment", "Deployed on Fridays only", "deploying"),
    ("connection", "Connections are pooled", "connecting"),
    ("allocation", "Allocated buffers leak", "allocation"),
    ("caching", "Cached answers went stale", "caching"),
    ("throttle", "Throttling starts at ninety", "throttled"),
    ("encryption", "Encrypted volumes mount late", "encrypting"),
    ("failure", "Failures come in pairs", "failure"),
    ("compression", "Compressed logs are kept", "compressing"),
    ("validation", "Validated on the way in", "validating"),
)

MISSPELT = (
    ("idempotency", "idempotancy"),
    ("authentication", "authentcation"),
    ("repository", "repositry"),
    ("asynchronous", "asyncronous"),
    ("kubernetes", "kuberentes"),
    ("threshold", "treshold"),
    ("occurrence", "occurence"),
    ("persistent", "persistant"),
    ("separator", "seperator"),
    ("transient", "transeint"),
    ("heuristic", "hueristic"),
    ("callback", "calback"),
)


def note(thing: str, i: int) -> str:
    """The text of a note that says ``thing`` once."""
    return f"{_FILL[i % 4]}\n\nIt concerned {thing} and nothing else.\n{_FILL[(i + 1) % 4]}\n"
