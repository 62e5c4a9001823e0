"""The address of a git remote as an identity: ``host/owner/repo``, the same for every spelling, never a credential."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from urllib.parse import unquote

# Forges that ignore the case of a path. Elsewhere a path keeps its case, since two repositories may differ by it alone.
_FOLDED = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com"})
_OTHER_NAMES = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "www.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "dev.azure.com",
}
# People with two accounts write ``git@github.com-work:…`` and map it in their ssh settings; no such host can exist.
_ALIASED = re.compile(r"(github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)-[a-z0-9._-]+\Z")
_SCHEMES = frozenset({"https", "http", "ssh", "git", "git+ssh", "ssh+git", "git+https", "ftp", "ftps"})
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)\Z", re.DOTALL)
_SCP = re.compile(r"((?:[^/@]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^/:@\[\]]{2,})):([^:].*)\Z", re.DOTALL)
_HOST = re.compile(r"[a-z0-9_\u00a1-\uffff](?:[a-z0-9._\u00a1-\uffff-]*[a-z0-9_\u00a1-\uffff])?\Z")
_LONGEST = 2048


def normalise_remote(url: str) -> str:
    """``host/owner/repo`` of a remote, or empty for a path, a loopback address, or what is no address.

    User, password, token, port, query and ``.git`` are dropped. The host is lower-cased; the path too, on forges known
    to ignore its case. Applying it to ``https://`` + its own result gives the same result.
    """
    url = url.strip()
    if not url or len(url) > _LONGEST or any(ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF for c in url):
        return ""
    found = _URL.match(url)
    if found:
        if found[1].lower() not in _SCHEMES:
            return ""
        authority, _, path = found[2].partition("/")
        path = unquote(re.split(r"[?#]", path, maxsplit=1)[0])
    else:
        found = _SCP.match(url)
        if not found or "::" in url.partition("/")[0].partition("]")[2]:
            return ""
        authority, path = found[1], found[2]
    host = _host(authority)
    segments = _segments(path)
    if not host or not segments:
        return ""
    return _joined(host, segments)


def label(identity: str) -> str:
    """What people call it: the path without the host, ``owner-repo``."""
    return "-".join(identity.split("/")[1:])


def _host(authority: str) -> str:
    host = authority.rpartition("@")[2].lower()
    if host.startswith("["):
        inner, closed, _ = host[1:].partition("]")
        return f"[{_address(inner)}]" if closed and _address(inner) else ""
    host = re.sub(r":\d*\Z", "", host).rstrip(".")
    if not _HOST.match(host) or host == "localhost" or host.endswith(".localhost"):
        return ""
    if re.fullmatch(r"[0-9.]+", host):
        return _address(host)
    aliased = _ALIASED.match(host)
    return aliased[1] if aliased else _OTHER_NAMES.get(host, host)


def _address(text: str) -> str:
    """An IP address written one way; empty for loopback, which is a different machine on every machine."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    return "" if address.is_loopback or address.is_unspecified else str(address)


def _segments(path: str) -> list[str]:
    # An at sign or a colon here is what is left of a password with a slash in it.
    if any(c in "@:\\?#%" or ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF for c in path):
        return []
    segments = [part.strip() for part in unicodedata.normalize("NFC", path).split("/")]
    segments = [part for part in segments if part]
    if any(part in (".", "..") for part in segments):
        return []
    while segments and segments[-1].lower().endswith(".git"):
        segments[-1] = segments[-1][:-4].rstrip()
        if not segments[-1]:
            segments.pop()
    return segments


def _joined(host: str, segments: list[str]) -> str:
    if host.endswith(".visualstudio.com"):
        host, segments = "dev.azure.com", [host.partition(".")[0], *segments]
        segments = [part for part in segments if part.lower() != "defaultcollection"]
    if host == "dev.azure.com":
        segments = segments[1:] if segments[0].lower() == "v3" else segments
        segments = [part for part in segments if part.lower() != "_git"]
    if not segments:
        return ""
    path = "/".join(segments)
    return f"{host}/{unicodedata.normalize('NFC', path.lower()) if host in _FOLDED else path}"
