"""Rules for tokens that their makers gave a recognisable shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ai_memory.domain.rule import ALNUM, HEX, LOW, LOWER, RUN, TEXT, UPPER, UUID, Rule, Span

# Not inside a word; an escaped line break or a percent escape before it is no word. The second form stands behind the
# token's first character, which keeps the search for that character fast.
_LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_BEHIND = r"(?:(?<![A-Za-z0-9].)|(?<=\\[nrt].)|(?<=%[0-9A-Fa-f]{2}.))"
_W = "[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _three(value: str) -> bool:
    return _mixed(value) and value != value.lower() and value != value.upper()


def _discord(value: str) -> bool:
    """The first part is a number in base64."""
    return value[:2] in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT") and _three(value)


_JWT_HEAD = re.compile(r"[A-Za-z0-9_-]*")
_JWT_REST = re.compile(r"\.[A-Za-z0-9_-]{6,}(?:\.{1,2}[A-Za-z0-9_-]+){0,3}")


def _jwt(text: str, low: str) -> Iterator[Span]:
    at = text.find("eyJ")
    while at >= 0:
        end = _JWT_HEAD.match(text, at).end()  # type: ignore[union-attr]
        rest = _JWT_REST.match(text, end) if end - at > 13 else None
        if rest:
            yield at, rest.end()
        at = text.find("eyJ", rest.end() if rest else end)


def _row(
    id: str,
    needles: str,
    shape: str,
    sample: str,
    *keeps: str,
    word: bool = False,
    right: str = "",
    where: str = RUN,
    check: Callable[[str], bool] | None = None,
) -> Rule:
    """``needles`` are separated by spaces. ``word``: the token must begin a word."""
    cuts = (("use ", sample, " now"), ('"', sample, '"'), ("x=", sample, "\n"))
    pattern = shape + right
    if word:
        head = shape.index("]") + 1 if shape[0] == "[" else int(shape[0].isalnum())
        head *= shape[head] not in "{?*+"
        pattern = pattern[:head] + (_BEHIND if head else _LEFT) + pattern[head:]
    return Rule(id, tuple(needles.split()), cuts, keeps, pattern, shape, where, check)


VENDOR = (
    # Models
    _row("anthropic", "sk-ant-", rf"sk-ant-{_W}{{16,}}", "sk-ant-" + "api03-" + ALNUM[:86] + "-AA", "sk-ant-...", "sk-ant-<key>"),
    _row("openai", "sk-", rf"sk-(?:proj-|svcacct-|admin-|or-v1-|or-|lf-)?{_W}{{20,}}", "sk-" + "proj-" + ALNUM[:60],
         "task-force-of-people-with-long-names", "sk-learn", "sk-some-long-name-without-digits", word=True, check=_mixed),
    _row("groq", "gsk_", rf"gsk_{_A}{{40,}}", "gsk_" + ALNUM[:52], "gsk_model"),
    _row("xai", "xai-", rf"xai-{_A}{{60,}}", "xai-" + ALNUM[:80], "xai-grok"),
    _row("perplexity", "pplx-", rf"pplx-{_A}{{32,}}", "pplx-" + ALNUM[:48], "pplx-online"),
    _row("hugging-face", "hf_ api_org_", rf"(?:hf_|api_org_){_A}{{30,}}", "hf_" + ALNUM[:34], "hf_hub_download", word=True),
    _row("replicate", "r8_", rf"r8_{_A}{{36,}}", "r8_" + ALNUM[:37], "r8_unorm", word=True),
    _row("langsmith", "lsv2_", rf"lsv2_(?:pt|sk)_{_A}{{32}}_[a-f0-9]{{10}}", "lsv2_" + "pt_" + HEX[:32] + "_" + HEX[:10], "lsv2_pt_"),
    _row("pinecone", "pcsk_", rf"pcsk_[A-Za-z0-9_]{{40,}}", "pcsk_" + ALNUM[:70], "pcsk_key"),
    _row("tavily", "tvly-", rf"tvly-{_W}{{20,}}", "tvly-" + "dev-" + ALNUM[:32], "tvly-key"),
    _row("nvidia", "nvapi-", rf"nvapi-{_W}{{40,}}", "nvapi-" + ALNUM[:64], "nvapi-key"),
    _row("cerebras", "csk-", rf"csk-{_A}{{40,}}", "csk-" + LOWER[:48], "csk-key", word=True),
    _row("elevenlabs", "sk_", r"sk_[a-f0-9]{48}", "sk_" + HEX[:48], "sk_buff_head_init", word=True),
    _row("aws-bedrock", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/_-]{40,}={0,2}", "bedrock-api-key-" + ALNUM[:100], "bedrock-api-key-x"),
    _row("aws-bedrock-long", "ABSK", r"ABSK[A-Za-z0-9+/]{60,}={0,2}", "ABSK" + ALNUM[:100], "ABSKEY", where=TEXT),
    _row("aws-access-key-id", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}", "AKIA" + UPPER[:16],
         "AKIA", "ASIAPACIFICREGIONS", word=True, right=r"(?![A-Z0-9])", check=_mixed),
    _row("google-api-key", "AIza", rf"AIza{_W}{{35}}", "AIza" + ALNUM[:35], "AIza..."),
    _row("google-oauth", "ya29.", rf"ya29\.{_W}{{16,}}[A-Za-z0-9_.-]*", "ya29." + "a0" + ALNUM[:60], "ya29.<token>", word=True),
    _row("google-refresh", "1//", rf"1//0{_W}{{20,}}", "1//" + "0g" + ALNUM[:50], "1//2", "http://1.1.1.1//0", word=True),
    _row("google-client-secret", "GOCSPX-", rf"GOCSPX-{_W}{{20,}}", "GOCSPX-" + ALNUM[:28], "GOCSPX-"),
    _row("firebase", "APA91b", rf"AAAA{_W}{{7}}:APA91b{_W}{{100,}}", "AAAA" + ALNUM[:7] + ":APA91b" + ALNUM[:134], "APA91b"),
    _row("azure-client-secret", "Q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", "aB3" + "8Q~" + ALNUM[:34], "8Q~", where=TEXT, check=_three),
    _row("digitalocean", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}", "dop_v1_" + HEX[:64], "dop_v1_"),
    _row("alibaba", "LTAI", rf"LTAI{_A}{{16,26}}", "LTAI" + ALNUM[:20], "LTAI", word=True, right=r"(?![A-Za-z0-9])", check=_mixed),
    _row("tencent", "AKID", rf"AKID{_A}{{32}}", "AKID" + ALNUM[:32], "AKID", word=True, right=r"(?![A-Za-z0-9])", check=_mixed),
    _row("heroku", "HRKU-", rf"HRKU-{_W}{{30,}}", "HRKU-" + "AA" + ALNUM[:58], "HRKU-"),
    _row("fly", "fo1_", rf"fo1_{_W}{{40,}}", "fo1_" + ALNUM[:43], "fo1_x", word=True),
    _row("fly-macaroon", "fm1 fm2", r"fm(?:1r|1a|2)_[A-Za-z0-9+/]{60,}={0,3}", "fm2_" + ALNUM[:90], "fm2_x", word=True, where=TEXT),
    _row("netlify", "nfp_ nfc_ nfo_ nfu_", rf"nf[pcou]_{_A}{{36,}}", "nfp_" + ALNUM[:40], "nfp_x", word=True),
    _row("vercel", "vcp_ vci_ vca_ vcr_ vck_", rf"vc[piark]_{_A}{{24,}}", "vcp_" + ALNUM[:56], "vcp_x", word=True, check=_mixed),
    _row("render", "rnd_", rf"rnd_{_A}{{28,}}", "rnd_" + ALNUM[:32], "rnd_seed", word=True, check=_mixed),
    _row("terraform", ".atlasv1.", rf"{_A}{{14}}\.atlasv1\.{_W}{{60,}}", ALNUM[:14] + ".atlasv1." + ALNUM[:67], ".atlasv1."),
    _row("pulumi", "pul-", r"pul-[a-f0-9]{40}", "pul-" + HEX[:40], "pul-x", word=True),
    _row("databricks", "dapi dkea", r"(?:dapi|dkea)[a-f0-9]{32}(?:-\d)?", "dapi" + HEX[:32], "dapi", word=True),
    _row("snowflake-pat", "ETMsDgAA", rf"ver:1-hint:\d{{1,20}}-ETMsDgAA{_W}{{20,}}", "ver:1-hint:" + "123-ETMsDgAA" + ALNUM[:40], "ver:1"),
    # Code and packages
    _row("github", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_A}{{30,}}", "ghp_" + ALNUM[:36], "ghp_...", "ghs_x"),
    _row("github-fine", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}", "github_pat_" + ALNUM[:22] + "_" + ALNUM[:59], "github_pat_x"),
    _row("gitlab", "glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt-",
         rf"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[A-Za-z0-9_-]{{18,}}(?:\.[A-Za-z0-9_-]+)*", "glpat-" + ALNUM[:20], "glpat-x"),
    _row("gitlab-runner", "GR1348941", rf"GR1348941{_W}{{20}}", "GR1348941" + ALNUM[:20], "GR1348941"),
    _row("bitbucket", "ATBB ATCTT3", rf"(?:ATBB{_A}{{24,}}|ATCTT3{_W}{{40,}})", "ATBB" + ALNUM[:32], "ATBB", word=True, check=_mixed),
    _row("atlassian", "ATATT3", rf"ATATT3{_W}{{60,}}(?:=[A-F0-9]{{8}})?", "ATATT3" + "xFfGF0" + ALNUM[:170], "ATATT3"),
    _row("npm", "npm_", rf"npm_{_A}{{36}}", "npm_" + ALNUM[:36], "npm_config_registry", word=True, right=r"(?![A-Za-z0-9])"),
    _row("pypi", "pypi-", rf"pypi-(?:AgEI|AgEN){_W}{{50,}}", "pypi-" + "AgEIcHlwaS5vcmc" + ALNUM[:120], "pypi-server"),
    _row("rubygems", "rubygems_", r"rubygems_[a-f0-9]{48}", "rubygems_" + HEX[:48], "rubygems_x"),
    _row("crates", "cio", rf"cio{_A}{{32}}", "cio" + ALNUM[:32], "cio", word=True, right=r"(?![A-Za-z0-9])", check=_three),
    _row("clojars", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}", "CLOJARS_" + LOWER[:60], "CLOJARS_X"),
    _row("nuget", "oy2", r"oy2[a-z0-9]{43}", "oy2" + LOWER[:43], "oy2", word=True, right=r"(?![A-Za-z0-9])"),
    _row("docker", "dckr_pat_ dckr_oat_", rf"dckr_[po]at_{_W}{{20,}}", "dckr_pat_" + ALNUM[:27], "dckr_pat_"),
    _row("jfrog", "AKCp cmVmdGtu", rf"(?:AKCp{_A}{{60,}}|cmVmdGtu{_A}{{50,}})", "AKCp" + ALNUM[:69], "AKCp", word=True),
    _row("sonar", "sqp_ squ_ sqa_", r"sq[pua]_[a-f0-9]{40}", "sqp_" + HEX[:40], "squ_x", word=True),
    _row("buildkite", "bkua_", r"bkua_[a-f0-9]{40}", "bkua_" + HEX[:40], "bkua_x"),
    _row("circleci", "CCIPAT_ CCIPRJ_", rf"CCIP(?:AT|RJ)_{_A}{{10,}}_[a-f0-9]{{40}}", "CCIPAT_" + ALNUM[:22] + "_" + HEX[:40], "CCIPAT_"),
    _row("sourcegraph", "sgp_", r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}", "sgp_" + HEX[:40], "sgp_x", word=True),
    _row("postman", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", "PMAK-" + HEX[:24] + "-" + HEX[:34], "PMAK-"),
    _row("sentry", "sntry", rf"sntry[suai]_[A-Za-z0-9+/=_-]{{40,}}", "sntryu_" + HEX[:64], "sntrys_", where=TEXT),
    _row("grafana", "glsa_", rf"glsa_{_A}{{32}}_[A-Fa-f0-9]{{8}}", "glsa_" + ALNUM[:32] + "_" + HEX[:8], "glsa_x"),
    _row("grafana-cloud", "glc_", r"glc_[A-Za-z0-9+/]{32,}={0,3}", "glc_" + ALNUM[:64], "glc_x", where=TEXT),
    _row("new-relic", "NRAK- NRII- NRIQ- NRJS- NRRA-", rf"NR(?:AK|II|IQ|JS|RA)-{_W}{{19,}}", "NRAK-" + UPPER[:27], "NRAK-"),
    _row("dynatrace", "dt0c01. dt0s", r"dt0(?:c01|s\d\d)\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "dt0c01." + UPPER[:24] + "." + UPPER[:64], "dt0c01."),
    _row("doppler", "dp.", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_A}{{40,44}}",
         "dp.pt." + ALNUM[:43], "dp.st.dev", word=True, where=TEXT),
    _row("vault", "hvs. hvb. hvr.", rf"hv[sbr]\.{_W}{{24,}}", "hvs." + ALNUM[:95], "hvs.token", word=True),
    _row("vault-legacy", "s.", rf"s\.{_A}{{24}}(?:\.{_A}{{5}})?", "s." + ALNUM[:24], "s.some", "this.ClassNameWithDigits12345678", "s.lowercasenamewithoutmixes1", word=True,
         right=r"(?![A-Za-z0-9_.-])", check=_three),
    _row("1password", "ops_eyJ A3-", rf"(?:ops_eyJ{_W}{{200,}}=*|A3-[A-Z0-9]{{6}}-(?:[A-Z0-9]{{5,11}}-){{3,4}}[A-Z0-9]{{5}})",
         "ops_eyJ" + ALNUM[:220], "ops_eyJ", word=True),
    _row("tailscale", "tskey-", rf"tskey-[a-z]{{2,12}}-{_A}{{8,}}(?:-{_A}{{8,}})?", "tskey-" + "auth-" + ALNUM[:12] + "-" + ALNUM[:32], "tskey-"),
    _row("age", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,58}", "AGE-SECRET-KEY-" + "1" + UPPER[:58], "AGE-SECRET-KEY-"),
    _row("supabase", "sbp_ sb_secret_", rf"(?:sbp_[a-f0-9]{{40}}|sb_secret_{_W}{{20,}})", "sbp_" + HEX[:40], "sbp_x", word=True),
    _row("neon", "npg_ napi_", rf"(?:npg_{_A}{{12,}}|napi_{_A}{{40,}})", "npg_" + ALNUM[:16], "npg_dump", word=True, check=_mixed),
    _row("aiven", "AVNS_", rf"AVNS_{_W}{{16,}}", "AVNS_" + ALNUM[:19], "AVNS_"),
    _row("planetscale", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_-]{16,}[A-Za-z0-9_.-]{16,}={0,2}", "pscale_tkn_" + ALNUM[:43], "pscale_pw_"),
    # Talk
    _row("slack", "xox", r"xox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9%/+-]{16,}={0,2}", "xoxb-" + "123456789012-123456789012-" + ALNUM[:24], "xoxb-...",
         where=TEXT),
    _row("slack-app", "xapp-", r"xapp-[A-Za-z0-9-]{20,}", "xapp-" + "1-A0123456789-1234567890123-" + HEX[:64], "xapp-x"),
    _row("telegram", ":AA", rf"\d{{8,10}}:AA{_W}{{32,34}}", "1234567890" + ":AA" + ALNUM[:33], "12:AA", "12345678:AAbc", word=True, right=r"(?![A-Za-z0-9_-])"),
    _row("discord", "MT Mj Mz ND NT Nj Nz OD OT", r"[MNO][TDjz][A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}",
         "MTIz" + ALNUM[:20] + "." + ALNUM[:6] + "." + ALNUM[:38], "Main.module.class", word=True, check=_discord),
    _row("twilio", "SK AC", r"(?:SK|AC)[a-f0-9]{32}", "SK" + HEX[:32], "SKIP", word=True, right=r"(?![A-Za-z0-9])"),
    _row("sendgrid", "SG.", rf"SG\.{_W}{{16,32}}\.{_W}{{32,64}}", "SG." + ALNUM[:22] + "." + ALNUM[:43], "SG.x"),
    _row("mailgun", "key- pubkey-", r"(?:pub)?key-[a-f0-9]{32}", "key-" + HEX[:32], "key-value", word=True, right=r"(?![A-Za-z0-9])"),
    _row("mailchimp", "-us", r"[a-f0-9]{32}-us\d{1,2}", HEX[:32] + "-us12", "-us12", word=True, right=r"(?![A-Za-z0-9])"),
    _row("brevo", "xkeysib- xsmtpsib-", rf"x(?:key|smtp)sib-[a-f0-9]{{64}}-{_A}{{16}}", "xkeysib-" + HEX[:64] + "-" + ALNUM[:16], "xkeysib-"),
    _row("resend", "re_", rf"re_{_A}{{8}}_{_A}{{20,}}", "re_" + ALNUM[:8] + "_" + ALNUM[:24], "re_compile", word=True, check=_mixed),
    _row("linear", "lin_api_ lin_oauth_", rf"lin_(?:api|oauth)_{_A}{{32,}}", "lin_api_" + ALNUM[:40], "lin_api_x"),
    _row("notion", "secret_ ntn_", rf"(?:secret_{_A}{{43}}|ntn_{_A}{{40,}})", "ntn_" + ALNUM[:46], "secret_manager_client", word=True, check=_mixed),
    _row("figma", "figd_ figo_ figu_", rf"fig[dou]_{_W}{{36,}}", "figd_" + ALNUM[:40], "figd_x"),
    _row("airtable", "pat", rf"pat{_A}{{14}}\.[a-f0-9]{{64}}", "pat" + ALNUM[:14] + "." + HEX[:64], "pattern", word=True),
    _row("contentful", "CFPAT-", rf"CFPAT-{_W}{{40,}}", "CFPAT-" + ALNUM[:43], "CFPAT-"),
    _row("typeform", "tfp_", rf"tfp_{_W}{{40,}}", "tfp_" + ALNUM[:44], "tfp_x", word=True),
    _row("dropbox", "sl.", rf"sl\.(?:u\.)?{_W}{{80,}}", "sl." + ALNUM[:130], "sl.x", word=True, check=_three),
    _row("meta", "EAA", rf"EAA[A-Za-z0-9]{{30,}}", "EAA" + ALNUM[:120], "EAA", word=True, check=_three),
    _row("pit", "pit-", r"pit-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}", "pit-" + UUID, "pit-stop", UUID, word=True),
    # Money
    _row("stripe", "sk_live_ rk_live_ sk_test_ rk_test_", rf"[sr]k_(?:live|test)_{_A}{{16,}}", "sk_live_" + ALNUM[:24], "sk_live_"),
    _row("webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}={0,2}", "whsec_" + ALNUM[:32], "whsec_...", where=TEXT),
    _row("square", "sq0atp- sq0csp- sq0idp- EAAAE EAAAl", rf"(?:sq0(?:atp|csp|idp)-{_W}{{22,}}|EAAA[El]{_W}{{58,62}})", "sq0atp-" + ALNUM[:22], "sq0atp-", word=True),
    _row("shopify", "shpat_ shpca_ shppa_ shpss_ shpua_", r"shp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}", "shpat_" + HEX[:32], "shpat_x"),
    _row("paypal", "access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
         "access_token$" + "production$" + LOWER[:16] + "$" + HEX[:32], "access_token$x", where=LOW),
    _row("plaid", "access-sandbox- access-production- access-development-", r"access-(?:sandbox|development|production)-[a-f0-9-]{36}",
         "access-sandbox-" + UUID, "access-sandbox-x"),
    _row("easypost", "EZAK EZTK", rf"EZ[AT]K{_A}{{54}}", "EZAK" + ALNUM[:54], "EZAK"),
    # Any maker
    Rule(
        "jwt", ("eyJ",),
        (("use ", "eyJ" + ALNUM[:33] + ".eyJ" + ALNUM[:60] + "." + ALNUM[:43], " now"), ("x=eyJ ", "eyJ" + ALNUM[:33] + "." + ALNUM[:60], "\n")),
        ("eyJ", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGci.x"),
        shape=rf"eyJ{_W}{{15,40}}\.eyJ{_W}{{10,60}}\.{_W}{{20,43}}", scan=_jwt,
    ),
)  # fmt: skip
