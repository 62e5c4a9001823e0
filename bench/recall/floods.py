"""Floods: pages and sessions that say the same about different things, of which a question wants exactly one."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from bench.recall.values import Page, Question, Session, Turn

_BEGAN = datetime(2026, 1, 7, 14, tzinfo=UTC)
_ASKED = 3  # of each family of pages

# project, folder/prefix, subject → title, text and question with {name} and two drawn numbers.
_PAGES = (
    ("orchard", "concepts/cache-", "Cache of {name}", "Entries about {name} live {a} seconds and are thrown away when the nightly import ends. Key: `{name}:{b}`.",
     "after how many seconds does a cached entry about {name} expire?",
     ("prices", "stock", "vouchers", "reviews", "brands", "menus", "banners", "regions", "sizes", "bundles", "suppliers", "tariffs")),
    ("lantern", "concepts/component-", "The {name} component", "{name} opens after {a} ms and closes on Escape. It takes at most {b} children; more are cut off with a warning.",
     "how many children may {name} have?",
     ("Accordion", "Drawer", "Carousel", "Tabs", "Breadcrumb", "Popover", "Stepper", "Tooltip", "Sidebar", "Toolbar", "Gallery", "Timeline")),
    ("quarry", "concepts/table-", "Table {name}", "`{name}` is loaded at {a} minutes past four and belongs to the team on floor {b}. Late rows go to `{name}_late`.",
     "which team's floor owns the table {name}?",
     ("receipts", "visits", "refunds", "tills", "branches", "suppliers", "margins", "coupons", "returns", "shifts", "footfall", "weather")),
    ("harbor", "concepts/alert-", "Alert {name}", "{name} fires above {a} percent for ten minutes. It pages rota {b} and links to the dashboard of the same name.",
     "at what percentage does the {name} alarm go off?",
     ("DiskFilling", "QueueGrowing", "CpuStolen", "MemoryTight", "ErrorsRising", "CertEnding", "LagGrowing", "PodsPending", "InodesLow", "ReplicaBehind", "CacheCold", "BackupOld")),
    ("kestrel", "concepts/acquirer-", "Acquirer {name}", "{name} answers within {a} ms on most days; we cut the call at four seconds. Terminal range {b}000 to {b}999.",
     "what terminal range do we have at {name}?",
     ("Nordbank", "Alpenpay", "Lusopag", "Iberclear", "Kansai", "Baltica", "Rhenus", "Adria", "Tagus", "Moravia", "Hellas", "Caledon")),
    ("mosaic", "concepts/camera-", "Camera on line {name}", "Exposure on {name} is {a} microseconds with the ring lamp at {b} percent. Clean the glass every second shift.",
     "how bright is the ring lamp at {name}?",
     ("Amsel", "Biber", "Dachs", "Elster", "Fuchs", "Habicht", "Igel", "Luchs", "Marder", "Otter", "Rabe", "Wiesel")),
)  # fmt: skip

# project, prompt, answer, question, with {name} and a drawn number.
_SESSIONS = (
    ("orchard", "The test of {name} is flaky again.", "It compared a set in order. Sorted first, ran it {a} times, green.", "what made the {name} spec unreliable?",
     ("wishlist", "giftcards", "preorders", "backorders", "returns", "newsletter", "storefinder", "loyalty")),
    ("lantern", "Make {name} accessible by keyboard.", "Tab order and arrow keys work, focus ring is {a} px. The screen reader says its name.", "how thick is the outline we gave {name} for keyboard users?",
     ("datepicker", "slider", "combobox", "megamenu", "rating", "lightbox", "pagination", "colorpicker")),
    ("quarry", "The load of {name} takes too long.", "It scanned all history. It reads the last {a} days only, which is what the report shows.", "how far back does the {name} import look now?",
     ("invoices", "deliveries", "stocktakes", "pricelists", "payroll", "energy", "complaints", "surveys")),
    ("harbor", "Give {name} more memory, it restarts.", "The limit is {a} Mi now, requests are the same number so that it is not evicted first.", "what memory limit did {name} get?",
     ("thanos", "keycloak", "gitea", "minio", "nats", "jaeger", "harbor-core", "argocd")),
    ("kestrel", "Add {name} to the sandbox.", "It answers with fixed cards; amount {a} is always declined so that merchants can test it.", "which amount is refused on purpose for {name} in the test environment?",
     ("bancontact", "ideal", "sofort", "blik", "multibanco", "twint", "swish", "eps")),
    ("mosaic", "Retrain for {name}, there are new images.", "Trained overnight on {a} more images, recall is up a little, nothing else changed.", "how many additional pictures went into {name}'s training?",
     ("welds", "dents", "rust", "gaskets", "threads", "bearings", "seals", "coatings")),
)  # fmt: skip


def flooded() -> tuple[list[Session], list[Page], list[Question]]:
    """All of them, with the questions."""
    draw = random.Random(77)
    sessions: list[Session] = []
    pages: list[Page] = []
    questions: list[Question] = []
    for project, prefix, title, text, question, names in _PAGES:
        wanted = set(draw.sample(names, _ASKED))
        for name in names:
            said = {"name": name, "a": draw.randint(11, 890), "b": draw.randint(2, 79)}
            page = Page(project, f"{prefix}{name.lower()}.md", title.format(**said), text.format(**said) + "\n")
            pages.append(page)
            if name in wanted:
                questions.append(Question(project, "flood", question.format(**said), (page.key,)))
    for project, prompt, answer, asked, several in _SESSIONS:
        wanted = set(draw.sample(several, _ASKED))
        for name in several:
            said = {"name": name, "a": draw.randint(3, 900)}
            turns = (Turn("user", prompt.format(**said)), Turn("assistant", answer.format(**said)))
            at = _BEGAN + timedelta(days=draw.randint(0, 310))
            sessions.append(Session(f"{project}:flood-{name}", project, at, turns))
            if name in wanted:
                questions.append(Question(project, "flood", asked.format(**said), (sessions[-1].key,)))
    return sessions, pages, questions
